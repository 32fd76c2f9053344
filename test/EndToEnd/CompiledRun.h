//===- CompiledRun.h - A model compiled and stepped -------------*- C++ -*-===//
#ifndef REPRISE_TEST_ENDTOEND_COMPILEDRUN_H
#define REPRISE_TEST_ENDTOEND_COMPILEDRUN_H

#include "reprise/Passes/Pipelines.h"
#include "reprise/Reference/Evaluator.h"
#include <map>
#include <string>
#include <vector>

namespace reprise::end_to_end {

/// Bytes of a tensor as the runtime takes and gives them.
using Bytes = std::vector<uint8_t>;
using ByteStore = std::map<std::string, Bytes>;

Bytes toBytes(const reference::Tensor &tensor);
reference::Tensor fromBytes(mlir::RankedTensorType type, const Bytes &bytes);

struct CompiledRun {
  std::vector<ByteStore> variables; // after each step
  std::vector<float> losses;
  size_t predictedPeak = 0;
  size_t measuredPeak = 0;
};

/// Compiles a clone of `model` in `mode` and runs `steps` steps with dead
/// buffers poisoned. Returns what went wrong, or "".
std::string compileAndRun(mlir::ModuleOp model, const std::string &mode,
                          const ByteStore &variables, const ByteStore &inputs,
                          unsigned steps, CompiledRun &run);

} // namespace reprise::end_to_end

#endif // REPRISE_TEST_ENDTOEND_COMPILEDRUN_H
