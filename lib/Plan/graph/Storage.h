//===- Storage.h - Values that share bytes through views --------*- C++ -*-===//
//
// Input:   a well-formed graph.
// Output:  for each value the root of its chain of views, and for each root the
//          facts that every order of the graph shares: bytes, readers, whether
//          it outlives the step.
// Cost:    linear in the uses.
//
// In-place results are not merged here: they depend on the order.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_STORAGE_H
#define REPRISE_LIB_PLAN_STORAGE_H

#include "reprise/Plan/Graph.h"

namespace reprise::plan {

inline uint64_t alignUp(uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Indexed by ValueId; everything but rootOf is meaningful at roots only.
struct Storages {
  std::vector<ValueId> rootOf;
  std::vector<uint64_t> bytes;          // aligned; 0: fixed or empty
  std::vector<std::vector<OpId>> users; // distinct, by id: read it or view it
  std::vector<bool> toEnd;              // some member is an Output
};

Storages analyzeStorages(const Graph &graph);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_STORAGE_H
