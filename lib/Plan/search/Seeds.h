//===- Seeds.h - Sequences that a search starts from ------------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_SEEDS_H
#define REPRISE_LIB_PLAN_SEEDS_H

#include "../graph/Simulator.h"

namespace reprise::plan {

struct EvictionOptions {
  double distancePower = 1; // of the steps until a storage is needed again
  double costPower = 1;     // of its cost of recomputation
};

/// Runs the ops in order within `budget` bytes. Missing values are recomputed,
/// and where bytes are short, storages are evicted by bytes * distance^a /
/// cost^b. May exceed the budget if nothing is left to evict. Returns an empty
/// sequence if an evicted value turns out to be lost for good, or at 20,000
/// steps and four times the ops: a sequence that recomputes so much is of no
/// use.
Sequence evict(const CompactGraph &graph, int64_t budget,
               const EvictionOptions &options);

/// Runs the ops in order; storages that are not `resident` when op `cut` has
/// run are recomputed where an op after the cut needs them. Empty as above.
Sequence recomputeBehind(const CompactGraph &graph, Rank cut,
                         const std::vector<bool> &resident);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_SEEDS_H
