//===- MaxFlow.h - Integer maximum flow -------------------------*- C++ -*-===//
//
// Source: E. A. Dinic, "Algorithm for solution of a problem of maximum flow in
// networks with power estimation", Soviet Math. Doklady 11 (1970). Reuse of the
// flow when capacities change: P. Kohli, P. Torr, "Dynamic graph cuts for
// efficient inference in Markov random fields", TPAMI 29 (2007).
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

  explicit MaxFlow(uint32_t nodes) : nodes(nodes) {}

  /// Adds an arc of `capacity` and returns its number; its reverse has capacity
  /// 0.
  uint32_t addArc(uint32_t from, uint32_t to, Wide capacity);

  /// Sets another capacity of an arc, for the next run.
  void setCapacity(uint32_t arc, Wide capacity) {
    given[arc].capacity = capacity;
  }

  /// Returns the maximum flow. Capacities must not sum up to kInfinite along
  /// finite cuts. A later run, between the same two nodes, starts with the flow
  /// of the previous one: cheap after small changes, and with the same result.
  Wide run(uint32_t source, uint32_t sink);

  /// After run: returns true if `node` is on the source's side of the smallest
  /// minimum cut.
  bool isOnSourceSide(uint32_t node) const { return level[node] != kNoArc; }

private:
  static constexpr uint32_t kNoArc = UINT32_MAX;

  struct Given {
    uint32_t from, to;
    Wide capacity;
    uint32_t inner; // number in the arrays by arc; none at source and sink
  };

  void build(uint32_t source, uint32_t sink);
  bool takeCapacities(uint32_t source, uint32_t sink);
  bool findLevels();
  void push(uint32_t from);
  bool advance(uint32_t &node);
  void augment(uint32_t from, uint32_t to);
  Wide cutCapacity(uint32_t source, uint32_t sink) const;

  const uint32_t nodes;
  std::vector<Given> given;
  bool isBuilt = false;

  // Arcs between nodes other than source and sink, and their reverse arcs, by
  // the node they leave.
  std::vector<uint32_t> starts; // by node, and the end
  std::vector<uint32_t> head;   // by arc
  std::vector<uint32_t> back;   // by arc: its reverse
  std::vector<Wide> left;       // by arc
  /// By node: the amount the source can still send there; negative: the amount
  /// the sink can still take from there.
  std::vector<Wide> surplus;
  std::vector<uint32_t> level, current, queue, path;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_MAXFLOW_H
