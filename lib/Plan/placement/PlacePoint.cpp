//===- PlacePoint.cpp - Placing a point of a frontier ---------------------===//
//
// Input:   a frontier, one of its points.
// Output:  a schedule of at most the point's bytes, placed.
// Method:  the point's schedule is placed. If that wastes bytes, searches start
//          from the point and from its neighbours for other schedules within
//          the same bytes, until one packs without loss. Whether a schedule
//          does depends on luck more than on effort: for a problem where much
//          work leaves a per cent, every second schedule packs at once.
// Cost:    a placement; if that wastes bytes, up to eight searches with short
//          placements.
//
//===----------------------------------------------------------------------===//
#include "../graph/ParallelTasks.h"
#include "../search/Search.h"

#include <algorithm>
#include <limits>

namespace reprise::plan {

namespace {

class PointPlacer {
public:
  PointPlacer(const Graph &graph, const std::vector<FrontierPoint> &points,
              size_t at, const SolverOptions &options)
      : graph(graph), points(points), at(at), options(options),
        budget(points[at].solution.maxLive) {
    // Half of the distance to the neighbours, so that theirs stay outside.
    double own = points[at].solution.milliseconds;
    if (at > 0)
      mostCost = own + (points[at - 1].solution.milliseconds - own) / 2;
    if (at + 1 < points.size())
      leastCost = own - (own - points[at + 1].solution.milliseconds) / 2;
  }

  PlacedPoint run() {
    PlacedPoint own = {points[at].solution, {}};
    // The last point recomputes nothing: there is no other schedule. It is
    // placed with full effort, as without a budget, so that no named budget
    // gives a larger program than the one without a budget.
    bool isPlain = at + 1 == points.size();
    own.plan = makePlan(graph, own.solution.executions, kPlacementWork,
                        isPlain ? Effort::Thorough : options.effort);
    bool hasOthers = !isPlain && isWasteful(own.plan);
    uint32_t rounds = std::min(kRounds, paceOf(options.effort).placementRounds);
    for (uint32_t round = 0; round < rounds && hasOthers; ++round)
      if (std::optional<PlacedPoint> other = tryOthers(round))
        return std::move(*other);
    return own;
  }

private:
  /// The number of points after `at` where a search begins, and a factor
  /// of its length. From the point itself it often returns to the same
  /// schedule; from far away it may not reach the bytes.
  struct Start {
    uint32_t behind, times;
  };
  static constexpr Start kStarts[] = {{1, 1}, {3, 3}, {2, 3}, {4, 3},
                                      {1, 3}, {0, 3}, {1, 3}, {3, 3}};
  static constexpr uint32_t kInRound = 2;
  static constexpr uint32_t kRounds =
      sizeof(kStarts) / sizeof(kStarts[0]) / kInRound;
  static constexpr uint32_t kManyOps = 1500;

  /// Returns true if the plan wastes some thousandths, and enough bytes to be
  /// noticed.
  bool isWasteful(const Plan &plan) const {
    constexpr uint64_t bytes = 64 << 10;
    return plan.height > budget + std::max(bytes, budget / 400);
  }

  /// A round is tried as a whole, so that threads make no difference.
  std::optional<PlacedPoint> tryOthers(uint32_t round) const {
    std::optional<PlacedPoint> found[kInRound];
    runTasks(kInRound, options.threads, [&](uint32_t number) {
      found[number] = findOther(round * kInRound + number);
    });
    for (std::optional<PlacedPoint> &other : found)
      if (other)
        return std::move(other);
    return std::nullopt;
  }

  std::optional<PlacedPoint> findOther(uint32_t number) const {
    const Start &how = kStarts[number];
    size_t from = std::min(at + how.behind, points.size() - 1);
    const Executions &start = points[from].solution.executions;
    CompactGraph compact = makeCompact(graph, firstExecutions(graph, start));
    const Pace pace = paceOf(options.effort);
    Search search(compact, budget, options.seed * 1000117 + 8 * at + number,
                  pace.patience);
    search.offer(sequenceOf(compact, start), {});
    double times = compact.opCount() < kManyOps ? how.times : 1;
    search.improve(uint64_t(pace.replacing * times *
                            double(searchIterations(compact, options.work))),
                   0, {});
    if (!search.hasSolution())
      return std::nullopt;
    Solution solution;
    solution.executions = executionsOf(graph, compact, search.solution());
    solution.milliseconds = costOf(graph, solution.executions);
    solution.maxLive = search.peak();
    solution.solver = points[at].solution.solver;
    if (solution.milliseconds <= leastCost || solution.milliseconds >= mostCost)
      return std::nullopt;
    std::optional<Plan> plan =
        makePlanWithin(graph, solution.executions, budget, options.effort);
    if (!plan)
      return std::nullopt;
    return PlacedPoint{std::move(solution), std::move(*plan)};
  }

  const Graph &graph;
  const std::vector<FrontierPoint> &points;
  const size_t at;
  const SolverOptions &options;
  const uint64_t budget;
  double leastCost = 0, mostCost = std::numeric_limits<double>::infinity();
};

} // namespace

PlacedPoint placePoint(const Graph &graph,
                       const std::vector<FrontierPoint> &points, size_t at,
                       const SolverOptions &options) {
  return PointPlacer(graph, points, at, options).run();
}

} // namespace reprise::plan
