//===- Segments.h - Where the forward pass can be cut -----------*- C++ -*-===//
//
// A cut is a place in the forward pass where one storage carries (nearly) all
// that later ops of the forward pass read: what comes before can be computed
// again without what comes after, and the other way round.
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

/// The cuts in order; no carrier twice. Inputs of the step and fixed values
/// are always there and don't count.
std::vector<Cut> findCuts(const DemandTables &tables);

/// Bytes that the forward pass has made up to a rank, included.
std::vector<uint64_t> sumForwardBytes(const DemandTables &tables);

/// What is kept (by value) when these cuts bound segments: what crosses them,
/// and all of the last segment, which the backward pass needs at once.
std::vector<bool> keepCuts(const DemandTables &tables,
                           const std::vector<Cut> &cuts);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_SEGMENTS_H
