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
#include "LeastBytes.h"
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
  int64_t bound = 0; // of every schedule with at most this peak
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
    keep({plain, simulator.cost, simulator.peak, simulator.cost});
    findLeastPeak(simulator.peak);
    setBudgets(simulator.peak);
    results.resize(budgets.size());
    uint32_t groups = (budgets.size() + kGroup - 1) / kGroup;
    runTasks(groups, options.threads, [&](uint32_t at) { searchGroup(at); });
    std::vector<Found> first = results;
    runTasks(budgets.size(), options.threads,
             [&](uint32_t at) { searchAgain(at, first); });
    // The lowest budget is the least peak.
    least.bound = budgets.empty() ? least.cost : results.back().bound;
    keep(least);
    for (Found &found : results)
      keep(std::move(found));
    return points();
  }

private:
  /// Evictions take a scan each; the descent has to do for more ops.
  static constexpr uint32_t kManyOps = 1500;
  static constexpr uint32_t kBudgets = 40, kGroup = 5, kDescentFailures = 4;

  void keep(Found found) {
    if (!found.sequence.empty())
      candidates.push_back(std::move(found));
  }

  static void takeIfBetter(Found &into, const Search &search) {
    if (search.hasSolution() && search.cost() < into.cost)
      into = {search.solution(), search.cost(), search.peak(), into.bound};
  }

  /// Lowers the peak in steps, each from the schedule of the one before, which
  /// is nearly there; steps shrink when one fails.
  void findLeastPeak(int64_t plainPeak) {
    int64_t proven = findLeastBytes(compact, precedence).bytes;
    least = {plain, compact.totalCost(), plainPeak};
    double step = 0.05;
    for (uint64_t round = 0, failures = 0;
         failures < kDescentFailures && least.peak > proven; ++round) {
      int64_t budget =
          std::max<int64_t>(proven, least.peak - least.peak * step);
      Search search(compact, budget, options.seed + round);
      search.offer(least.sequence, {});
      search.improve(failures ? 3 * iterations : iterations, 0,
                     [&] { return search.hasSolution(); });
      if (search.leastPeak() < least.peak)
        takeLowest(search);
      if (search.hasSolution())
        continue;
      ++failures;
      step /= 3;
    }
  }

  void takeLowest(const Search &search) {
    Simulator simulator(compact, search.leastPeak());
    simulator.settle(search.lowest());
    least = {simulator.steps, simulator.cost, simulator.peak};
    descent.push_back(least);
  }

  /// The schedule of the descent that just fits, if there is one.
  void offerDescent(Search &search, int64_t budget) const {
    for (const Found &found : descent)
      if (found.peak <= budget)
        return search.offer(found.sequence, {});
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

  /// A cost at which a search may end: effort is better spent on budgets that
  /// are further from their bound.
  static int64_t closeTo(int64_t bound) {
    constexpr double share = 3e-4;
    return bound + static_cast<int64_t>(bound * share);
  }

  void searchGroup(uint32_t group) {
    BoundSearch bounds(compact, precedence);
    Sequence before = plain;
    uint32_t end = std::min<uint32_t>(budgets.size(), (group + 1) * kGroup);
    for (uint32_t at = group * kGroup; at < end; ++at) {
      Search search(compact, budgets[at], options.seed * 1000003 + at);
      BoundSearch::Result cut = bounds.find(budgets[at], 24);
      results[at].bound = compact.totalCost() + cut.answer.extra;
      search.offer(before, {});
      offerDescent(search, budgets[at]);
      if (cut.answer.feasible)
        for (double factor : {0.76, 0.87, 1.0, 1.15, 1.32})
          search.offer(recomputeBehind(compact, cut.cut,
                                       bounds.at(cut.cut).residentAt(factor)),
                       {});
      if ((at == group * kGroup && compact.opCount() < kManyOps) ||
          !search.hasSolution())
        search.offerSeeds();
      search.offer(least.sequence, {});
      search.improve(iterations, closeTo(results[at].bound), {});
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
    // More for budgets that are far from their bound: the tight ones.
    constexpr double far = 0.01;
    int64_t bound = first[at].bound;
    bool isFar = search.cost() > bound + bound * far;
    search.improve((isFar ? 3 : 1) * iterations, closeTo(bound), {});
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
      point.boundMilliseconds = found.bound / CompactGraph::kPerMillisecond;
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
  std::vector<Found> descent;   // by falling peak
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
