//===- LastLayer.cpp - The layer that makes the logits --------------------===//

#include "LastLayer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace reprise;
using namespace reprise::onnx;

/// The limit of nodes between the layer and the output.
static constexpr unsigned kMostNodes = 16;

static llvm::StringRef ref(std::string_view text) {
  return {text.data(), text.size()};
}

bool onnx::isView(std::string_view op) {
  return llvm::StringSwitch<bool>(ref(op))
      .Cases({"Reshape", "Flatten", "Squeeze", "Identity", "Unsqueeze"}, true)
      .Default(false);
}

/// True for ops after which the classes are still those of the layer.
static bool keepsClasses(std::string_view op) {
  return isView(op) ||
         llvm::StringSwitch<bool>(ref(op))
             .Cases({"Softmax", "LogSoftmax", "Sigmoid"}, true)
             .Cases({"Relu", "Dropout", "GlobalAveragePool", "AveragePool"},
                    true)
             .Default(false);
}

const Node *onnx::producerOf(const Graph &graph, std::string_view value) {
  for (const Node &node : graph.nodes)
    for (std::string_view output : node.outputs)
      if (output == value)
        return &node;
  return nullptr;
}

/// True for a node that exchanges the two dimensions of a matrix.
static bool isTransposition(const Node *node) {
  if (!node || node->op != "Transpose" || node->inputs.size() != 1)
    return false;
  for (const Attribute &attribute : node->attributes)
    if (attribute.name == "perm" &&
        attribute.integers != std::vector<int64_t>{1, 0})
      return false;
  return true;
}

/// Completes a layer, whose bias may be that of an Add after it, by its shapes.
static bool describe(LastLayer &layer, const Graph &graph, const Node &node,
                     WeightShape shapeOf) {
  if (node.inputs.size() < 2)
    return false;
  std::string_view weight = node.inputs[1];
  const Node *moved = producerOf(graph, weight);
  bool isMoved = isTransposition(moved);
  if (isMoved)
    weight = moved->inputs[0];
  std::optional<Shape> shape = shapeOf(weight);
  if (!shape || shape->size() < 2 || (isMoved && shape->size() > 2))
    return false;
  layer.isImage = node.op == "Conv";
  bool isLeading = layer.isImage || isMoved;
  for (const Attribute &attribute : node.attributes)
    isLeading ^= attribute.name == "transB" && attribute.integer != 0;
  layer.weight = weight;
  layer.weightShape = *shape;
  layer.weightAxis = isLeading ? 0 : shape->size() - 1;
  layer.classes = layer.weightShape[layer.weightAxis];
  if (node.inputs.size() > 2)
    layer.bias = node.inputs[2];
  if (layer.bias.empty())
    return true;
  shape = shapeOf(layer.bias);
  if (!shape)
    return false;
  layer.biasShape = *shape;
  layer.biasAxis = llvm::find(*shape, layer.classes) - shape->begin();
  return layer.biasAxis < shape->size();
}

std::optional<LastLayer> onnx::findLastLayer(const Graph &graph,
                                             std::string_view output,
                                             WeightShape shapeOf) {
  LastLayer layer;
  std::string_view value = output;
  for (unsigned k = 0; k < kMostNodes; ++k) {
    layer.values.push_back(value);
    const Node *node = producerOf(graph, value);
    if (!node || node->inputs.empty())
      break;
    if (node->op == "Gemm" || node->op == "MatMul" || node->op == "Conv") {
      if (describe(layer, graph, *node, shapeOf))
        return layer;
      break;
    }
    bool isBias = node->op == "Add" && node->inputs.size() == 2;
    if (!isBias && !keepsClasses(node->op))
      break;
    value = node->inputs[0];
    if (isBias && shapeOf(value))
      std::tie(layer.bias, value) = std::pair(value, node->inputs[1]);
    else if (isBias)
      layer.bias = node->inputs[1];
  }
  return std::nullopt;
}
