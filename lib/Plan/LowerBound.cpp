//===- LowerBound.cpp - Proofs about every schedule -----------------------===//
//
// Input:   a graph, a budget.
// Output:  see lowerBound and lowestBytes in Recompute.h.
// Method:  BoundSearch on the graph in program order; cuts use only what every
//          order has in common, so that the order does not matter.
// Cost:    some dozens of relaxations.
//
//===----------------------------------------------------------------------===//
#include "BoundSearch.h"
#include "LeastBytes.h"
#include "reprise/Plan/Fault.h"

#include <algorithm>
#include <numeric>

namespace reprise::plan {

static CompactGraph inProgramOrder(const Graph &graph) {
  std::vector<OpId> order(graph.ops.size());
  std::iota(order.begin(), order.end(), 0);
  return makeCompact(graph, order);
}

static std::vector<ValueId> valuesOf(const CompactGraph &graph,
                                     const std::vector<StorageId> &storages) {
  std::vector<ValueId> values;
  for (StorageId id : storages)
    values.push_back(graph.valueOf[id]);
  return values;
}

LowerBound lowerBound(const Graph &graph, uint64_t budgetBytes, double work) {
  LowerBound result;
  CompactGraph compact = inProgramOrder(graph);
  result.milliseconds = compact.totalCost() / CompactGraph::kPerMillisecond;
  if (compact.opCount() == 0)
    return result;
  Precedence precedence = findPrecedence(graph, compact);
  int64_t budget = std::min<uint64_t>(budgetBytes, INT64_MAX / 4);
  LeastBytes least = findLeastBytes(compact, precedence);
  if (least.bytes > budget) {
    result.feasible = false;
    result.cut = compact.opOf[least.cut];
    result.pinned = valuesOf(compact, least.pinned);
    return result;
  }
  BoundSearch search(compact, precedence);
  uint32_t tries = std::clamp(160 * work, 16.0, 4096.0);
  BoundSearch::Result best = search.find(budget, tries);
  best.answer = search.prove(best, budget, std::clamp(work, 0.1, 10.0));
  result.feasible = best.answer.feasible;
  result.milliseconds =
      (compact.totalCost() + best.answer.extra +
       (REPRISE_FAULT("bound-a-percent-too-large") ? best.answer.extra / 100
                                                   : 0)) /
      CompactGraph::kPerMillisecond;
  result.cut = compact.opOf[best.cut];
  result.millisecondsPerMiB =
      best.answer.multiplier * (1 << 20) / CompactGraph::kPerMillisecond;
  result.pinned = valuesOf(compact, search.at(best.cut).pinned());
  return result;
}

ByteBound lowestBytes(const Graph &graph) {
  CompactGraph compact = inProgramOrder(graph);
  Precedence precedence = findPrecedence(graph, compact);
  LeastBytes least = findLeastBytes(compact, precedence);
  if (least.cut == kNone)
    return {};
  if (REPRISE_FAULT("lowest-bytes-too-large"))
    least.bytes += kAlignment;
  return {static_cast<uint64_t>(least.bytes), compact.opOf[least.cut],
          valuesOf(compact, least.pinned)};
}

} // namespace reprise::plan
