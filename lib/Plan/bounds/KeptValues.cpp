//===- KeptValues.cpp - The fewest bytes between two passes ---------------===//
//
// Input:   values with their bytes, and how they may be recomputed.
// Output:  the values to keep.
// Method:  maximum flow from the later reads back to the values that can't be
//          recomputed. Values on the reads' side of the minimum cut are
//          recomputed; the values on the cut are kept.
// Cost:    Dinic's; nearly linear for the graphs of networks.
// Fails:   never.
//
//===----------------------------------------------------------------------===//
#include "reprise/Plan/KeptValues.h"
#include "MaxFlow.h"

namespace reprise::plan {

std::vector<bool> chooseKeptValues(const std::vector<PassedValue> &values) {
  uint32_t count = values.size(), reads = 2 * count, roots = reads + 1;
  MaxFlow flow(2 * count + 2);
  // Node 2v + 1 represents reading value v, 2v computing it.
  for (uint32_t v = 0; v < count; ++v) {
    const PassedValue &value = values[v];
    if (value.isReadLater)
      flow.addArc(reads, 2 * v + 1, MaxFlow::kInfinite);
    flow.addArc(2 * v + 1, 2 * v, Wide(value.bytes));
    if (!value.canRecompute) {
      flow.addArc(2 * v, roots, MaxFlow::kInfinite);
      continue;
    }
    for (uint32_t operand : value.operands)
      flow.addArc(2 * v, 2 * operand + 1, MaxFlow::kInfinite);
  }
  flow.run(reads, roots);
  std::vector<bool> kept(count);
  for (uint32_t v = 0; v < count; ++v)
    kept[v] = flow.isOnSourceSide(2 * v + 1) && !flow.isOnSourceSide(2 * v);
  return kept;
}

} // namespace reprise::plan
