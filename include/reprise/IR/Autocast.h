//===- Autocast.h - Ops under mixed precision -------------------*- C++ -*-===//
//
// The lists of PyTorch's autocast for CUDA are the starting point:
// https://docs.pytorch.org/docs/stable/amp.html#cuda-op-specific-behavior
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_AUTOCAST_H
#define REPRISE_IR_AUTOCAST_H

#include "mlir/IR/OpDefinition.h"

namespace reprise {

/// Applies to f32, bf16 and f16 operands; others are unchanged.
enum class AutocastRule {
  Narrow, // bf16 or f16, with sums in f32: products
  Wide,   // f32: exponentials, sums, losses, layer_norm
  Widest, // the widest of the operands' types, except constants: arithmetic
  First   // the first operand's; the others' element types may differ
};

} // namespace reprise

#include "reprise/IR/AutocastInterface.h.inc"

#endif // REPRISE_IR_AUTOCAST_H
