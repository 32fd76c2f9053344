//===- StageOptions.h - The values that a stage may keep --------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_STAGEOPTIONS_H
#define REPRISE_LIB_PLAN_STAGEOPTIONS_H

#include "../baselines/Chain.h"

namespace reprise::plan {

/// One choice of the values that a stage keeps between its forward and its
/// backward part, measured by simulating the stage alone. Bytes are without the
/// stage's input.
struct StageOption {
  std::vector<ValueId> kept; // storages
  uint64_t keptBytes = 0;    // and of values that cross to the next stage
  uint64_t forwardPeak = 0;
  uint64_t backwardPeak = 0;      // with kept values and the gradients it reads
  double forwardMilliseconds = 0; // to recompute values that cross or are kept
  double backwardMilliseconds = 0; // including recomputation inside
};

struct StageCosts {
  std::vector<StageOption> options; // the first keeps everything
  /// The peak of running the forward part only for the values that cross.
  uint64_t passPeak = 0;
  double passMilliseconds = 0;
  uint64_t crossingBytes = 0; // after the stage
  /// Computed by the backward pass of later stages and read from this stage's
  /// on.
  uint64_t heldBytes = 0;
  /// The part of it that this stage's backward part doesn't read.
  uint64_t untouchedBytes = 0;
};

/// Measures every stage. `small` marks storages (by root) that are always kept.
std::vector<StageCosts> measureStages(const DemandTables &tables,
                                      const Chain &chain,
                                      const std::vector<bool> &small);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_STAGEOPTIONS_H
