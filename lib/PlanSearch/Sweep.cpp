//===- Sweep.cpp - Plans for every budget ---------------------------------===//

#include "reprise/PlanSearch/Solve.h"
#include "reprise/Runtime/Expect.h"
#include <algorithm>

namespace reprise::plan::search {

/// Fixed rules and chain solvers, which the searches must not lose against.
static const std::vector<std::string> kBaselines = {
    "none", "sqrt", "chen", "threshold", "revolve", "rotor", "eviction", "cut"};

static rt::Status addBaseline(const Problem &problem, const std::string &name,
                              uint64_t smallest, const SolverOptions &options,
                              std::vector<SweepRow> &rows) {
  constexpr uint64_t budgets = 8;
  REPRISE_EXPECT(solver, findSolver(name));
  uint64_t largest = problem.whole.height;
  std::vector<std::pair<uint64_t, double>> seen;
  for (uint64_t i = 0; i < budgets; ++i) {
    uint64_t budget = smallest + (largest - smallest) / (budgets - 1) * i;
    if (i + 1 == budgets)
      budget = largest;
    REPRISE_EXPECT(attempt, solveWithin(problem, **solver, options, budget));
    std::optional<Plan> &plan = attempt->plan;
    if (!plan)
      continue;
    std::pair<uint64_t, double> point = {plan->height, plan->milliseconds};
    if (std::find(seen.begin(), seen.end(), point) != seen.end())
      continue;
    seen.push_back(point);
    rows.push_back({std::move(*plan), {}, 0, false});
    rows.back().plan.solver = name;
  }
  return {};
}

rt::Expected<std::vector<SweepRow>>
sweep(const Problem &problem, const SolverOptions &options,
      const std::vector<std::string> &others) {
  REPRISE_EXPECT(frontier, placeFrontier(problem, options, levelsOf(options),
                                         kPlacementWork / 8));
  uint64_t smallest = frontier->front().height;
  std::vector<SweepRow> rows;
  for (Plan &plan : *frontier)
    rows.push_back({std::move(plan), {}, 0, true});
  for (const std::string &name : others.empty() ? kBaselines : others)
    REPRISE_RETURN_IF_ERROR(
        addBaseline(problem, name, smallest, options, rows));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SweepRow &a, const SweepRow &b) {
                     return a.plan.height < b.plan.height;
                   });
  for (SweepRow &row : rows) {
    row.bound = lowerBound(problem.graph, row.plan.height,
                           options.work * paceOf(options.effort).proof);
    REPRISE_EXPECT(gap, gapOf(row.plan, row.bound));
    row.gap = *gap;
  }
  return rows;
}

} // namespace reprise::plan::search
