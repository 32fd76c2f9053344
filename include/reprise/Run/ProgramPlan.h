//===- ProgramPlan.h - Settings of runs with several programs ---*- C++ -*-===//
#ifndef REPRISE_RUN_PROGRAMPLAN_H
#define REPRISE_RUN_PROGRAMPLAN_H

#include "reprise/Driver/ModelRequest.h"
#include "reprise/Runtime/Trainer/Programs.h"
#include <vector>

namespace reprise::driver {

/// Epochs that are trained in one checkpointing mode, or within one budget.
struct EpochPhase {
  uint64_t first = 0; // counted from 0
  ProgramMode mode;
};

/// The given settings of a run's programs.
struct ProgramPlan {
  /// Phases in order, the first of them from epoch 0 on.
  std::vector<EpochPhase> phases = {{}};
  /// The mode used in place of one whose program does not fit the memory; the
  /// own: none.
  ProgramMode onOutOfMemory;
  /// Buckets; their batch is 0 if only sizes are given.
  std::vector<rt::Bucket> buckets;
  bool skipsLarge = false;

  bool isPlain() const {
    return phases.size() == 1 && phases.front().mode.isOwn() &&
           onOutOfMemory.isOwn() && buckets.empty();
  }
};

} // namespace reprise::driver

#endif // REPRISE_RUN_PROGRAMPLAN_H
