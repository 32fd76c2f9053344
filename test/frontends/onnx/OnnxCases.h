//===- OnnxCases.h - Networks with known outputs ----------------*- C++ -*-===//
//
// A case is a folder with model.onnx and test_data_set_0/input_N.pb and
// output_N.pb, as ONNX publishes them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_FRONTENDS_ONNXCASES_H
#define REPRISE_TEST_FRONTENDS_ONNXCASES_H

#include "Elements.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/Onnx/Import.h"
#include "reprise/Reference/Evaluator.h"

namespace reprise::onnx {

/// A case's network, and its data as the model takes them.
struct Case {
  /// "refused: " and the first reason, or "wrong: " and what is; empty for a
  /// case that can be run.
  std::string verdict;
  Imported imported;
  std::vector<Elements> inputs, outputs;
  llvm::SmallVector<reference::Tensor> arguments;
  reference::VariableStore variables;
};

/// Reads and imports a case. Shapes that the file leaves open, and shapes and
/// axes that are inputs, are those of the data.
Case loadCase(mlir::MLIRContext &context, const std::string &folder);
mlir::func::FuncOp functionOf(Case &it);

/// Returns "pass", or "wrong: " and the first output that differs by more than
/// `tolerance` of its largest element.
std::string compareOutputs(const Case &it,
                           llvm::ArrayRef<reference::Tensor> results,
                           double tolerance);

/// Evaluates a case by the reference in double precision, with a tolerance of
/// 1e-5. Returns "pass" or the verdict.
std::string runCase(mlir::MLIRContext &context, const std::string &folder);

} // namespace reprise::onnx

#endif // REPRISE_TEST_FRONTENDS_ONNXCASES_H
