//===- Attention.h - The operands and results of an attention ---*- C++ -*-===//
//
// Describes sg.attention and its gradient to code generation, which does not
// know the ops: their operands, results and attributes.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_ATTENTION_H
#define REPRISE_IR_ATTENTION_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace reprise::sg {

struct AttentionParts {
  bool isGrad = false;
  double scale = 1;
  /// The probability of dropping a weight, and its random stream; 0: no
  /// dropout.
  double probability = 0;
  int64_t stream = 0;
  /// Null if absent.
  mlir::Value qkv, bias, seed, step;
  mlir::Value y, lse; // results; operands of a gradient
  mlir::Value dy, dqkv, dbias;
};

/// None for any other op.
std::optional<AttentionParts> attentionParts(mlir::Operation *op);

} // namespace reprise::sg

#endif // REPRISE_IR_ATTENTION_H
