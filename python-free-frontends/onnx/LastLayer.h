//===- LastLayer.h - The layer that makes the logits ------------*- C++ -*-===//
#ifndef REPRISE_ONNX_LASTLAYER_H
#define REPRISE_ONNX_LASTLAYER_H

#include "Elements.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace reprise::onnx {

/// True for ops that only give a tensor another shape or name.
bool isView(std::string_view op);

/// The node whose output a name is; null if there is none.
const Node *producerOf(const Graph &graph, std::string_view value);

/// A Gemm, MatMul or convolution before an output of the graph.
struct LastLayer {
  std::string_view weight, bias; // bias: empty if there is none
  Shape weightShape, biasShape;
  /// The dimensions of the classes, and the number of these.
  size_t weightAxis = 0, biasAxis = 0;
  int64_t classes = 0;
  /// True if dimension 1 of the layer's output, not the last one, is that of
  /// the classes.
  bool isImage = false;
  /// The layer's output and what follows, up to the graph's output.
  std::vector<std::string_view> values;
};

/// Returns the shape of a weight by its name; nothing if it is none.
using WeightShape =
    llvm::function_ref<std::optional<Shape>(std::string_view name)>;

std::optional<LastLayer>
findLastLayer(const Graph &graph, std::string_view output, WeightShape shapeOf);

} // namespace reprise::onnx

#endif // REPRISE_ONNX_LASTLAYER_H
