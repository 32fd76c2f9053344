//===- Frontier.cpp - Schedules for every budget --------------------------===//
//
// Input:   a graph, an order, an effort.
// Output:  schedules by increasing max-live and decreasing cost.
// Method:  the least peak first; then budgets at equal distances from there to
//          the peak without recomputation, each searched for itself, in groups
//          that hand their solution down; then each again from its neighbours'
//          solutions. What is better in both is kept. Which budget a user asks
//          for plays no part, so that more budget never costs more.
// Cost:    the searches: about ten seconds for a thousand ops on two threads
//          with work = 1.
//
//===----------------------------------------------------------------------===//
#include "BoundSearch.h"
#include "ParallelTasks.h"
#include "Search.h"
#include "Seeds.h"

#include <algorithm>

namespace reprise::plan {

namespace {

/// A sequence that fits what it is for.
struct Found {
  Sequence sequence;
  int64_t cost = INT64_MAX, peak = INT64_MAX;
};

class FrontierSearch {
public:
  FrontierSearch(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options)
      : graph(graph), options(options), compact(makeCompact(graph, order)),
        precedence(findPrecedence(graph, compact)),
        plain(plainSequence(compact)) {
    iterations = searchIterations(compact, options.work);
  }

  std::vector<FrontierPoint> run() {
    if (compact.opCount() == 0)
      return {};
    Simulator simulator(compact, INT64_MAX / 4);
    simulator.settle(plain);
    keep({plain, simulator.cost, simulator.peak});
    findLeastPeak(simulator.peak);
    setBudgets(simulator.peak);
    results.resize(budgets.size());
    uint32_t groups = (budgets.size() + kGroup - 1) / kGroup;
    runTasks(groups, options.threads, [&](uint32_t at) { searchGroup(at); });
    std::vector<Found> first = results;
    runTasks(budgets.size(), options.threads,
             [&](uint32_t at) { searchAgain(at, first); });
    for (Found &found : results)
      keep(std::move(found));
    return points();
  }

private:
  static constexpr uint32_t kBudgets = 40, kGroup = 5;

  void keep(Found found) {
    if (!found.sequence.empty())
      candidates.push_back(std::move(found));
  }

  static void takeIfBetter(Found &into, const Search &search) {
    if (search.hasSolution() && search.cost() < into.cost)
      into = {search.solution(), search.cost(), search.peak()};
  }

  /// Searches below ever lower peaks, at most to what is proven necessary.
  void findLeastPeak(int64_t plainPeak) {
    BoundSearch bounds(compact, precedence);
    int64_t proven = bounds.mostBytes().first;
    Found best{plain, compact.totalCost(), plainPeak};
    constexpr int rounds = 8;
    for (int round = 0; round < rounds && best.peak > proven; ++round) {
      // The first round shows what is possible, later ones halve the rest.
      int64_t budget =
          round == 0 ? proven : best.peak - (best.peak - proven + 1) / 2;
      Search search(compact, budget, options.seed + round);
      search.offer(best.sequence, {});
      if (round == 0)
        search.offerSeeds();
      search.improve(iterations, 0, [&] { return search.hasSolution(); });
      if (search.leastPeak() < best.peak)
        best = {search.lowest(), 0, search.leastPeak()};
    }
    least = best;
    Simulator simulator(compact, best.peak);
    simulator.settle(best.sequence);
    least.cost = simulator.cost;
    keep(least);
  }

  void setBudgets(int64_t plainPeak) {
    int64_t unit = kAlignment;
    int64_t range = plainPeak - least.peak;
    for (uint32_t at = 0; at < kBudgets; ++at) {
      int64_t budget =
          least.peak + range / int64_t(kBudgets) * at / unit * unit;
      if (budgets.empty() || budget > budgets.back())
        budgets.push_back(budget);
    }
    std::reverse(budgets.begin(), budgets.end());
  }

  int64_t boundFor(BoundSearch &bounds, int64_t budget,
                   BoundSearch::Result &result) const {
    result = bounds.find(budget, 24);
    return compact.totalCost() + result.answer.extra;
  }

  /// A cost at which a search may end: effort is better spent on budgets that
  /// are further from their bound.
  static int64_t closeTo(int64_t bound) {
    constexpr double share = 5e-4;
    return bound + static_cast<int64_t>(bound * share);
  }

  void searchGroup(uint32_t group) {
    BoundSearch bounds(compact, precedence);
    Sequence before = plain;
    uint32_t end = std::min<uint32_t>(budgets.size(), (group + 1) * kGroup);
    for (uint32_t at = group * kGroup; at < end; ++at) {
      Search search(compact, budgets[at], options.seed * 1000003 + at);
      BoundSearch::Result cut;
      int64_t bound = boundFor(bounds, budgets[at], cut);
      search.offer(before, {});
      if (cut.answer.feasible)
        for (double factor : {0.76, 0.87, 1.0, 1.15, 1.32})
          search.offer(recomputeBehind(compact, cut.cut,
                                       bounds.at(cut.cut).residentAt(factor)),
                       {});
      if (at == group * kGroup || !search.hasSolution())
        search.offerSeeds();
      search.offer(least.sequence, {});
      search.improve(iterations, closeTo(bound), {});
      takeIfBetter(results[at], search);
      before = search.solution();
    }
  }

  void searchAgain(uint32_t at, const std::vector<Found> &first) {
    Search search(compact, budgets[at], options.seed * 1000033 + at + 1);
    uint32_t from = at < 2 ? 0 : at - 2;
    uint32_t to = std::min<uint32_t>(at + 3, first.size());
    for (uint32_t other = from; other < to; ++other)
      search.offer(first[other].sequence, {});
    BoundSearch bounds(compact, precedence);
    BoundSearch::Result cut;
    search.improve(iterations, closeTo(boundFor(bounds, budgets[at], cut)), {});
    takeIfBetter(results[at], search);
  }

  /// What no candidate beats, with its bound.
  std::vector<FrontierPoint> points() {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Found &a, const Found &b) {
                       return std::tie(a.peak, a.cost) <
                              std::tie(b.peak, b.cost);
                     });
    std::vector<FrontierPoint> result;
    BoundSearch bounds(compact, precedence);
    int64_t cheapest = INT64_MAX;
    for (const Found &found : candidates) {
      if (found.cost >= cheapest)
        continue;
      cheapest = found.cost;
      FrontierPoint point;
      point.solution.executions = executionsOf(graph, compact, found.sequence);
      point.solution.milliseconds = costOf(graph, point.solution.executions);
      point.solution.maxLive = found.peak;
      point.solution.solver = "search";
      BoundSearch::Result cut;
      point.boundMilliseconds =
          boundFor(bounds, found.peak, cut) / CompactGraph::kPerMillisecond;
      result.push_back(std::move(point));
    }
    return result;
  }

  const Graph &graph;
  const SolverOptions &options;
  CompactGraph compact;
  Precedence precedence;
  Sequence plain;
  uint64_t iterations;
  Found least;
  std::vector<int64_t> budgets; // falling
  std::vector<Found> results;   // by budget
  std::vector<Found> candidates;
};

} // namespace

std::vector<FrontierPoint> computeFrontier(const Graph &graph,
                                           const std::vector<OpId> &order,
                                           const SolverOptions &options) {
  return FrontierSearch(graph, order, options).run();
}

} // namespace reprise::plan
