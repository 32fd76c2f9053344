//===- FlatConvolutions.h - Volumes as images -------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_FLATCONVOLUTIONS_H
#define REPRISE_PASSES_REWRITES_FLATCONVOLUTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace reprise::sg {

/// Patterns that turn a convolution of volumes, and its gradients, into one of
/// images if its filter has one frame or one pixel.
void populateFlatConvolutionPatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_FLATCONVOLUTIONS_H
