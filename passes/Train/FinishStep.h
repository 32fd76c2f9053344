//===- FinishStep.h - The ops after the backward pass -----------*- C++ -*-===//
//
// From gradients to the end of a step: results about them, clipping, and the
// optimizer's updates.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_TRAIN_FINISHSTEP_H
#define REPRISE_PASSES_TRAIN_FINISHSTEP_H

#include "ApplyOptimizer.h"
#include "reprise/Analysis/TrainingNote.h"

namespace reprise::sg {

/// The trainer counts the skipped steps by this name (SkippedSteps.h).
inline constexpr llvm::StringLiteral kSkippedStep = "loss_scale.skipped";

/// A step's end in the form of a pass's options.
struct StepEndOptions {
  std::string optimizer;
  llvm::ArrayRef<std::string> hyperparameters; // NAME=VALUE
  llvm::ArrayRef<std::string> noWeightDecay;   // globs of parameters
  std::string clipMode;
  double clipNorm, clipTolerance, clipMomentum;
  std::string clipNormType;
  bool emitNonFinite = false, emitGradients = false;
  bool lossScaling = false;
};

struct StepEnd {
  const Optimizer *optimizer = nullptr;
  HyperparameterValues values; // complete
  llvm::StringSet<> undecayed; // parameters without weight decay
  Clipping clipping;
  bool emitNonFinite = false, emitGradients = false;
  /// True if the gradients are of a scaled loss; see LossScaling.h.
  bool lossScaling = false;
};

/// Fails with an error at `module` if the options are invalid.
mlir::FailureOr<StepEnd> readStepEnd(mlir::ModuleOp module,
                                     const StepEndOptions &options);

/// Fails if the step's end would write, declare or return something that the
/// model already does.
mlir::LogicalResult checkStepEnd(mlir::func::FuncOp function,
                                 mlir::SymbolTable &symbols,
                                 const StepEnd &end);

/// Adds results and updates before the function's return.
void finishStep(mlir::func::FuncOp function,
                llvm::ArrayRef<ParameterGradient> gradients,
                mlir::SymbolTable &symbols, const StepEnd &end);

/// Returns the number of the loss among the results: the one bound as the loss,
/// or the first if none is.
unsigned findLoss(mlir::func::FuncOp function);

/// Sets the role of a result.
void setBinding(mlir::func::FuncOp function, unsigned index, BindingRole role);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_FINISHSTEP_H
