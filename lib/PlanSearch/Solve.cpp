//===- Solve.cpp - The cheapest plan within a budget ----------------------===//

#include "reprise/PlanSearch/Solve.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include <algorithm>

namespace reprise::plan::search {

/// Keeps the better of two results; more levels are never worse than fewer.
static void merge(SolveResult &all, SolveResult other) {
  auto costOf = [](const Plan &plan) {
    return std::pair(plan.milliseconds, plan.height);
  };
  all.refusal.smallest = std::min(all.refusal.smallest, other.refusal.smallest);
  bool isBetter =
      other.plan && (!all.plan || costOf(*other.plan) < costOf(*all.plan));
  if (isBetter)
    all.plan = std::move(other.plan);
}

/// Searches below the frontier's smallest plan, where other schedules may lose
/// fewer bytes between buffers. A refusal names a number for which one unit
/// less fails too. The sequence of budgets doesn't depend on the given one, so
/// that a budget named by a refusal is met.
static rt::Status descend(const Problem &problem, const SolverOptions &options,
                          uint64_t budget, BudgetRefusal &refusal,
                          std::optional<Plan> &best) {
  const int most = std::clamp(int(64 * options.work), 1, 64);
  REPRISE_EXPECT(solver, findSolver("auto"));
  // With a clock the search would differ each time.
  bool isRepeatable = options.timeLimitSeconds == 0;
  for (int step = 0; isRepeatable && step < most && !best; ++step) {
    if (refusal.smallest <= refusal.bound.bytes)
      break;
    REPRISE_EXPECT(attempt, solveWithin(problem, **solver, options,
                                        refusal.smallest - kAlignment));
    if (!attempt->plan)
      break;
    refusal.smallest = attempt->plan->height;
    if (refusal.smallest <= budget)
      best = std::move(attempt->plan);
  }
  return {};
}

/// The lowest plan of a search for the least bytes, in which a budget plays no
/// part.
static rt::Expected<std::optional<Plan>> searchLow(const Problem &problem,
                                                   SolverOptions options,
                                                   const ByteBound &bound) {
  options.budgetBytes = bound.bytes;
  options.progress = nullptr;
  std::optional<Plan> best;
  std::vector<FrontierPoint> points =
      searchWithin(problem.graph, problem.order, options);
  if (points.empty())
    return best;
  REPRISE_EXPECT(plan,
                 placeSolution(problem, points.front().solution,
                               mostPlacementWork(options), options.effort));
  best = plan->height < problem.whole.height ? *plan : problem.whole;
  return best;
}

/// Searches for the lowest plan for a short time.
static rt::Expected<std::optional<Plan>> lowPlan(const Problem &problem,
                                                 const SolverOptions &options,
                                                 const ByteBound &bound) {
  SolverOptions quick = options;
  quick.work = workLevels(0).front();
  quick.effort = Effort::Quick;
  return searchLow(problem, quick, bound);
}

namespace {
/// How low plans are known to get. With many ops, a budget below is refused
/// when more work gets no lower, without searches for that budget.
class Floor {
public:
  Floor(const Problem &problem, const ByteBound &bound)
      : problem(problem), bound(bound) {
    constexpr size_t manyOps = 1500;
    decides = problem.graph.ops.size() >= manyOps;
  }

  /// Looks with the work of `options`; says whether plans get lower.
  rt::Expected<bool> deepen(SolverOptions options) {
    options = leastIfTimed(options);
    bool isLower = false, isFirst = !lowest;
    if (isFirst)
      REPRISE_RETURN_IF_ERROR(take(lowPlan(problem, options, bound), isLower));
    if (!decides)
      return isLower;
    REPRISE_RETURN_IF_ERROR(take(searchLow(problem, options, bound), isLower));
    if (isFirst && lowest)
      REPRISE_RETURN_IF_ERROR(halve(options));
    return isLower;
  }

  /// With the least work where time is limited: what is left is counted.
  SolverOptions leastIfTimed(SolverOptions options) const {
    if (!decides || options.timeLimitSeconds == 0)
      return options;
    options.work = workLevels(0).front();
    options.timeLimitSeconds = 0;
    return options;
  }

  bool isAbove(uint64_t budget) const {
    return decides && lowest && lowest->maxLive > budget;
  }

  std::optional<Plan> lowest;

private:
  /// Halves the distance to the bound as long as plans are found there with the
  /// least work: of long chains, the search for the least bytes ends early.
  rt::Status halve(SolverOptions options) {
    options.work = workLevels(0).front();
    std::unique_ptr<Solver> solver = createSolver("auto");
    for (;;) {
      uint64_t above = lowest->height - std::min(lowest->height, bound.bytes);
      uint64_t budget = bound.bytes + above / 2 / kAlignment * kAlignment;
      if (above < lowest->height / 8)
        return {};
      REPRISE_EXPECT(attempt, solveWithin(problem, *solver, options, budget));
      if (!attempt->plan)
        return {};
      lowest = std::move(attempt->plan);
    }
  }

  rt::Status take(rt::Expected<std::optional<Plan>> found, bool &isLower) {
    if (!found.ok())
      return found.status();
    if (*found && (!lowest || (*found)->maxLive < lowest->maxLive)) {
      lowest = std::move(*found);
      isLower = true;
    }
    return {};
  }

  const Problem &problem;
  const ByteBound bound;
  bool decides;
};
} // namespace

/// Looks where the search for all budgets at once comes by, before giving up.
static rt::Expected<std::optional<Plan>>
lastResort(const Problem &problem, const SolverOptions &options,
           uint64_t budget, const std::optional<Plan> &low,
           BudgetRefusal &refusal) {
  REPRISE_EXPECT(
      plans, placeFrontier(problem, options, {options.work}, kPlacementWork));
  if (low)
    plans->insert(plans->begin(), *low);
  std::optional<Plan> best;
  for (Plan &plan : *plans) {
    refusal.smallest = std::min(refusal.smallest, plan.height);
    if (plan.height <= budget &&
        (!best || plan.milliseconds < best->milliseconds))
      best = std::move(plan);
  }
  if (!best)
    REPRISE_RETURN_IF_ERROR(descend(problem, options, budget, refusal, best));
  return best;
}

/// Refuses a budget that plans for the least bytes do not come down to.
static rt::Status lookBelow(Floor &floor, const SolverOptions &options,
                            uint64_t budget, SolveResult &outcome) {
  bool wasAbove = floor.isAbove(budget);
  REPRISE_EXPECT(isLower, floor.deepen(options));
  outcome.isRefused = floor.isAbove(budget);
  if (!outcome.isRefused)
    return {};
  outcome.refusal.smallest = floor.lowest->height;
  outcome.isFinal = wasAbove && !*isLower;
  return {};
}

/// Looks only for the budget that a refusal names.
static rt::Status findSmallest(const Problem &problem,
                               const SolverOptions &options,
                               BudgetRefusal &refusal) {
  rt::Expected<std::optional<Plan>> low =
      solveExhaustively(problem, refusal.bound.bytes);
  if (low.ok() && !*low)
    low = lowPlan(problem, options, refusal.bound);
  if (!low.ok())
    return low.status();
  refusal.smallest = *low ? (*low)->height : problem.whole.height;
  return {};
}

/// A plan found with just the work of `options`, or why there is none.
static rt::Expected<SolveResult>
solveLevel(const Problem &problem, const Solver &solver,
           const SolverOptions &options, uint64_t budget,
           const BudgetRefusal &proven, Floor &floor) {
  SolveResult outcome;
  outcome.refusal = proven;
  bool wasAbove = floor.isAbove(budget);
  if (wasAbove)
    REPRISE_RETURN_IF_ERROR(lookBelow(floor, options, budget, outcome));
  if (outcome.isRefused)
    return outcome;
  REPRISE_EXPECT(attempt, solveWithin(problem, solver, options, budget));
  outcome.plan = std::move(attempt->plan);
  outcome.isFinal = attempt->isFinal;
  if (outcome.plan)
    return outcome;
  // A plan of another solver does not answer for this one.
  if (solver.name() != "auto") {
    REPRISE_RETURN_IF_ERROR(findSmallest(problem, options, outcome.refusal));
    return outcome;
  }
  if (!wasAbove)
    REPRISE_RETURN_IF_ERROR(lookBelow(floor, options, budget, outcome));
  if (outcome.isRefused)
    return outcome;
  REPRISE_EXPECT(plan, lastResort(problem, floor.leastIfTimed(options), budget,
                                  floor.lowest, outcome.refusal));
  outcome.plan = std::move(*plan);
  return outcome;
}

/// Returns the proof before any search: the bound, and whether it excludes the
/// budget.
static BudgetRefusal prove(const Problem &problem) {
  BudgetRefusal refusal;
  refusal.bound = lowestBytes(problem.graph);
  if (problem.graph.ops.empty()) // nothing to choose
    refusal.bound.bytes = problem.whole.maxLive;
  std::optional<uint64_t> least = leastOfAll(problem);
  if (least && *least > refusal.bound.bytes) {
    refusal.bound = {*least, kNone, {}, 0};
    refusal.isOfOrder = problem.hasOrder;
  }
  return refusal;
}

rt::Expected<SolveResult> solve(const Problem &problem, const Solver &solver,
                                const SolverOptions &flags, uint64_t budget,
                                driver::Activity &activity) {
  SolveResult found;
  if (problem.whole.height <= budget) {
    found.plan = problem.whole;
    return found;
  }
  found.refusal = prove(problem);
  if (budget < found.refusal.bound.bytes) {
    REPRISE_RETURN_IF_ERROR(findSmallest(problem, flags, found.refusal));
    return found;
  }
  if (solver.name() == "auto") {
    REPRISE_EXPECT(plan, solveExhaustively(problem, budget));
    found.plan = std::move(*plan);
  }
  if (found.plan)
    return found;
  Floor floor(problem, found.refusal.bound);
  for (double level : levelsOf(flags)) {
    SolverOptions only = flags;
    only.work = level;
    activity.phase("work " + text::formatFixed(level, 3));
    REPRISE_EXPECT(
        one, solveLevel(problem, solver, only, budget, found.refusal, floor));
    bool isFinal = one->isFinal;
    merge(found, std::move(*one));
    if (found.plan)
      activity.best("best plan " +
                    formatMilliseconds(found.plan->milliseconds) + " a step");
    if (isFinal)
      break;
  }
  return found;
}

} // namespace reprise::plan::search
