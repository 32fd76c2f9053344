//===- SparedNorms.h - Norms whose operand is not read again ----*- C++ -*-===//
#ifndef REPRISE_IR_SPAREDNORMS_H
#define REPRISE_IR_SPAREDNORMS_H

#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// The 1x1 convolution (stride 1, no padding, one group) of f32 operands and
/// result that computes `x`, through marks on it, in the block of `reader`;
/// null if there is none.
Conv2DOp pointConvolutionBehind(mlir::Value x, mlir::Operation *reader);

} // namespace reprise::sg

#endif // REPRISE_IR_SPAREDNORMS_H
