//===- KernelHarness.h - Compiles, runs and checks kernels ------*- C++ -*-===//
//
// Takes text of functions that hold one sg.kernel each, compiles all kernels
// of a text at once for a machine (KernelMachine.h) and compares what each
// kernel computes with the reference evaluator:
//
//   - in every way of the machine to run it: equal bits;
//   - with an output over an input, where analyzeKernel allows it: equal bits;
//   - where a case asks for it, with every op in a kernel of its own: equal
//   bits;
//   - bytes around the outputs stay as they were;
//   - pointwise arithmetic and maxima have the reference's bits (it rounds op
//     by op); polynomials stay within the case's tolerance, and sums within the
//     bound of their order: gamma_d times the sum of the absolute values, where
//     d is the number of additions in a row (Higham, Accuracy and Stability of
//     Numerical Algorithms, 4.2).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_CODEGEN_KERNELHARNESS_H
#define REPRISE_TEST_CODEGEN_KERNELHARNESS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/Codegen/Kernels.h"
#include "reprise/Reference/Evaluator.h"
#include "reprise/Target/Target.h"
#include <memory>
#include <string>
#include <vector>

namespace reprise::test {

struct Case {
  std::string name;
  /// Types of the arguments, e.g. "8x4xf32".
  std::vector<std::string> arguments;
  /// Ops on %a0, %a1, ...
  std::string body;
  /// Names and types of what is yielded, e.g. {"%y", "8x4xf32"}.
  std::vector<std::pair<std::string, std::string>> results;
  /// |kernel - reference| <= tolerance * max(1, |reference|).
  double tolerance = 0.0;
  /// Additions in a row of each result that is a sum; 0 or absent: none, and
  /// the tolerance holds. Sums are in f32, of values that are equal in sign
  /// where all arguments are: the sum of absolute values is what the reference
  /// gives for absolute arguments.
  std::vector<int64_t> additions = {};
  /// Compare with its ops one by one, each in a kernel of its own.
  bool hasParts = false;
};

/// The text of a function around the case's kernel.
std::string textOf(const Case &kernel);

/// A context with the dialects and the reference models.
std::unique_ptr<mlir::MLIRContext> createContext();

/// The functions of the cases, and their kernels.
mlir::OwningOpRef<mlir::ModuleOp> parseCases(mlir::MLIRContext &context,
                                             const std::vector<Case> &cases);
std::vector<KernelSource> sourcesOf(mlir::ModuleOp module);

/// A function for each op of each kernel but constants, around a kernel of it
/// alone, in the kernels' order; see partName.
mlir::OwningOpRef<mlir::ModuleOp> partsOf(mlir::ModuleOp module);
/// The kernel of op number `index` of a case's body.
std::string partName(llvm::StringRef kernel, size_t index);

/// Compiles the cases together and checks each; failures are GoogleTest's.
void checkCases(const std::vector<Case> &cases, uint64_t seed);

} // namespace reprise::test

#endif // REPRISE_TEST_CODEGEN_KERNELHARNESS_H
