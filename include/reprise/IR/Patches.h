//===- Patches.h - Convolutions of patches as products ----------*- C++ -*-===//
#ifndef REPRISE_IR_PATCHES_H
#define REPRISE_IR_PATCHES_H

#include "mlir/IR/PatternMatch.h"
#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// Patterns that turn a convolution whose windows touch but do not overlap into
/// a matrix product (the patches that become the tokens of a vision
/// transformer, the halving of ConvNeXt), and its gradients too: no padding,
/// strides equal to the window's extents, one group, no remainder.
void populatePatchPatterns(mlir::RewritePatternSet &patterns);

/// Returns true if these patterns turn `op` into a product.
bool isOfPatches(Conv2DOp op);

} // namespace reprise::sg

#endif // REPRISE_IR_PATCHES_H
