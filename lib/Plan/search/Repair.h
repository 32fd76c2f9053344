//===- Repair.h - Make a sequence fit, and drop what it needn't -*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_REPAIR_H
#define REPRISE_LIB_PLAN_REPAIR_H

#include "../graph/Simulator.h"

#include <random>

namespace reprise::plan {

/// The treatment of an input that is missing when a clone needs it.
enum class MissingInput { Recompute, Extend, RecomputeOverOverflow };

/// The place of a recomputation: before the reader, or as soon as the overflow
/// is over, while its operands are still live.
enum class ClonePlace { AtReader, BehindOverflow, Either };

struct RepairOptions {
  MissingInput missing = MissingInput::RecomputeOverOverflow;
  double alpha = 1; // weight of a clone's cost against what it frees
  double noise = 0; // deviation of the score's logarithm
  ClonePlace place = ClonePlace::AtReader;
};

/// Ends lives early and recomputes values before their readers, as long as that
/// reduces the overflow. Returns true if the sequence then fits. The simulator
/// is settled and indexed before and after.
bool repair(Simulator &simulator, const RepairOptions &options,
            std::mt19937_64 &random);

/// Executes the producer of `storage` again before `step`, which reads it.
/// Returns false if that is impossible.
bool insertClone(Simulator &simulator, StorageId storage, uint32_t step,
                 MissingInput missing);

/// Removes clones, dearest first, if the longer lives of the previous instances
/// fit as well. The sequence must fit.
void prune(Simulator &simulator);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_REPAIR_H
