//===- PositionsTest.cpp - Losses with a label for every position ---------===//

#include "Encode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"
#include "reprise/Onnx/Import.h"
#include "reprise/Reference/Evaluator.h"
#include "gtest/gtest.h"
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using encode::bytes;

namespace {
using Extents = std::vector<int64_t>;

class OnnxPositions : public testing::Test {
protected:
  OnnxPositions() {
    DialectRegistry registry;
    registry.insert<sg::SgDialect, func::FuncDialect>();
    reference::registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  ~OnnxPositions() override { std::filesystem::remove(path); }

  /// Imports nodes from "x" to "y" with the cross entropy; empty after a
  /// refusal, whose reason becomes `refusal`.
  OwningOpRef<ModuleOp> import(const std::string &nodes, const Extents &x,
                               const Extents &y, int64_t opset = 17);
  static func::FuncOp functionOf(const OwningOpRef<ModuleOp> &module) {
    return *module.get().getOps<func::FuncOp>().begin();
  }
  static Extents labelsOf(const OwningOpRef<ModuleOp> &module) {
    return cast<ShapedType>(functionOf(module).getArgumentTypes()[1])
        .getShape()
        .vec();
  }
  /// The loss of inputs k / 8 modulo 3, and labels 0, 1, 2, 0, 1, ...
  static double lossOf(const OwningOpRef<ModuleOp> &module);

  MLIRContext context;
  std::string refusal, note, producer = "another";
  std::optional<int64_t> batch;
  const std::string path =
      testing::TempDir() + "/positions-" + std::to_string(::getpid()) + ".onnx";
};
} // namespace

OwningOpRef<ModuleOp> OnnxPositions::import(const std::string &nodes,
                                            const Extents &x, const Extents &y,
                                            int64_t opset) {
  std::ofstream(path, std::ios::binary)
      << bytes(2, producer) +
             encode::model(nodes + bytes(11, encode::value("x", x)) +
                               bytes(12, encode::value("y", y)),
                           opset);
  ImportOptions options;
  options.loss = Loss::CrossEntropy;
  options.batch = batch;
  std::string error;
  auto imported = importModel(context, path, options, error);
  EXPECT_TRUE(imported) << error;
  refusal = imported && !imported->refusals.empty()
                ? textOf(imported->refusals.front())
                : "";
  note = imported && !imported->notes.empty() ? imported->notes.back() : "";
  return imported ? std::move(imported->module) : nullptr;
}

static double elementOf(int64_t k) { return std::fmod(double(k) / 8, 3.0); }

double OnnxPositions::lossOf(const OwningOpRef<ModuleOp> &module) {
  func::FuncOp function = functionOf(module);
  auto types = function.getArgumentTypes();
  reference::Tensor x(cast<RankedTensorType>(types[0]));
  reference::Tensor labels(cast<RankedTensorType>(types[1]));
  for (int64_t k = 0; k < x.size(); ++k)
    x.real(k) = elementOf(k);
  for (int64_t k = 0; k < labels.size(); ++k)
    labels.integer(k) = k % 3;
  reference::VariableStore variables;
  for (auto variable : module.get().getOps<sg::VariableOp>())
    variables.emplace(variable.getSymName().str(),
                      *reference::initialValue(variable));
  auto results = reference::evaluate(function, {x, labels}, variables);
  return succeeded(results) ? results->front().number(0) : NAN;
}

/// The mean cross entropy of logits: element `at(position, class)` of the input
/// each, for the labels above.
template <typename At>
static double meanLoss(int64_t positions, int64_t classes, At at) {
  double sum = 0;
  for (int64_t p = 0; p < positions; ++p) {
    double total = 0;
    for (int64_t k = 0; k < classes; ++k)
      total += std::exp(elementOf(at(p, k)));
    sum += std::log(total) - elementOf(at(p, p % 3));
  }
  return sum / double(positions);
}

static std::string relu() {
  return bytes(1, encode::node("Relu", {"x"}, {"y"}));
}

static std::string softmax(std::optional<int64_t> axis) {
  std::string attribute;
  if (axis)
    attribute = bytes(5, bytes(1, "axis") + encode::number(20, 2) +
                             encode::number(3, uint64_t(*axis)));
  return bytes(1, encode::node("Softmax", {"x"}, {"y"}, attribute));
}

TEST_F(OnnxPositions, ClassesOfSequencesAreTheLastDimension) {
  auto module = import(relu(), {2, 5, 4}, {2, 5, 4});
  ASSERT_TRUE(module) << refusal;
  EXPECT_EQ(labelsOf(module), (Extents{2, 5}));
  EXPECT_EQ(note, "the loss is the mean over all positions: classes are "
                  "dimension 2 of output 'y' (2x5x4), and the labels have the "
                  "shape 2x5");
  auto at = [](int64_t p, int64_t k) { return 4 * p + k; };
  EXPECT_NEAR(lossOf(module), meanLoss(10, 4, at), 1e-12);
}

TEST_F(OnnxPositions, ClassesOfImagesAreTheirChannels) {
  // A convolution that copies its input.
  std::vector<float> copies(9);
  copies[0] = copies[4] = copies[8] = 1;
  std::string nodes = bytes(1, encode::node("Conv", {"x", "w"}, {"y"})) +
                      bytes(5, encode::tensor("w", {3, 3, 1, 1}, copies));
  auto module = import(nodes, {2, 3, 2, 4}, {2, 3, 2, 4});
  ASSERT_TRUE(module) << refusal;
  EXPECT_EQ(labelsOf(module), (Extents{2, 2, 4}));
  // The model takes images with their channels last.
  auto at = [](int64_t p, int64_t k) { return 3 * p + k; };
  EXPECT_NEAR(lossOf(module), meanLoss(16, 3, at), 1e-12);
}

TEST_F(OnnxPositions, TheFinalSoftmaxTellsTheClasses) {
  auto module = import(softmax(2), {2, 5, 3, 4}, {2, 5, 3, 4});
  ASSERT_TRUE(module) << refusal;
  EXPECT_EQ(labelsOf(module), (Extents{2, 5, 4}));
  auto at = [](int64_t p, int64_t k) { return p / 4 * 12 + 4 * k + p % 4; };
  EXPECT_NEAR(lossOf(module), meanLoss(40, 3, at), 1e-12);
  module = import(softmax(-2), {2, 4, 3}, {2, 4, 3});
  ASSERT_TRUE(module) << refusal;
  EXPECT_EQ(labelsOf(module), (Extents{2, 3}));
}

TEST_F(OnnxPositions, ASoftmaxOverSeveralDimensionsIsRefused) {
  // Before opset 13, the axis is the first of those that the op sums over.
  EXPECT_FALSE(import(softmax(1), {2, 5, 4}, {2, 5, 4}, 11));
  EXPECT_EQ(
      refusal,
      "output 'y' is float 2x5x4; the cross entropy needs float logits of "
      "2 samples and two or more classes; for another output, give "
      "--loss mse or bce");
  EXPECT_TRUE(import(softmax(2), {2, 5, 4}, {2, 5, 4}, 11)) << refusal;
}

TEST_F(OnnxPositions, ALabelForEachSampleStaysOne) {
  for (Extents shape : {Extents{2, 5}, Extents{2, 5, 1, 1}}) {
    auto module = import(relu(), shape, shape);
    ASSERT_TRUE(module) << refusal;
    EXPECT_EQ(labelsOf(module), (Extents{2}));
  }
  EXPECT_TRUE(import(relu(), {2, 5, 1}, {2, 5, 1})) << refusal;
  EXPECT_FALSE(import(relu(), {2, 1}, {2, 1}));
}

TEST_F(OnnxPositions, RowsOfAllPositionsAreThoseOfTheirSamples) {
  // PyTorch's logits.view(-1, K); the batch is that of the input.
  std::string nodes = bytes(1, encode::node("Reshape", {"x", "shape"}, {"y"})) +
                      bytes(5, encode::number(1, 2) + encode::number(2, 7) +
                                   encode::number(7, uint64_t(-1)) +
                                   encode::number(7, 4) + bytes(8, "shape"));
  auto module = import(nodes, {2, 5, 4}, {10, 4});
  ASSERT_TRUE(module) << refusal;
  EXPECT_EQ(labelsOf(module), (Extents{2, 5}));
  auto at = [](int64_t p, int64_t k) { return 4 * p + k; };
  EXPECT_NEAR(lossOf(module), meanLoss(10, 4, at), 1e-12);
}

/// PyTorch names parameters, and writes numbers of the code as nodes. Others
/// write both in either way.
TEST_F(OnnxPositions, SingleNumbersOfPyTorchAreParameters) {
  std::string nodes = bytes(1, encode::node("Mul", {"x", "gain"}, {"y"})) +
                      bytes(5, encode::tensor("gain", {1}, {2}));
  auto count = [&] {
    auto module = import(nodes, {2, 4}, {2, 4});
    EXPECT_TRUE(module) << refusal;
    auto all = module.get().getOps<sg::VariableOp>();
    return std::distance(all.begin(), all.end());
  };
  EXPECT_EQ(count(), 0);
  producer = "pytorch";
  EXPECT_EQ(count(), 1);
  nodes = bytes(1, encode::node("Mul", {"x", "onnx::Mul_3"}, {"y"})) +
          bytes(5, encode::tensor("onnx::Mul_3", {1}, {2}));
  EXPECT_EQ(count(), 0);
  // Tensors of nodes.
  std::string value =
      bytes(5, bytes(1, "value") + encode::number(20, 4) +
                   bytes(5, encode::tensor("", {4}, {1, 2, 3, 4})));
  nodes = bytes(1, encode::node("Constant", {}, {"c"}, value)) +
          bytes(1, encode::node("Mul", {"x", "c"}, {"y"}));
  EXPECT_EQ(count(), 0);
  producer = "another";
  EXPECT_EQ(count(), 1);
  // Beside initializers of as many elements.
  nodes = bytes(1, encode::node("Constant", {}, {"c"}, value)) +
          bytes(1, encode::node("Mul", {"x", "c"}, {"z"})) +
          bytes(1, encode::node("Add", {"z", "w"}, {"y"})) +
          bytes(5, encode::tensor("w", {2, 4}, std::vector<float>(8)));
  EXPECT_EQ(count(), 1);
}

/// The shape of the constant is that of the input: it is no parameter.
TEST_F(OnnxPositions, ConstantsOfComputedShapesAreNoParameters) {
  std::string minus = encode::number(1, 1) + encode::number(2, 1) +
                      bytes(9, encode::floats({-INFINITY}));
  std::string value =
      bytes(5, bytes(1, "value") + encode::number(20, 4) + bytes(5, minus));
  std::string fill =
      bytes(1, encode::node("ConstantOfShape", {"shape"}, {"m"}, value));
  std::string add = bytes(1, encode::node("Max", {"x", "m"}, {"y"}));
  auto module =
      import(bytes(1, encode::node("Shape", {"x"}, {"shape"})) + fill + add,
             {2, 4}, {2, 4});
  ASSERT_TRUE(module) << refusal;
  EXPECT_TRUE(module.get().getOps<sg::VariableOp>().empty());
  // A mask is none either where the file holds its shape.
  std::string shape = encode::number(1, 2) + encode::number(2, 7) +
                      encode::number(7, 2) + encode::number(7, 4) +
                      bytes(8, "shape");
  module = import(bytes(5, shape) + fill + add, {2, 4}, {2, 4});
  ASSERT_TRUE(module) << refusal;
  EXPECT_TRUE(module.get().getOps<sg::VariableOp>().empty());
}
