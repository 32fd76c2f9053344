//===- Patches.h - Convolutions of patches ----------------------*- C++ -*-===//
#ifndef REPRISE_IR_PATCHES_H
#define REPRISE_IR_PATCHES_H

#include "mlir/IR/Operation.h"

namespace reprise::sg {

/// Returns true for a convolution or one of its gradients whose windows, of
/// more than one pixel, touch but do not overlap: no padding, strides equal to
/// the window's extents, one group, no remainder. It is a product of reshaped
/// operands.
bool isOfPatches(mlir::Operation *op);

} // namespace reprise::sg

#endif // REPRISE_IR_PATCHES_H
