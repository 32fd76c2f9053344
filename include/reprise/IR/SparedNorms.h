//===- SparedNorms.h - Norms of what need not be read again -----*- C++ -*-===//
#ifndef REPRISE_IR_SPAREDNORMS_H
#define REPRISE_IR_SPAREDNORMS_H

#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// The convolution of single points (1x1, stride 1, no padding, one group) of
/// operands and result of f32 that makes `x`, past marks on it, in the block of
/// `reader`; null where there is none.
Conv2DOp pointConvolutionBehind(mlir::Value x, mlir::Operation *reader);

} // namespace reprise::sg

#endif // REPRISE_IR_SPAREDNORMS_H
