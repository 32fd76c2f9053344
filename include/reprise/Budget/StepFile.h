//===- StepFile.h - A step as text, within a budget -------------*- C++ -*-===//
//
// A training step that another front end printed as StableHLO, and the same
// step rematerialized. Budgets and sizes are live bytes as FunctionGraph.h
// defines them: without arguments, constants and results in the storage of
// donated arguments.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BUDGET_STEPFILE_H
#define REPRISE_BUDGET_STEPFILE_H

#include "reprise/Plan/Budget.h"
#include "reprise/Plan/Effort.h"
#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/Status.h"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::driver {

struct StepRequest {
  std::string file;
  std::string function;               // "": main, or the first one
  std::optional<plan::Budget> budget; // none: only the numbers of all budgets
  std::string views = "fused";        // see stablehlo-assume-views
  rt::Roofline roofline;
  plan::Effort effort = plan::Effort::Normal;
  unsigned threads = 2;
};

/// A schedule of the step.
struct StepPoint {
  uint64_t bytes = 0;
  double milliseconds = 0;
  double boundMilliseconds = 0; // of any schedule within these bytes
  uint64_t recomputed = 0;      // executions after the first
};

/// An op that the plan repeats.
struct RecomputedOp {
  std::string name, source; // source: "file:line", or ""
  uint64_t bytes = 0;       // of its results
  double milliseconds = 0;  // of one execution
  uint64_t times = 0;
};

struct StepAnswer {
  std::string function;
  uint64_t ops = 0; // that the planner orders
  uint64_t argumentBytes = 0;
  uint64_t donatedResults = 0;
  std::vector<std::pair<std::string, uint64_t>> unknownOps;
  StepPoint plain; // without recomputation, in the best order found
  std::vector<StepPoint> curve;
  uint64_t provenBytes = 0; // below which no schedule exists
  uint64_t budgetBytes = 0;
  std::optional<StepPoint> plan; // none: the budget cannot be met, or none
  std::vector<RecomputedOp> recomputed; // by decreasing bytes
  bool isUnchanged = false;             // the text is the file's
  std::string text;                     // of the planned step
  std::string refusal;                  // why there is no plan
};

/// Reads, plans and rewrites a step. Fails for a file that cannot be read or
/// planned, with all its unsupported constructs; a budget that cannot be met is
/// an answer.
rt::Expected<StepAnswer> rematerializeStep(const StepRequest &request);

std::string toText(const StepAnswer &answer);
std::string sweepText(const StepAnswer &answer);
std::string whyText(const StepAnswer &answer);
nlohmann::ordered_json toJson(const StepAnswer &answer);
/// A self-contained page of the answer; `title` names the step.
std::string toHtml(const StepAnswer &answer, const std::string &title);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_STEPFILE_H
