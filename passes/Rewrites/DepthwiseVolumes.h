//===- DepthwiseVolumes.h - Depthwise convolutions by frames ----*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_DEPTHWISEVOLUMES_H
#define REPRISE_PASSES_REWRITES_DEPTHWISEVOLUMES_H

#include "mlir/IR/PatternMatch.h"

namespace reprise::sg {

/// Patterns that turn a depthwise convolution of volumes, and its gradients,
/// into sums of convolutions of images, one for each frame of its filter.
void populateDepthwiseVolumePatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_DEPTHWISEVOLUMES_H
