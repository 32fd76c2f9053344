//===- Derivative.h - Gradients by rules and by differences -----*- C++ -*-===//
#ifndef REPRISE_TEST_REFERENCE_DERIVATIVE_H
#define REPRISE_TEST_REFERENCE_DERIVATIVE_H

#include "Support.h"

namespace reprise::reference::testing {

/// Replaces every op of the function that `wanted` holds for, and then those
/// that come of it, by its decomposition.
llvm::LogicalResult
decomposeOps(mlir::func::FuncOp function,
             llvm::function_ref<bool(mlir::Operation *)> wanted);

/// Turns a straight-line function f(x...) -> y... into
/// f'(x..., r...) -> gradients of sum(y * r) for each floating-point x. Ops
/// without a vector-Jacobian product are decomposed before. Fails with a
/// diagnostic at an op that has neither.
llvm::LogicalResult differentiate(mlir::func::FuncOp function);

/// The same gradients of `function` at `arguments` by central differences.
llvm::SmallVector<Tensor> differences(mlir::func::FuncOp function,
                                      llvm::ArrayRef<Tensor> arguments,
                                      llvm::ArrayRef<Tensor> weights);

} // namespace reprise::reference::testing

#endif // REPRISE_TEST_REFERENCE_DERIVATIVE_H
