//===- ConvolutionForms.h - Convolution shapes for a library ----*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_CONVOLUTIONFORMS_H
#define REPRISE_PASSES_REWRITES_CONVOLUTIONFORMS_H

#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace reprise::sg {

/// A library's preferred convolution shapes, by element type of the operands.
struct ConvolutionWants {
  /// The number that input channels should be a multiple of; 1: any.
  std::function<int64_t(mlir::Type)> channelMultiple;
  /// The most channels, padding included, of images whose strides are turned
  /// into channels; 0: none.
  std::function<int64_t(mlir::Type)> stridesAsChannels;
  /// Returns true if gradients for inputs of 1x1 filters with strides are slow.
  std::function<bool(mlir::Type)> avoidsSpreading;
};

/// Patterns that pad images and filters with channels of zeros, and slice them
/// off gradients, until a convolution without groups has such a multiple; that
/// turn the points between two windows into channels, so that windows lose
/// their strides, if `stridesAsChannels` allows as many; and that compute the
/// gradient of a strided 1x1 filter only for the points that it reads, with
/// zeros inserted between them.
void populateConvolutionFormPatterns(mlir::RewritePatternSet &patterns,
                                     const ConvolutionWants &wants);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_CONVOLUTIONFORMS_H
