//===- BudgetSweep.h - Plans of a step for all budgets ----------*- C++ -*-===//
#ifndef REPRISE_BUDGET_BUDGETSWEEP_H
#define REPRISE_BUDGET_BUDGETSWEEP_H

#include "reprise/Budget/BatchSearch.h"

namespace reprise::driver {

struct SweepRow {
  uint64_t budget = 0;
  PointFacts plan;
  double boundMilliseconds = 0;
};

/// The plan of another method for the same step.
struct BaselineFacts {
  std::string method;
  bool isMode = false; // checkpointing; otherwise a solver on the flat step
  PointFacts plan;
  /// The budget given to a solver, 0 if it takes none.
  uint64_t budget = 0;
};

struct SweepFacts {
  BudgetFacts budget;
  bool isAsked = false; // the budget is the user's, otherwise that of the knee
  std::vector<SweepRow> rows; // by increasing budget, each plan once
  std::vector<BaselineFacts> baselines;
  std::string contradiction; // of a row and its bound; else empty
};

/// Plans budgets at equal distances from the smallest to the one without
/// recomputation, and runs solvers.
SweepFacts sweepPlans(BudgetPlans &plans, BudgetFacts budget, unsigned threads);

/// Sweeps the model that `compiler` has loaded, and lowers it to a program with
/// the request's budget if that can be met: `sweep.budget` then has a plan.
/// Fails if plans contradict their proofs.
rt::Status sweepModel(Compiler &compiler, const ModelRequest &request,
                      SweepFacts &sweep);

/// Adds the checkpointing modes, each without a budget.
rt::Status addModes(const ModelRequest &request,
                    const std::vector<Checkpointing> &modes, SweepFacts &facts);

std::string toText(const SweepFacts &facts);
nlohmann::ordered_json toJson(const SweepFacts &facts);
/// Returns the picture; `title` names the model, `batch` is 0 if unknown.
std::string toSvg(const SweepFacts &facts, const std::string &title,
                  int64_t batch);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_BUDGETSWEEP_H
