//===- ApplyOptimizer.h - The optimizer's writes ----------------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_APPLYOPTIMIZER_H
#define REPRISE_PASSES_TRAIN_APPLYOPTIMIZER_H

#include "Optimizers/Optimizer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace reprise::sg {

struct ParameterGradient {
  mlir::FlatSymbolRefAttr parameter;
  mlir::Value gradient;
};

/// Fails where the optimizer would write a variable that the model writes, or
/// where one of its variables has the name of something else.
mlir::LogicalResult checkOptimizer(mlir::func::FuncOp function,
                                   mlir::SymbolTable &symbols,
                                   const Optimizer &optimizer,
                                   const HyperparameterValues &values);

/// Adds the learning rate's argument, where the function has none, and the
/// updates of the parameters. The gradients are multiplied by `scale`, a
/// scalar, where it is not null. `values` are complete; the weights of
/// `undecayed`, names of parameters, do not decay.
void emitUpdates(mlir::func::FuncOp function,
                 llvm::ArrayRef<ParameterGradient> gradients, mlir::Value scale,
                 mlir::SymbolTable &symbols, const Optimizer &optimizer,
                 const HyperparameterValues &values,
                 const llvm::StringSet<> &undecayed);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_APPLYOPTIMIZER_H
