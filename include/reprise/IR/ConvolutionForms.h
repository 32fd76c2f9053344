//===- ConvolutionForms.h - Convolutions as a library wants them *- C++ -*-===//
#ifndef REPRISE_IR_CONVOLUTIONFORMS_H
#define REPRISE_IR_CONVOLUTIONFORMS_H

#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace reprise::sg {

/// What a library wants of convolutions whose operands have an element type.
struct ConvolutionWants {
  /// What the number of input channels should be a multiple of; 1: nothing.
  std::function<int64_t(mlir::Type)> channelMultiple;
  /// Up to how many channels, of zeros too, images have whose strides became
  /// channels; 0: none.
  std::function<int64_t(mlir::Type)> stridesAsChannels;
  /// Whether gradients for inputs of 1x1 filters with strides are slow.
  std::function<bool(mlir::Type)> avoidsSpreading;
};

/// Patterns that add channels of zeros to images and filters, and take them
/// from gradients, until a convolution without groups has such a number; that
/// make channels of the points between two windows, so that windows lose their
/// strides, where `stridesAsChannels` allows as many; and that compute a
/// gradient for the points that a filter of 1x1 with strides looks at, and put
/// zeros between them.
void populateConvolutionFormPatterns(mlir::RewritePatternSet &patterns,
                                     const ConvolutionWants &wants);

} // namespace reprise::sg

#endif // REPRISE_IR_CONVOLUTIONFORMS_H
