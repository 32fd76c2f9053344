//===- FinishStep.h - What follows the backward pass ------------*- C++ -*-===//
//
// From gradients to the end of a step: what is said of them as results,
// clipping, and the optimizer's updates.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_TRAIN_FINISHSTEP_H
#define REPRISE_PASSES_TRAIN_FINISHSTEP_H

#include "ApplyOptimizer.h"
#include "reprise/Analysis/TrainingNote.h"

namespace reprise::sg {

/// How a pass's options say it.
struct StepEndOptions {
  std::string optimizer;
  llvm::ArrayRef<std::string> hyperparameters; // NAME=VALUE
  llvm::ArrayRef<std::string> noWeightDecay;   // globs of parameters
  Clipping clipping;
  bool emitNonFinite = false, emitGradients = false;
  bool lossScaling = false;
};

struct StepEnd {
  const Optimizer *optimizer = nullptr;
  HyperparameterValues values; // complete
  llvm::StringSet<> undecayed; // parameters without weight decay
  Clipping clipping;
  bool emitNonFinite = false, emitGradients = false;
  /// Whether the gradients are of a loss that was scaled; see LossScaling.h.
  bool lossScaling = false;
};

/// Fails with an error at `module` where the options make no sense.
mlir::FailureOr<StepEnd> readStepEnd(mlir::ModuleOp module,
                                     const StepEndOptions &options);

/// Fails where the step's end would write, declare or return what the model
/// does already.
mlir::LogicalResult checkStepEnd(mlir::func::FuncOp function,
                                 mlir::SymbolTable &symbols,
                                 const StepEnd &end);

/// Adds results and updates in front of the function's return.
void finishStep(mlir::func::FuncOp function,
                llvm::ArrayRef<ParameterGradient> gradients,
                mlir::SymbolTable &symbols, const StepEnd &end);

/// The number of the result that is the loss: the one bound as such, or the
/// first where none is.
unsigned findLoss(mlir::func::FuncOp function);

/// Says what a result is for.
void setBinding(mlir::func::FuncOp function, unsigned index, BindingRole role);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_FINISHSTEP_H
