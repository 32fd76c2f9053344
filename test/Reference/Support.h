//===- Support.h - Parsing and filling for the tests ------------*- C++ -*-===//
#ifndef REPRISE_TEST_REFERENCE_SUPPORT_H
#define REPRISE_TEST_REFERENCE_SUPPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/IR/Sg.h"
#include "reprise/Reference/Evaluator.h"
#include "gtest/gtest.h"
#include <set>
#include <string>
#include <vector>

namespace reprise::reference::testing {

/// A function of one operation or a few.
struct Case {
  std::string name;
  /// A module with one function, whose arguments are filled with numbers.
  std::string source;
  /// The range of the floating-point arguments.
  double low = -1.0, high = 1.0;
};

/// A context with sg, func and the reference models.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// A context, a module parsed and verified in it, and its first function. A
/// failure is recorded in the test; `function` is null then.
struct Program {
  explicit Program(llvm::StringRef source);

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;

  /// Runs `function`; records a failure and returns nothing when it fails.
  llvm::SmallVector<Tensor> run(llvm::ArrayRef<Tensor> arguments,
                                VariableStore &variables,
                                const EvaluationOptions &options = {});
  llvm::SmallVector<Tensor> run(llvm::ArrayRef<Tensor> arguments = {},
                                const EvaluationOptions &options = {});

  Tensor reals(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<double> values);
  Tensor integers(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> values,
                  unsigned width = 32);
};

/// Numbers in (low, high), in an order that depends on `seed`, with gaps of at
/// least (high - low) / (20 n) between any two of one tensor, or of tensors
/// with different seeds below 10 and the same number n of elements, and from
/// 0 when the range is symmetric: comparisons do not change within a finite
/// difference's step. Integers are 0, 1 or 2.
Tensor fill(mlir::RankedTensorType type, int64_t seed, double low = -1.0,
            double high = 1.0);

/// `fill` for each argument of a function, the argument's number being the
/// seed.
llvm::SmallVector<Tensor> fillArguments(mlir::func::FuncOp function,
                                        double low = -1.0, double high = 1.0);

/// Expects |got - expected| <= tolerance * max(1, largest |expected|) for
/// every element; NaN equals NaN.
void expectClose(const Tensor &got, const Tensor &expected, double tolerance);

/// Expects the same elements, NaN and signs of zero included.
void expectSame(const Tensor &got, const Tensor &expected);

} // namespace reprise::reference::testing

#endif // REPRISE_TEST_REFERENCE_SUPPORT_H
