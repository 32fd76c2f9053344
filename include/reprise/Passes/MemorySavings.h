//===- MemorySavings.h - What checkpointing saves ---------------*- C++ -*-===//
#ifndef REPRISE_PASSES_MEMORYSAVINGS_H
#define REPRISE_PASSES_MEMORYSAVINGS_H

#include "reprise/Passes/Pipelines.h"

namespace reprise {

/// What a training step takes, as it is planned: no kernel is compiled and
/// nothing is run.
struct StepEstimate {
  uint64_t fixedBytes = 0; // variables and constants
  uint64_t peakBytes = 0;  // fixed included; known to the byte
  double milliseconds = 0; // by the rates or the profile of the options
};

/// Of the entry "train_step" of a program; zeros without one.
StepEstimate estimateStep(rt_dialect::ProgramOp program);

struct MemorySavings {
  StepEstimate without, with; // without recomputation, and with it

  /// Below zero where recomputation takes more.
  int64_t savedBytes() const {
    return int64_t(without.peakBytes) - int64_t(with.peakBytes);
  }
  /// Of the peak without recomputation; 1 is all of it.
  double savedShare() const;
  /// Time that is added, of the step without recomputation; 0 is none.
  double addedTime() const;
};

/// What the mode `options.checkpointing`, or `options.budget`, saves of the
/// training step of a model, as mode "none" without a budget takes it. `model`
/// stays as it is. Fails with an error at the op where either cannot be
/// compiled, or the budget cannot be met.
mlir::FailureOr<MemorySavings>
estimateMemorySavings(mlir::ModuleOp model, const CompileOptions &options);

} // namespace reprise

#endif // REPRISE_PASSES_MEMORYSAVINGS_H
