//===- FrontierGap.cpp - Schedules between two points of a frontier -------===//
//
// Input:   two neighbours of a frontier, a budget between them.
// Output:  schedules in between, cheaper than the lower one.
// Method:  budgets at equal distances from the lower one's bytes on, up to the
//          one asked for; each is searched for itself, longer than a frontier
//          can do for all of its own, from both neighbours, from what cuts keep
//          and from the plain order. Which of them are searched depends on the
//          budget, what is found does not: more budget never costs more.
// Cost:    some searches.
//
//===----------------------------------------------------------------------===//
#include "BoundSearch.h"
#include "ParallelTasks.h"
#include "Search.h"
#include "Seeds.h"

#include <algorithm>

namespace reprise::plan {

static std::vector<OpId> firstExecutions(const Graph &graph,
                                         const Executions &executions) {
  std::vector<bool> seen(graph.ops.size(), false);
  std::vector<OpId> order;
  for (OpId op : executions)
    if (!seen[op]) {
      seen[op] = true;
      order.push_back(op);
    }
  return order;
}

/// The other way round than executionsOf, which adds the clones of views.
static Sequence sequenceOf(const CompactGraph &compact,
                           const Executions &executions) {
  std::vector<Rank> rankOf(compact.opCount());
  std::vector<bool> isView(compact.opCount(), false);
  for (Rank rank = 0; rank < compact.opCount(); ++rank) {
    rankOf[compact.opOf[rank]] = rank;
    for (auto *view = compact.views.begin(rank);
         view != compact.views.end(rank); ++view)
      isView[*view] = true;
  }
  Sequence sequence;
  std::vector<bool> seen(compact.opCount(), false);
  for (OpId op : executions) {
    Rank rank = rankOf[op];
    bool isClone = seen[rank];
    seen[rank] = true;
    if (!isClone || !isView[rank])
      sequence.push_back({rank, isClone, 0});
  }
  return sequence;
}

namespace {

class GapSearch {
public:
  GapSearch(const Graph &graph, const FrontierPoint &below,
            const FrontierPoint &above, const SolverOptions &options)
      : graph(graph), below(below), above(above), options(options),
        order(firstExecutions(graph, below.solution.executions)),
        compact(makeCompact(graph, order)),
        precedence(findPrecedence(graph, compact)),
        low(sequenceOf(compact, below.solution.executions)) {
    if (firstExecutions(graph, above.solution.executions) == order)
      high = sequenceOf(compact, above.solution.executions);
  }

  std::vector<FrontierPoint> run() {
    setBudgets();
    std::vector<FrontierPoint> found(budgets.size());
    runTasks(budgets.size(), options.threads,
             [&](uint32_t at) { found[at] = search(at); });
    std::vector<FrontierPoint> result;
    double cheapest = below.solution.milliseconds;
    for (FrontierPoint &point : found) {
      // What costs no more than the upper neighbour would break the order
      // among gaps.
      if (point.solution.executions.empty() ||
          point.solution.milliseconds >= cheapest ||
          point.solution.milliseconds <= above.solution.milliseconds)
        continue;
      // One that needs no more bytes than the one before doesn't replace it:
      // placed, it may, and a smaller budget has the one before as well.
      cheapest = point.solution.milliseconds;
      result.push_back(std::move(point));
    }
    return result;
  }

private:
  static constexpr uint32_t kParts = 5;
  /// Times what a solver searches; a frontier searches half of that a budget.
  static constexpr uint32_t kManyOps = 1500;
  uint64_t effort() const { return compact.opCount() < kManyOps ? 4 : 2; }

  void setBudgets() {
    uint64_t from = below.solution.maxLive, to = above.solution.maxLive;
    for (uint32_t part = 0; part < kParts; ++part) {
      uint64_t budget =
          from + (to - from) * part / kParts / kAlignment * kAlignment;
      if (budget <= options.budgetBytes &&
          (budgets.empty() || budget > budgets.back()))
        budgets.push_back(budget);
    }
  }

  FrontierPoint search(uint32_t at) const {
    Search search(compact, budgets[at], options.seed * 1000099 + at + 1);
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
    search.improve(effort() * searchIterations(compact, options.work), bound,
                   {});
    FrontierPoint point;
    if (!search.hasSolution())
      return point;
    point.solution.executions = executionsOf(graph, compact, search.solution());
    point.solution.milliseconds = costOf(graph, point.solution.executions);
    point.solution.maxLive = search.peak();
    point.solution.solver = "search";
    point.boundMilliseconds = bound / CompactGraph::kPerMillisecond;
    return point;
  }

  const Graph &graph;
  const FrontierPoint &below, &above;
  const SolverOptions &options;
  std::vector<OpId> order;
  CompactGraph compact;
  Precedence precedence;
  Sequence low, high; // no high one when its order is another
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
