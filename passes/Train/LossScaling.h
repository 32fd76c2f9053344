//===- LossScaling.h - Gradients that f16 can hold --------------*- C++ -*-===//
//
// Dynamic loss scaling (Micikevicius et al. 2018, arXiv 1710.03740) with the
// numbers of PyTorch's GradScaler: the loss's cotangent is a variable, 65536 at
// first. A step with a gradient that is not finite changes no parameter and no
// optimizer's variable, and halves the scale; 2,000 others in a row double it.
// It stays between 2^-14 and 2^24.
// The scale is a power of two, so that dividing by it rounds nothing.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_TRAIN_LOSSSCALING_H
#define REPRISE_PASSES_TRAIN_LOSSSCALING_H

#include "ApplyOptimizer.h"

namespace reprise::sg {

/// Fails where something else has the name of one of the variables.
mlir::LogicalResult checkLossScaling(mlir::SymbolTable &symbols);

/// Declares the variables, where they are not yet.
void declareLossScale(mlir::SymbolTable &symbols);

/// The scale when the step began, a scalar of f32.
mlir::Value readLossScale(mlir::OpBuilder &builder, mlir::Location loc);

/// Emits the gradients divided by the scale, in front of the return.
llvm::SmallVector<ParameterGradient>
unscale(mlir::func::FuncOp function,
        llvm::ArrayRef<ParameterGradient> gradients);

/// Makes the writes after `last` (null: all) keep old values where `isBad`, a
/// scalar of i1, is set.
void keepWhere(mlir::Value isBad, mlir::func::FuncOp function,
               mlir::Operation *last);

/// Does the same and writes the next scale.
void skipWhere(mlir::Value isBad, mlir::func::FuncOp function,
               mlir::Operation *last);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_LOSSSCALING_H
