//===- Solve.h - The cheapest plan within a budget --------------*- C++ -*-===//
#ifndef REPRISE_PLANSEARCH_SOLVE_H
#define REPRISE_PLANSEARCH_SOLVE_H

#include "reprise/Console/Progress.h"
#include "reprise/PlanSearch/Problem.h"

namespace reprise::plan::search {

/// The facts for the error of a budget that is not met.
struct BudgetRefusal {
  uint64_t smallest = UINT64_MAX; // of the plans found
  ByteBound bound;
  bool isOfOrder = false; // the bound holds for the file's order
};

/// The result of one level of work, or of several.
struct SolveResult {
  std::optional<Plan> plan;
  BudgetRefusal refusal; // without a plan
  bool isFinal = false;  // more work comes to the same
  bool isRefused = false;
};

/// Looks for the cheapest plan of at most `budget` placed bytes, by what proves
/// most first: the whole graph fits, no schedule does, all schedules of a small
/// graph, then levels of work. A result without a plan says why.
rt::Expected<SolveResult> solve(const Problem &problem, const Solver &solver,
                                const SolverOptions &options, uint64_t budget,
                                driver::Activity &activity);

/// A plan of a sweep.
struct SweepRow {
  Plan plan;
  LowerBound bound;
  double gap = 0; // of the plan's cost above the bound
  bool onFrontier = false;
};

/// Returns, by increasing height, the frontier from the smallest bytes found to
/// those without recomputation, and for comparison the plans of each solver of
/// `others` for eight budgets in between; without a name those of every fixed
/// rule and chain solver.
rt::Expected<std::vector<SweepRow>>
sweep(const Problem &problem, const SolverOptions &options,
      const std::vector<std::string> &others);

} // namespace reprise::plan::search

#endif // REPRISE_PLANSEARCH_SOLVE_H
