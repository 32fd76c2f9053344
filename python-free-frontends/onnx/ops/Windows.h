//===- Windows.h - Windows of convolutions and pools ------------*- C++ -*-===//
//
// Images are (N,H,W,C), volumes (N,D,H,W,C). Signals of one dimension (N,C,L)
// are images of height 1.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ONNX_WINDOWS_H
#define REPRISE_ONNX_WINDOWS_H

#include "Emit.h"

namespace reprise::onnx {

/// Windows of a convolution or a pool along two or three dimensions; of height
/// 1 for signals.
struct Windows {
  Shape extents, strides, dilations, low, high;
  /// Padding at the end that only completes a last window.
  Shape completing;

  size_t rank() const { return extents.size(); }
  int64_t span(size_t d) const { return (extents[d] - 1) * dilations[d] + 1; }
  /// Pairs, as sg's ops want them.
  Shape padding() const {
    Shape pairs;
    for (size_t d = 0; d < rank(); ++d) {
      pairs.push_back(low[d]);
      pairs.push_back(high[d]);
    }
    return pairs;
  }
};

/// Input 0 as an image or a volume of floats; nothing after a refusal.
std::optional<nn::Tensor> imageOf(NodeImport &node);
/// Sets output 0 to an image, or a signal if the input is one.
bool setImage(NodeImport &node, nn::Tensor image);

/// An attribute of one number a dimension, with a leading 1 for signals.
std::optional<Shape> perDimension(NodeImport &node, const char *attribute,
                                  int64_t otherwise);

/// The windows of a node; `extents` are those of a filter, or empty for the
/// attribute `kernel_shape`. Padding of `auto_pad` depends on the image.
std::optional<Windows> windowsOf(NodeImport &node, const nn::Tensor &x,
                                 Shape extents);

} // namespace reprise::onnx

#endif // REPRISE_ONNX_WINDOWS_H
