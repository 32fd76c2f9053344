//===- Seeds.h - Sequences that a search starts from ------------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_SEEDS_H
#define REPRISE_LIB_PLAN_SEEDS_H

#include "../graph/Simulator.h"

namespace reprise::plan {

struct EvictionOptions {
  double distancePower = 1; // of the steps until a storage is needed again
  double costPower = 1;     // of what it takes to compute it again
};

/// Runs the ops in order within `budget` bytes. What is missing is computed
/// again, and where bytes are short, storages are given up by
/// bytes * distance^a / cost^b. May exceed the budget where nothing is left to
/// give up. Empty when something given up turned out to be lost for good, or at
/// 20,000 steps and four times the ops: what computes so much again is of no
/// use.
Sequence evict(const CompactGraph &graph, int64_t budget,
               const EvictionOptions &options);

/// Runs the ops in order; what is not `resident` when op `cut` has run is
/// computed again where an op behind the cut needs it. Empty as above.
Sequence recomputeBehind(const CompactGraph &graph, Rank cut,
                         const std::vector<bool> &resident);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_SEEDS_H
