//===- Repair.h - Make a sequence fit, and drop what it needn't -*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_REPAIR_H
#define REPRISE_LIB_PLAN_REPAIR_H

#include "../graph/Simulator.h"

#include <random>

namespace reprise::plan {

/// What to do about an input that is gone when a clone needs it.
enum class MissingInput { Recompute, Extend, RecomputeOverOverflow };

/// Where a value is computed again: in front of what reads it, or as soon as
/// the overflow is over, while what it is made from is still there.
enum class ClonePlace { AtReader, BehindOverflow, Either };

struct RepairOptions {
  MissingInput missing = MissingInput::RecomputeOverOverflow;
  double alpha = 1; // weight of a clone's cost against what it frees
  double noise = 0; // deviation of the score's logarithm
  ClonePlace place = ClonePlace::AtReader;
};

/// Ends lives early and computes values again where they are read, as long as
/// that reduces the overflow. Returns whether the sequence fits now. The
/// simulator is settled and indexed before and after.
bool repair(Simulator &simulator, const RepairOptions &options,
            std::mt19937_64 &random);

/// Executes the producer of `storage` again in front of `step`, which reads
/// it. Returns false when that is impossible.
bool insertClone(Simulator &simulator, StorageId storage, uint32_t step,
                 MissingInput missing);

/// Leaves out clones, dearest first, where the longer life of what they make
/// fits as well. The sequence must fit.
void prune(Simulator &simulator);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_REPAIR_H
