//===- ApplyOptimizer.h - The optimizer's writes ----------------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_APPLYOPTIMIZER_H
#define REPRISE_PASSES_TRAIN_APPLYOPTIMIZER_H

#include "Optimizers/Optimizer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace reprise::sg {

/// Fails where the optimizer would write what the model writes, or where one of
/// its variables has the name of something else.
mlir::LogicalResult checkOptimizer(mlir::func::FuncOp function,
                                   mlir::SymbolTable &symbols,
                                   const Optimizer &optimizer,
                                   const HyperparameterValues &values);

/// Adds the learning rate's argument, where the function has none, and the
/// updates of the parameters of `backward`. `values` are complete.
void emitUpdates(mlir::func::FuncOp function, BackwardOp backward,
                 mlir::SymbolTable &symbols, const Optimizer &optimizer,
                 const HyperparameterValues &values);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_APPLYOPTIMIZER_H
