//===- Activations.h - Formulas of activations ------------------*- C++ -*-===//
//
// Each activation is two formulas in primitives: the function of x and its
// slope there. Both are computed in f32 if x is bf16 or f16.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_IR_ACTIVATIONS_H
#define REPRISE_LIB_IR_ACTIVATIONS_H

#include "Emit.h"

namespace reprise::sg {

/// x, or x as f32 if it is narrower.
mlir::Value widened(Emitter &e, mlir::Value x);

mlir::Value activation(GeluOp op, Emitter &e, mlir::Value x);
mlir::Value activation(SiluOp op, Emitter &e, mlir::Value x);
mlir::Value activation(HardSigmoidOp op, Emitter &e, mlir::Value x);
mlir::Value activation(HardSwishOp op, Emitter &e, mlir::Value x);

mlir::Value slope(GeluOp op, Emitter &e, mlir::Value x);
mlir::Value slope(SiluOp op, Emitter &e, mlir::Value x);
mlir::Value slope(HardSigmoidOp op, Emitter &e, mlir::Value x);
mlir::Value slope(HardSwishOp op, Emitter &e, mlir::Value x);

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_ACTIVATIONS_H
