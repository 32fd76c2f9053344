//===- Attention.h - What an attention is of --------------------*- C++ -*-===//
//
// For code generation, which knows no ops: sg.attention and its gradient by
// what they read, make, and are told.
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
  /// Of dropping a weight, and the stream drawn from; 0: none is dropped.
  double probability = 0;
  int64_t stream = 0;
  /// Null: there is none.
  mlir::Value qkv, bias, seed, step;
  mlir::Value y, lse; // made, of a gradient read
  mlir::Value dy, dqkv, dbias;
};

/// None of any other op.
std::optional<AttentionParts> attentionParts(mlir::Operation *op);

} // namespace reprise::sg

#endif // REPRISE_IR_ATTENTION_H
