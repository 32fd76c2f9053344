//===- FrontierGap.cpp - Schedules between two points of a frontier -------===//
//
// Input:   two neighbours of a frontier.
// Output:  schedules in between, cheaper than the lower one.
// Method:  budgets at equal distances, starting at the lower one's bytes. Each
//          is searched for longer than a frontier can afford for all of its
//          budgets, from both neighbours, from the values that cuts keep and
//          from the plain order. The user's budget has no influence: all
//          budgets find the same schedules, so that more budget never costs
//          more and never has a smaller peak.
// Cost:    five searches.
//
//===----------------------------------------------------------------------===//
#include "../bounds/BoundSearch.h"
#include "../graph/ParallelTasks.h"
#include "../search/Search.h"
#include "../search/Seeds.h"

#include <algorithm>

namespace reprise::plan {

namespace {

class GapSearch {
public:
  GapSearch(const Graph &graph, const FrontierPoint &below,
            const FrontierPoint &above, const SolverOptions &options)
      : graph(graph), below(below), above(above), options(options),
        order(firstExecutions(graph, below.start())),
        compact(makeCompact(graph, order)),
        precedence(findPrecedence(graph, compact)),
        low(sequenceOf(compact, below.start())) {
    if (firstExecutions(graph, above.start()) == order)
      high = sequenceOf(compact, above.start());
  }

  std::vector<FrontierPoint> run() {
    setBudgets();
    std::vector<FrontierPoint> found(budgets.size());
    runTasks(budgets.size(), options.threads,
             [&](uint32_t at) { found[at] = search(at); });
    std::vector<FrontierPoint> result;
    double cheapest = below.solution.milliseconds;
    for (FrontierPoint &point : found) {
      const Solution &solution = point.solution;
      // A schedule outside of the gap would break the order among gaps.
      if (solution.executions.empty() ||
          solution.maxLive < below.solution.maxLive ||
          solution.milliseconds >= cheapest ||
          solution.milliseconds <= above.solution.milliseconds)
        continue;
      cheapest = solution.milliseconds;
      while (!result.empty() &&
             result.back().solution.maxLive >= solution.maxLive)
        result.pop_back();
      result.push_back(std::move(point));
    }
    return result;
  }

private:
  static constexpr uint32_t kParts = 5;
  /// The work relative to a solver's; a frontier uses half of a solver's a
  /// budget.
  static constexpr uint32_t kManyOps = 1500;
  uint64_t effort() const { return compact.opCount() < kManyOps ? 4 : 1; }

  void setBudgets() {
    uint64_t from = below.solution.maxLive, to = above.solution.maxLive;
    for (uint32_t part = 0; part < kParts; ++part) {
      uint64_t more = (to - from) / compact.scale() * part / kParts;
      uint64_t budget = from + more / kAlignment * kAlignment * compact.scale();
      if (budgets.empty() || budget > budgets.back())
        budgets.push_back(budget);
    }
  }

  FrontierPoint search(uint32_t at) const {
    const Pace pace = paceOf(options.effort);
    Search search(compact, budgets[at], options.seed * 1000099 + at + 1,
                  pace.patience);
    BoundSearch bounds(compact, precedence);
    constexpr uint32_t tries = 48;
    BoundSearch::Result cut = bounds.find(budgets[at], tries);
    int64_t bound = compact.totalCost() + cut.answer.extra;
    search.offer(low, {});
    search.offer(high, {});
    if (cut.answer.feasible)
      for (double factor : {0.66, 0.76, 0.87, 1.0, 1.15, 1.32, 1.52})
        search.offer(recomputeBehind(compact, cut.cut,
                                     bounds.at(cut.cut).residentAt(factor)),
                     {});
    search.offer(plainSequence(compact), {MissingInput::Recompute, 1.0, 0.2});
    bool isThorough = options.effort == Effort::Thorough;
    double closeEnough = isThorough ? 0 : pace.closeEnough;
    search.improve(effort() *
                       searchIterations(compact, pace.search * options.work),
                   bound + int64_t(double(bound) * closeEnough), {});
    FrontierPoint point;
    if (!search.hasSolution())
      return point;
    point.searched = executionsOf(graph, compact, search.solution());
    point.solution.executions = withoutUnread(graph, point.searched);
    point.solution.milliseconds = costOf(graph, point.solution.executions);
    point.solution.maxLive = maxLiveOf(graph, point.solution.executions);
    point.solution.solver = "search";
    // A bound for more bytes also holds for fewer.
    point.boundMilliseconds = std::max(bound / CompactGraph::kPerMillisecond,
                                       above.boundMilliseconds);
    return point;
  }

  const Graph &graph;
  const FrontierPoint &below, &above;
  const SolverOptions &options;
  std::vector<OpId> order;
  CompactGraph compact;
  Precedence precedence;
  Sequence low, high; // the high one is empty if it has another order
  std::vector<uint64_t> budgets;
};

} // namespace

std::vector<FrontierPoint> searchBetween(const Graph &graph,
                                         const FrontierPoint &below,
                                         const FrontierPoint &above,
                                         const SolverOptions &options) {
  return GapSearch(graph, below, above, options).run();
}

} // namespace reprise::plan
