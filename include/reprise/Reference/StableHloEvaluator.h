//===- StableHloEvaluator.h - The value of a function of StableHLO --------===//
//
// The oracle of the tests: runs the subset op by op and rounds every result to
// its element type. Sums run in double precision, in a fixed order.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_REFERENCE_STABLEHLOEVALUATOR_H
#define REPRISE_REFERENCE_STABLEHLOEVALUATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/Reference/Tensor.h"

namespace reprise::reference {

/// Runs a function on `arguments`. Fails with an error at an op that is not
/// evaluated, or whose operands do not fit. A call of `check.expect_eq`,
/// `check.expect_close` or `check.expect_almost_eq` compares its operands, and
/// fails where they differ.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluateStableHlo(mlir::func::FuncOp function,
                  llvm::ArrayRef<Tensor> arguments);

} // namespace reprise::reference

#endif // REPRISE_REFERENCE_STABLEHLOEVALUATOR_H
