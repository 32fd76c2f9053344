//===- Segments.cpp - Cuts of the forward pass ----------------------------===//
//
// Input:   a graph and an order; the forward pass consists of the ops before
//          the first one marked `backward`.
// Output:  cuts in order.
// Method:  a walk that tracks the storages that later ops of the forward pass
//          still read. Where one of them has at least 95% of the bytes, the
//          rest (statistics, masks of a few bytes) is kept with it.
// Cost:    ops times live storages.
//
//===----------------------------------------------------------------------===//
#include "Segments.h"

#include <algorithm>

namespace reprise::plan {

/// By root: the last rank of the forward pass that reads it.
static std::vector<uint32_t> findLastReads(const DemandTables &tables) {
  std::vector<uint32_t> result(tables.graph.values.size(), 0);
  for (ValueId root = 0; root < result.size(); ++root)
    for (OpId user : tables.storages.users[root])
      if (uint32_t rank = tables.rankOf[user]; rank < tables.forwardOps)
        result[root] = std::max(result[root], rank);
  return result;
}

std::vector<Cut> findCuts(const DemandTables &tables) {
  const Storages &storages = tables.storages;
  std::vector<uint32_t> lastRead = findLastReads(tables);
  std::vector<bool> carries(lastRead.size(), false);
  std::vector<ValueId> live;
  std::vector<Cut> cuts;
  for (uint32_t rank = 0; rank + 1 < tables.forwardOps; ++rank) {
    for (ValueId id : tables.graph.ops[tables.order[rank]].outputs)
      if (storages.rootOf[id] == id && storages.bytes[id])
        live.push_back(id);
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&](ValueId id) { return lastRead[id] <= rank; }),
               live.end());
    uint64_t sum = 0;
    ValueId largest = kNone;
    for (ValueId id : live) {
      sum += storages.bytes[id];
      if (largest == kNone || storages.bytes[id] > storages.bytes[largest])
        largest = id;
    }
    if (largest == kNone || carries[largest] ||
        sum - storages.bytes[largest] > sum / 20)
      continue;
    carries[largest] = true;
    cuts.push_back({rank, largest, live});
  }
  return cuts;
}

std::vector<uint64_t> sumForwardBytes(const DemandTables &tables) {
  std::vector<uint64_t> result;
  uint64_t sum = 0;
  for (uint32_t rank = 0; rank < tables.forwardOps; ++rank) {
    for (ValueId id : tables.graph.ops[tables.order[rank]].outputs)
      sum += tables.storages.bytes[id];
    result.push_back(sum);
  }
  return result;
}

std::vector<bool> keepCuts(const DemandTables &tables,
                           const std::vector<Cut> &cuts) {
  std::vector<bool> kept(tables.graph.values.size(), false);
  for (const Cut &cut : cuts)
    for (ValueId id : cut.crossing)
      kept[id] = true;
  uint32_t rank = cuts.empty() ? 0 : cuts.back().after + 1;
  for (; rank < tables.forwardOps; ++rank)
    for (ValueId id : tables.graph.ops[tables.order[rank]].outputs)
      kept[id] = true;
  return kept;
}

} // namespace reprise::plan
