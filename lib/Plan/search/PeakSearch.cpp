//===- PeakSearch.cpp - Moves buffers away from the peak ------------------===//
//
// Input:   a valid order.
// Output:  a valid order with at most its max-live.
// Method:  hill climbing. A buffer that is live at the peak leaves it in one of
//          three ways: the op that defines it moves after the peak, with
//          everything in between that needs it; or all its later readers move
//          before the peak, with everything in between that they need; or the
//          op at the peak moves after them, with or without the ops that only
//          it needs. Largest buffers first; the first move that helps is taken.
//          Among orders with equal max-live, fewer steps at it are better, so
//          that several equal peaks can be removed one by one.
// Cost:    a simulation a move, bounded by counted ops.
//
//   step       p                    step          p
//   x     #####|#####   x defined   y       ######|###    y's readers run
//   x'         |#####   after p     y'      ######|       before p
//
//===----------------------------------------------------------------------===//
#include "../graph/OrderStrategies.h"

#include <algorithm>
#include <numeric>

namespace reprise::plan {

namespace {

class PeakSearch {
public:
  PeakSearch(const OrderProblem &problem, std::vector<OpId> start)
      : problem(problem), order(std::move(start)) {}

  std::vector<OpId> run() {
    if (order.empty())
      return order;
    assess(order, liveness);
    while (step() && simulatedOps < maxSimulatedOps)
      continue;
    return order;
  }

private:
  static constexpr uint64_t maxSimulatedOps = 2000000;
  static constexpr uint32_t triedBuffers = 24; // a step

  void assess(const std::vector<OpId> &candidate, Liveness &result) {
    simulatedOps += candidate.size();
    result = computeLiveness(problem.graph, {candidate});
  }

  static std::pair<uint64_t, int64_t> scoreOf(const Liveness &at) {
    return {at.maxLive,
            std::count(at.liveBytes.begin(), at.liveBytes.end(), at.maxLive)};
  }

  /// Takes one move that helps; returns false if there is none.
  bool step() {
    position.resize(order.size());
    for (uint32_t at = 0; at < order.size(); ++at)
      position[order[at]] = at;
    const std::vector<OpId> alone = {order[liveness.peakStep]};
    const std::vector<OpId> needed = neededByPeak();
    for (uint32_t id : findBuffersAtPeak()) {
      const Buffer &buffer = liveness.buffers[id];
      for (std::vector<OpId> candidate :
           {defineLater(buffer), readEarlier(buffer), runLater(buffer, needed),
            needed == alone ? std::vector<OpId>() : runLater(buffer, alone)}) {
        if (candidate.empty())
          continue;
        Liveness result;
        assess(candidate, result);
        if (scoreOf(result) < scoreOf(liveness)) {
          order = std::move(candidate);
          liveness = std::move(result);
          return true;
        }
        if (simulatedOps >= maxSimulatedOps)
          return false;
      }
    }
    return false;
  }

  std::vector<uint32_t> findBuffersAtPeak() const {
    std::vector<uint32_t> result;
    for (uint32_t id = 0; id < liveness.buffers.size(); ++id) {
      const Buffer &buffer = liveness.buffers[id];
      if (!buffer.values.empty() && buffer.firstStep <= liveness.peakStep &&
          liveness.peakStep <= buffer.lastStep)
        result.push_back(id);
    }
    std::stable_sort(result.begin(), result.end(), [&](uint32_t a, uint32_t b) {
      return liveness.buffers[a].bytes > liveness.buffers[b].bytes;
    });
    result.resize(std::min<size_t>(result.size(), triedBuffers));
    return result;
  }

  /// Marks `seeds` and the ops reached from them along `edges` between the two
  /// positions.
  std::vector<bool> reach(std::vector<OpId> seeds,
                          const std::vector<std::vector<OpId>> &edges,
                          uint32_t from, uint32_t to) const {
    std::vector<bool> marked(order.size(), false);
    while (!seeds.empty()) {
      OpId op = seeds.back();
      seeds.pop_back();
      if (marked[op] || position[op] < from || position[op] > to)
        continue;
      marked[op] = true;
      seeds.insert(seeds.end(), edges[op].begin(), edges[op].end());
    }
    return marked;
  }

  /// Returns the order with the marked ops of [from, to] before or after the
  /// others.
  std::vector<OpId> regroup(const std::vector<bool> &marked, uint32_t from,
                            uint32_t to, bool markedFirst) const {
    std::vector<OpId> result = order;
    std::stable_partition(result.begin() + from, result.begin() + to + 1,
                          [&](OpId op) { return marked[op] == markedFirst; });
    return result;
  }

  std::vector<OpId> defineLater(const Buffer &buffer) const {
    uint32_t peak = liveness.peakStep, from = buffer.firstStep;
    if (from >= peak || isInput(buffer))
      return {};
    std::vector<bool> marked =
        reach({order[from]}, problem.dependences.behind, from, peak);
    if (marked[order[peak]])
      return {};
    return regroup(marked, from, peak, /*markedFirst=*/false);
  }

  bool isInput(const Buffer &buffer) const {
    return problem.graph.values[buffer.values.front()].storage ==
           StorageClass::Input;
  }

  std::vector<OpId> readEarlier(const Buffer &buffer) const {
    uint32_t peak = liveness.peakStep, to = buffer.lastStep;
    if (to <= peak)
      return {};
    std::vector<OpId> readers;
    for (ValueId value : buffer.values)
      for (OpId user : problem.storages.users[value])
        if (position[user] > peak)
          readers.push_back(user);
    if (readers.empty())
      return {};
    std::vector<bool> marked =
        reach(readers, problem.dependences.before, peak, to);
    if (marked[order[peak]])
      return {};
    return regroup(marked, peak, to, /*markedFirst=*/true);
  }

  /// Returns the op at the peak, and ops that only ops of the result need, last
  /// first.
  std::vector<OpId> neededByPeak() const {
    std::vector<OpId> result = {order[liveness.peakStep]};
    std::vector<bool> isNeeded(order.size(), false);
    isNeeded[result.front()] = true;
    for (uint32_t at = liveness.peakStep; at-- > 0;) {
      const std::vector<OpId> &behind = problem.dependences.behind[order[at]];
      if (behind.empty() || !std::all_of(behind.begin(), behind.end(),
                                         [&](OpId op) { return isNeeded[op]; }))
        continue;
      isNeeded[order[at]] = true;
      result.push_back(order[at]);
    }
    return result;
  }

  /// Returns the order with `moved` (the op at the peak and others before it,
  /// the first last) after the last reader of `buffer`.
  std::vector<OpId> runLater(const Buffer &buffer,
                             const std::vector<OpId> &moved) const {
    uint32_t peak = liveness.peakStep, to = buffer.lastStep;
    if (to <= peak || to >= order.size())
      return {};
    uint32_t from = position[moved.back()];
    std::vector<bool> marked =
        reach({order[peak]}, problem.dependences.behind, peak, to);
    if (marked[order[to]])
      return {};
    for (OpId op : moved)
      marked[op] = true;
    return regroup(marked, from, to, /*markedFirst=*/false);
  }

  const OrderProblem &problem;
  std::vector<OpId> order;
  Liveness liveness;
  std::vector<uint32_t> position; // by OpId
  uint64_t simulatedOps = 0;
};

} // namespace

std::vector<OpId> movePeakBuffers(const OrderProblem &problem,
                                  std::vector<OpId> start) {
  return PeakSearch(problem, std::move(start)).run();
}

} // namespace reprise::plan
