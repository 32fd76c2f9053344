//===- Head.cpp - The loss of an imported network -------------------------===//

#include "Head.h"
#include "llvm/ADT/StringSwitch.h"

using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

static llvm::StringRef ref(std::string_view text) {
  return {text.data(), text.size()};
}

/// True for ops that see the layout of an image.
static bool isOfImages(std::string_view op) {
  return llvm::StringSwitch<bool>(ref(op))
      .Cases({"Conv", "ConvTranspose", "MaxPool", "AveragePool"}, true)
      .Cases({"GlobalAveragePool", "GlobalMaxPool"}, true)
      .Cases({"BatchNormalization", "Resize", "Upsample"}, true)
      .Default(false);
}

/// True for ops whose result is an image if an operand is one.
static bool isElementwise(std::string_view op) {
  return llvm::StringSwitch<bool>(ref(op))
      .Cases({"Add", "Sub", "Mul", "Div", "Pad", "Identity", "Clip"}, true)
      .Cases({"Relu", "LeakyRelu", "Sigmoid", "Tanh", "Cast", "Dropout"}, true)
      .Default(false);
}

bool onnx::readsImages(const Graph &graph, std::string_view name) {
  llvm::StringSet<> images;
  images.insert(ref(name));
  for (const Node &node : graph.nodes) {
    bool reads = !node.inputs.empty() &&
                 llvm::any_of(node.inputs, [&](std::string_view input) {
                   return images.contains(ref(input));
                 });
    if (!reads)
      continue;
    if (isOfImages(node.op) && images.contains(ref(node.inputs[0])))
      return true;
    if (isElementwise(node.op))
      for (std::string_view output : node.outputs)
        images.insert(ref(output));
  }
  return false;
}

const Node *Head::producerOf(std::string_view value) const {
  for (const Node &node : graph.nodes)
    for (std::string_view output : node.outputs)
      if (output == value)
        return &node;
  return nullptr;
}

/// True for ops that only give a tensor another shape or name.
static bool isView(std::string_view op) {
  return llvm::StringSwitch<bool>(ref(op))
      .Cases({"Reshape", "Flatten", "Squeeze", "Identity", "Unsqueeze"}, true)
      .Default(false);
}

void Head::find() {
  if (!isTraining())
    return;
  const ValueInfo *output = nullptr;
  for (const ValueInfo &info : graph.outputs)
    if (importer.options.logits.empty() || info.name == importer.options.logits)
      output = output ? output : &info;
  if (importer.options.logits.empty() && graph.outputs.size() > 1)
    importer.refuse("there are " + std::to_string(graph.outputs.size()) +
                    " outputs; name the logits: --logits NAME");
  if (!output) {
    importer.refuse("no output is named '" + importer.options.logits + "'");
    return;
  }
  name = output->name;
  const Node *node = producerOf(name);
  for (unsigned k = 0; node && isView(node->op) && k < 8; ++k)
    node = node->inputs.empty() ? nullptr : producerOf(node->inputs[0]);
  if (!node)
    return;
  if (node->op == "Softmax" || node->op == "LogSoftmax") {
    cut = node;
    importer.note("the final " + std::string(node->op) +
                  " is cut: the cross entropy contains it, so that output '" +
                  std::string(name) + "' holds the logits");
  } else if (node->op == "Sigmoid") {
    importer.refuse("output '" + std::string(name) +
                    "' ends in Sigmoid, but the cross entropy needs logits");
  }
}

std::optional<Tensor> Head::logits(Value &value) {
  int64_t count = *countOf(value.shape);
  bool isGood = value.type == TensorElement::Float && value.rank() >= 2 &&
                value.shape[0] == importer.batch &&
                value.shape[0] * value.shape[1] == count && value.shape[1] > 1;
  if (!isGood) {
    importer.refuse("output '" + std::string(name) + "' is " +
                    nameOf(value.type) + " " + textOf(value.shape) +
                    "; the cross entropy needs float logits of " +
                    std::to_string(importer.batch) + " samples");
    return std::nullopt;
  }
  Tensor tensor = importer.plain(value);
  if (!tensor)
    return std::nullopt;
  return value.rank() == 2
             ? tensor
             : nn::reshape(tensor, {value.shape[0], value.shape[1]});
}
