//===- Head.cpp - The loss of an imported network -------------------------===//

#include "Head.h"
#include "LastLayer.h"
#include "ops/Emit.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
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

/// True for the shape (N,C,H,W) of images of one channel or three.
static bool isImage(const ValueInfo &info) {
  if (info.shape.size() != 4)
    return false;
  auto extent = [&](size_t d) { return info.shape[d].value.value_or(2); };
  return (extent(1) == 1 || extent(1) == 3) && extent(2) > 1 && extent(3) > 1;
}

bool onnx::readsImages(const Graph &graph, const ValueInfo &input) {
  llvm::StringSet<> images;
  images.insert(ref(input.name));
  for (const Node &node : graph.nodes) {
    bool reads = !node.inputs.empty() &&
                 llvm::any_of(node.inputs, [&](std::string_view input) {
                   return images.contains(ref(input));
                 });
    if (!reads)
      continue;
    bool isFlattened =
        (node.op == "Flatten" || node.op == "Reshape") && isImage(input);
    if ((isOfImages(node.op) || isFlattened) &&
        images.contains(ref(node.inputs[0])))
      return true;
    if (isElementwise(node.op))
      for (std::string_view output : node.outputs)
        images.insert(ref(output));
  }
  return false;
}

/// Cuts the node before the output that the loss contains.
void Head::cutFinal() {
  Loss loss = importer.options.loss;
  const Node *producer = producerOf(graph, name), *node = producer;
  for (unsigned k = 0; node && isView(node->op) && k < 8; ++k)
    node = node->inputs.empty() ? nullptr : producerOf(graph, node->inputs[0]);
  if (!node || loss == Loss::SquaredError)
    return;
  bool isSoftmax = node->op == "Softmax" || node->op == "LogSoftmax";
  bool isSigmoid = node->op == "Sigmoid";
  if (loss == Loss::CrossEntropy ? isSoftmax : isSigmoid) {
    cut = node;
    cutFlattens = importer.fileOpset < 13;
    if (isSoftmax && node == producer)
      cutAxis = NodeImport(importer, *node, importer.fileOpset)
                    .integer("axis", cutFlattens ? 1 : -1);
    importer.note("the final " + std::string(node->op) +
                  " is cut: the cross entropy contains it, so that output '" +
                  std::string(name) + "' holds the logits");
  } else if (isSoftmax || isSigmoid) {
    importer.refuse("output '" + std::string(name) + "' ends in " +
                    std::string(node->op) +
                    ", but the cross entropy needs logits" +
                    (isSigmoid ? "; --loss bce contains a Sigmoid" : ""));
  }
}

void Head::find() {
  if (!isTraining()) {
    if (importer.options.classes)
      importer.refuse("a number of classes needs a loss: --loss");
    return;
  }
  const ValueInfo *output = nullptr;
  for (const ValueInfo &info : graph.outputs)
    if (importer.options.logits.empty() || info.name == importer.options.logits)
      output = output ? output : &info;
  if (importer.options.logits.empty() && graph.outputs.size() > 1) {
    std::string names;
    for (const ValueInfo &info : graph.outputs)
      names += (names.empty() ? "'" : ", '") + std::string(info.name) + "'";
    return importer.refuse("the loss reads one of the outputs " + names +
                           "; choose it: --logits NAME");
  }
  if (!output) {
    importer.refuse("no output is named '" + importer.options.logits + "'");
    return;
  }
  name = output->name;
  cutFinal();
  if (importer.options.classes)
    renewLastLayer();
}

//===----------------------------------------------------------------------===//
// A new last layer
//===----------------------------------------------------------------------===//

/// Makes the weights of the last layer new ones if their classes are others.
void Head::renewLastLayer() {
  auto layer = findLastLayer(
      graph, name, [&](std::string_view weight) -> std::optional<Shape> {
        Value &value = importer.value(weight);
        return value.weight ? std::optional(value.shape) : std::nullopt;
      });
  if (!layer)
    return importer.refuse(
        "output '" + std::string(name) +
        "' has no last layer (Gemm, MatMul or Conv, with weights that are "
        "initializers) to begin anew");
  int64_t classes = *importer.options.classes;
  if (layer->classes == classes)
    return;
  double inputs = double(*countOf(layer->weightShape)) / double(layer->classes);
  importer.renew(importer.value(layer->weight), layer->weightAxis, classes,
                 1.0 / std::sqrt(inputs));
  if (!layer->bias.empty())
    importer.renew(importer.value(layer->bias), layer->biasAxis, classes,
                   std::nullopt);
  importer.note("the last layer '" + std::string(layer->weight) +
                "' begins anew with " + std::to_string(classes) + " classes");
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// The mean over the elements.
static Tensor meanOf(const Tensor &x) {
  if (!x)
    return x;
  Shape dims;
  for (int64_t d = 0; d < x.getType().getRank(); ++d)
    dims.push_back(d);
  return nn::scale(reduce<sg::ReduceSumOp>(x, dims),
                   1.0 / double(x.getType().getNumElements()));
}

/// -t ln s(x) - (1 - t) ln(1 - s(x)) for the sigmoid s, without overflow:
/// max(x, 0) - x t + ln(1 + e^-|x|).
static Tensor binaryCrossEntropy(const Tensor &x, const Tensor &targets) {
  Tensor tail = nn::exp(emit<sg::NegOp>(emit<sg::AbsOp>(x)));
  return meanOf(nn::relu(x) - x * targets + emit<sg::LogOp>(plus(tail, 1.0)));
}

/// Declares that the targets, an argument of the function, are from 0 to 1.
static void boundTargets(const Tensor &targets) {
  auto argument = cast<BlockArgument>(targets.getValue());
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  RankedTensorType type = targets.getType();
  int64_t elements = type.getNumElements() / type.getDimSize(0);
  Builder builder(function.getContext());
  auto range = sg::IndexRangeAttr::get(builder.getContext(),
                                       sg::IndexUse::Probability, /*limit=*/1,
                                       /*ignored=*/std::nullopt, {0, elements});
  function.setArgAttr(argument.getArgNumber(), sg::SgDialect::kIndexRangesAttr,
                      builder.getArrayAttr(range));
}

/// True for (N,K), (N,K,1,1) and the like: a sample has one row of logits.
static bool hasOneRow(const onnx::Value &value) {
  return value.rank() >= 2 &&
         value.shape[0] * value.shape[1] == *countOf(value.shape);
}

int64_t Head::classAxis(const onnx::Value &value) const {
  if (cutAxis)
    return *cutAxis < 0 ? *cutAxis + value.rank() : *cutAxis;
  // Layers on images and sequences of channels (N,K,...), others (N,...,K).
  return bool(value.last) || hasOneRow(value) ? 1 : value.rank() - 1;
}

/// The samples' positions of rows (N positions,K); 1 for other shapes.
static int64_t positionsOf(const onnx::Value &value, int64_t batch) {
  bool isFlat = value.rank() == 2 && value.shape[0] > batch &&
                value.shape[0] % batch == 0;
  return isFlat ? value.shape[0] / batch : 1;
}

std::optional<Shape> Head::targetsOf(const onnx::Value &value) const {
  if (importer.options.loss != Loss::CrossEntropy)
    return value.shape;
  if (int64_t positions = positionsOf(value, importer.batch); positions > 1)
    return Shape{importer.batch, positions};
  int64_t axis = classAxis(value);
  if (value.rank() < 3 || (hasOneRow(value) && axis == 1) || axis < 1 ||
      axis >= value.rank())
    return std::nullopt;
  Shape shape = value.shape;
  shape.erase(shape.begin() + axis);
  return shape;
}

std::vector<nn::Graph::Output> Head::crossEntropy(Value &value,
                                                  const Tensor &labels) {
  auto rows = logits(value);
  if (!rows)
    return {};
  std::string text = name == "loss" ? "logits" : std::string(name);
  auto shape = targetsOf(value);
  if (!shape)
    return {{"loss", nn::crossEntropy(*rows, labels), sg::BindingRole::Loss},
            {text, *rows, sg::BindingRole::Logits}};
  int64_t positions = *countOf(*shape);
  importer.note("the loss is the mean over all positions: classes are "
                "dimension " +
                std::to_string(classAxis(value)) + " of output '" +
                std::string(name) + "' (" + textOf(value.shape) +
                "), and the labels have the shape " + textOf(*shape));
  return {{"loss", nn::crossEntropy(*rows, nn::reshape(labels, {positions})),
           sg::BindingRole::Loss},
          {text, importer.plain(value), sg::BindingRole::Data}};
}

std::vector<nn::Graph::Output> Head::outputs(Value &value,
                                             const Tensor &labels) {
  Loss loss = importer.options.loss;
  if (loss == Loss::CrossEntropy)
    return crossEntropy(value, labels);
  std::string text(name);
  Tensor x = importer.plain(value);
  if (!x || value.type != TensorElement::Float) {
    importer.refuse("output '" + text + "' is " + nameOf(value.type) +
                    ", but the loss needs float");
    return {};
  }
  if (loss == Loss::BinaryCrossEntropy)
    boundTargets(labels);
  Tensor distance = x - labels;
  return {{"loss",
           loss == Loss::SquaredError ? meanOf(distance * distance)
                                      : binaryCrossEntropy(x, labels),
           sg::BindingRole::Loss},
          {text == "loss" ? "output" : text, x, sg::BindingRole::Data}};
}

std::optional<Tensor> Head::logits(Value &value) {
  int64_t axis = classAxis(value);
  bool sumsMore = cutAxis && cutFlattens && axis != value.rank() - 1;
  bool isGood =
      value.type == TensorElement::Float && value.rank() >= 2 &&
      value.shape[0] == importer.batch * positionsOf(value, importer.batch) &&
      axis >= 1 && axis < value.rank() && value.shape[axis] > 1 &&
      (hasOneRow(value) || (targetsOf(value) && !sumsMore));
  if (isGood && importer.options.isLossAssumed && targetsOf(value)) {
    importer.refuse("output '" + std::string(name) + "' is float " +
                    textOf(value.shape) +
                    "; choose a loss: --loss cross-entropy if dimension " +
                    std::to_string(axis) +
                    " numbers the classes of each position, else mse or bce");
    return std::nullopt;
  }
  if (!isGood) {
    importer.refuse(
        "output '" + std::string(name) + "' is " + nameOf(value.type) + " " +
        textOf(value.shape) + "; the cross entropy needs float logits of " +
        std::to_string(importer.batch) +
        " samples and two or more classes; for another output, give --loss mse "
        "or bce");
    return std::nullopt;
  }
  bool isLast = axis == 1 && value.rank() > 2 && !hasOneRow(value);
  Tensor tensor = isLast ? importer.last(value) : importer.plain(value);
  if (!tensor)
    return std::nullopt;
  if (axis != 1 && axis != value.rank() - 1) {
    Shape order;
    for (int64_t d = 0; d < value.rank(); ++d)
      if (d != axis)
        order.push_back(d);
    order.push_back(axis);
    tensor = permute(tensor, order);
  }
  int64_t classes = value.shape[axis];
  return value.rank() == 2
             ? tensor
             : nn::reshape(tensor, {*countOf(value.shape) / classes, classes});
}
