//===- BudgetSweep.h - A step under every budget ----------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_BUDGETSWEEP_H
#define REPRISE_TOOLS_BUDGETSWEEP_H

#include "BatchSearch.h"

namespace reprise::tools {

struct SweepRow {
  uint64_t budget = 0;
  PointFacts plan;
  double boundMilliseconds = 0;
};

/// What another method makes of the same step.
struct BaselineFacts {
  std::string method;
  bool isMode = false; // of checkpointing; else a solver on the flat step
  PointFacts plan;
  /// The budget that a solver was given, 0 if it takes none.
  uint64_t budget = 0;
};

struct SweepFacts {
  BudgetFacts budget;
  bool isAsked = false;       // the budget is the user's, else that of the knee
  std::vector<SweepRow> rows; // by increasing budget, each plan once
  std::vector<BaselineFacts> baselines;
  std::string contradiction; // of a row and its bound; else empty
};

/// Budgets at equal distances from the smallest to none needed, and solvers.
SweepFacts sweepPlans(BudgetPlans &plans, BudgetFacts budget, unsigned threads);

/// The modes of checkpointing, each without a budget.
rt::Status addModes(const ModelRequest &request,
                    const std::vector<std::string> &modes, SweepFacts &facts);

std::string toText(const SweepFacts &facts);
nlohmann::ordered_json toJson(const SweepFacts &facts);
/// The picture; `title` says which model, `batch` is 0 where that is unknown.
std::string toSvg(const SweepFacts &facts, const std::string &title,
                  int64_t batch);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_BUDGETSWEEP_H
