//===- Patches.h - Convolutions of patches as products ----------*- C++ -*-===//
#ifndef REPRISE_IR_PATCHES_H
#define REPRISE_IR_PATCHES_H

#include "mlir/IR/PatternMatch.h"
#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// Patterns that make a matrix product of a convolution whose windows touch but
/// do not overlap (the patches that become the tokens of a vision transformer,
/// the halving of ConvNeXt), and of its gradients: no padding, strides the
/// window's extents, one group, nothing left over.
void populatePatchPatterns(mlir::RewritePatternSet &patterns);

/// Whether these patterns make a product of it.
bool isOfPatches(Conv2DOp op);

} // namespace reprise::sg

#endif // REPRISE_IR_PATCHES_H
