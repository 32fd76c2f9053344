//===- Segments.h - Cuts of the forward pass --------------------*- C++ -*-===//
//
// A cut is a place in the forward pass where one storage has (nearly) all the
// bytes that later ops of the forward pass read: the ops on either side can be
// recomputed without those on the other.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_SEGMENTS_H
#define REPRISE_LIB_PLAN_SEGMENTS_H

#include "../search/OnDemand.h"

namespace reprise::plan {

struct Cut {
  uint32_t after = 0;            // rank in the order of the op before it
  ValueId carrier = kNone;       // the largest storage that crosses
  std::vector<ValueId> crossing; // all of them, the carrier included
};

/// Returns the cuts in order; no carrier occurs twice. Inputs of the step and
/// fixed values are always available and don't count.
std::vector<Cut> findCuts(const DemandTables &tables);

/// Returns the bytes computed by the forward pass up to and including each
/// rank.
std::vector<uint64_t> sumForwardBytes(const DemandTables &tables);

/// Returns the kept values (by value) if these cuts bound segments: those that
/// cross the cuts, and all of the last segment, which the backward pass needs
/// immediately.
std::vector<bool> keepCuts(const DemandTables &tables,
                           const std::vector<Cut> &cuts);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_SEGMENTS_H
