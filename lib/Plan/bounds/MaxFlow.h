//===- MaxFlow.h - Integer maximum flow -------------------------*- C++ -*-===//
//
// Source: E. A. Dinic, "Algorithm for solution of a problem of maximum flow in
// networks with power estimation", Soviet Math. Doklady 11 (1970).
//
// Capacities have 128 bits: costs times units of bytes don't fit 64.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_MAXFLOW_H
#define REPRISE_LIB_PLAN_MAXFLOW_H

#include "../graph/Wide.h"

#include <cstdint>
#include <vector>

namespace reprise::plan {

class MaxFlow {
public:
  /// Above every sum of finite capacities, see CutModel.h.
  static constexpr Wide kInfinite = Wide(1) << 125;

  explicit MaxFlow(uint32_t nodes) : heads(nodes, kNoArc) {}

  /// `capacity` of the arc, whose number comes back; the way back has none.
  uint32_t addArc(uint32_t from, uint32_t to, Wide capacity);

  /// Forgets all flow and gives an arc another capacity.
  void setCapacity(uint32_t arc, Wide capacity) {
    capacities[arc / 2] = capacity;
  }

  /// The flow, from no flow at all. Capacities must not sum up to kInfinite
  /// along finite cuts.
  Wide run(uint32_t source, uint32_t sink);

  /// After run: whether `node` is on the source's side of the smallest minimum
  /// cut.
  bool isOnSourceSide(uint32_t node) const { return level[node] != kNoArc; }

private:
  static constexpr uint32_t kNoArc = UINT32_MAX;
  struct Arc {
    uint32_t to, next;
    Wide left;
  };

  bool findLevels(uint32_t source, uint32_t sink);
  Wide augment(uint32_t source, uint32_t sink);

  std::vector<uint32_t> heads; // by node: its newest arc
  std::vector<Arc> arcs;       // 2k and 2k + 1 are each other's way back
  std::vector<Wide> capacities;
  std::vector<uint32_t> level, current, queue, path;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_MAXFLOW_H
