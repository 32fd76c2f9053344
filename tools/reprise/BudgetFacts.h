//===- BudgetFacts.h - What a budget does to a step -------------*- C++ -*-===//
//
// Plain data, taken from BudgetPlans while its IR lives, and how it reads:
// tables, JSON, the refusal of a budget that cannot be met.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_BUDGETFACTS_H
#define REPRISE_TOOLS_BUDGETFACTS_H

#include "reprise/Passes/BudgetPlans.h"
#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::tools {

/// A value of the step, or the op that makes it.
struct ValueFacts {
  std::string name, module, location; // location may be ""
  uint64_t bytes = 0;
  double milliseconds = 0; // to compute it once
  uint32_t times = 0;      // that it is computed again
};

/// Bytes of the whole program, variables and constants included, and modelled
/// milliseconds of a step.
struct PointFacts {
  uint64_t bytes = 0;
  double milliseconds = 0;
  std::string kernels; // the mode that formed them; "" without annotations
};

struct BudgetFacts {
  std::string model;
  uint64_t fixed = 0; // bytes of variables and constants
  PointFacts plain;   // without recomputation
  PointFacts smallest;
  PointFacts rounded; // within budgetTextBytes(smallest.bytes)
  /// Bytes under which no schedule of the kernels exists, the op that needs
  /// them at once, and what it needs, largest first.
  uint64_t provenBytes = 0;
  std::string provenAt;
  std::vector<ValueFacts> pinned;

  uint64_t asked = 0;
  /// Without: the budget cannot be met, and what follows is empty.
  std::optional<PointFacts> plan;
  double boundMilliseconds = 0;
  double millisecondsPerMiB = 0; // that one more MiB saves at most
  std::vector<ValueFacts> costly;

  /// More than without recomputation; a mode's kernels may take less.
  double recomputeMilliseconds() const {
    return std::max(0.0, plan->milliseconds - plain.milliseconds);
  }
  double gap() const;
  /// How far the smallest budget is above the proven bound.
  double smallestGap() const;
};

/// What the driver says of one budget. `choice` as BudgetPlans::choose gives
/// it.
BudgetFacts budgetFactsOf(const std::string &model, BudgetPlans &plans,
                          uint64_t budget, std::optional<PlanChoice> choice);

PointFacts pointFactsOf(const PlanChoice &choice);

/// Name, module, place and cost of a value of a curve's problem.
ValueFacts valueFactsOf(const PlanProblem &problem, plan::ValueId id);

std::string toText(const BudgetFacts &facts);
nlohmann::ordered_json toJson(const BudgetFacts &facts);
nlohmann::ordered_json toJson(const ValueFacts &value);

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The fewest whole MiB (or KiB, where those would be far off) that hold
/// `bytes`, as --budget takes them: "173MiB".
std::string budgetText(uint64_t bytes);
uint64_t budgetTextBytes(uint64_t bytes);

/// "12.3 ms", "1.23 s".
std::string formatMilliseconds(double milliseconds);

/// "+3.1%", "+0.02%".
std::string formatMore(double share);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_BUDGETFACTS_H
