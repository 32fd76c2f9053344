//===- Patches.h - Convolutions of patches as products ----------*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_PATCHES_H
#define REPRISE_PASSES_REWRITES_PATCHES_H

#include "mlir/IR/PatternMatch.h"

namespace reprise::sg {

/// Patterns that turn a convolution whose windows touch but do not overlap into
/// a matrix product (the patches that become the tokens of a vision
/// transformer, the halving of ConvNeXt), and its gradients too; see
/// isOfPatches.
void populatePatchPatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_PATCHES_H
