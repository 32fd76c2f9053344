//===- ExpandTraining.h - Model-level ops in training -----------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_EXPANDTRAINING_H
#define REPRISE_PASSES_TRAIN_EXPANDTRAINING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace reprise::sg {

/// Fails where a batch normalization has one value per channel: its result is
/// the offset whatever the input is, and every gradient before it is zero.
/// PyTorch rejects this too.
mlir::LogicalResult checkNormalizations(mlir::func::FuncOp function);

/// Replaces sg.batch_norm by sg.batch_norm_training and the writes of its
/// running statistics.
void expandTraining(mlir::func::FuncOp function, unsigned ranks);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_EXPANDTRAINING_H
