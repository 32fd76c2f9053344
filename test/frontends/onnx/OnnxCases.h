//===- OnnxCases.h - Networks with known outputs ----------------*- C++ -*-===//
//
// A case is a folder with model.onnx and test_data_set_0/input_N.pb and
// output_N.pb, as ONNX publishes them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_FRONTENDS_ONNXCASES_H
#define REPRISE_TEST_FRONTENDS_ONNXCASES_H

#include "mlir/IR/MLIRContext.h"
#include <string>

namespace reprise::onnx {

/// Imports a case's network and evaluates it by the reference in double
/// precision. Returns "pass", "refused: " and the first reason, or "wrong: "
/// and the first output that differs by more than 1e-5 of its largest element.
std::string runCase(mlir::MLIRContext &context, const std::string &folder);

} // namespace reprise::onnx

#endif // REPRISE_TEST_FRONTENDS_ONNXCASES_H
