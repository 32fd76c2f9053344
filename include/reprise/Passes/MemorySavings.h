//===- MemorySavings.h - The savings of checkpointing -----------*- C++ -*-===//
#ifndef REPRISE_PASSES_MEMORYSAVINGS_H
#define REPRISE_PASSES_MEMORYSAVINGS_H

#include "reprise/Passes/Pipelines.h"

namespace reprise {

/// The memory and time of a training step, as planned: no kernel is compiled
/// and nothing is run.
struct StepEstimate {
  uint64_t fixedBytes = 0; // variables and constants
  uint64_t peakBytes = 0;  // includes fixed bytes; exact to the byte
  double milliseconds = 0; // by the rates or the profile of the options
};

/// The estimate for the entry "train_step" of a program; zeros without one.
StepEstimate estimateStep(rt_dialect::ProgramOp program);

struct MemorySavings {
  StepEstimate without, with; // without recomputation, and with it

  /// Negative if recomputation takes more.
  int64_t savedBytes() const {
    return int64_t(without.peakBytes) - int64_t(with.peakBytes);
  }
  /// The saved share of the peak without recomputation; 1 is all of it.
  double savedShare() const;
  /// The added time, relative to the step without recomputation; 0 is none.
  double addedTime() const;
};

/// The memory that the mode `options.checkpointing`, or `options.budget`, saves
/// in the training step of a model, compared with mode "none" without a budget.
/// `model` is unchanged. Fails with an error at the op if either cannot be
/// compiled, or the budget cannot be met.
mlir::FailureOr<MemorySavings>
estimateMemorySavings(mlir::ModuleOp model, const CompileOptions &options);

} // namespace reprise

#endif // REPRISE_PASSES_MEMORYSAVINGS_H
