//===- StageOptions.h - What a stage of a chain may keep --------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_STAGEOPTIONS_H
#define REPRISE_LIB_PLAN_STAGEOPTIONS_H

#include "../baselines/Chain.h"

namespace reprise::plan {

/// One choice of what a stage keeps inside between its forward and its
/// backward part, measured by simulating the stage alone. Bytes are without
/// the stage's input.
struct StageOption {
  std::vector<ValueId> kept; // storages
  uint64_t keptBytes = 0;    // and what crosses to the next stage
  uint64_t forwardPeak = 0;
  uint64_t backwardPeak = 0; // with what is kept and the gradients it reads
  double forwardMilliseconds = 0;  // to make what crosses and is kept, again
  double backwardMilliseconds = 0; // with what is computed again inside
};

struct StageCosts {
  std::vector<StageOption> options; // the first keeps everything
  /// Running the forward part for what crosses alone.
  uint64_t passPeak = 0;
  double passMilliseconds = 0;
  uint64_t crossingBytes = 0; // behind the stage
  /// Made by the backward pass of later stages and read from this stage's on.
  uint64_t heldBytes = 0;
  /// The part of it that this stage's backward part doesn't read.
  uint64_t untouchedBytes = 0;
};

/// By stage. `small` marks storages (by root) that are always kept.
std::vector<StageCosts> measureStages(const DemandTables &tables,
                                      const Chain &chain,
                                      const std::vector<bool> &small);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_STAGEOPTIONS_H
