//===- ShapesTest.cpp - Constant shapes and the batch ---------------------===//

#include "Encode.h"
#include "OnnxCases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"
#include "reprise/Reference/Evaluator.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using encode::bytes;

namespace {
/// A graph that is written op by op.
class OnnxShapes : public testing::Test {
protected:
  OnnxShapes() {
    DialectRegistry registry;
    registry.insert<sg::SgDialect, func::FuncDialect>();
    reference::registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  ~OnnxShapes() override { std::filesystem::remove(path); }

  std::string op(const std::string &name,
                 const std::vector<std::string> &inputs,
                 const std::string &attributes = "") {
    std::string output = "v" + std::to_string(count++);
    graph += bytes(1, encode::node(name, inputs, {output}, attributes,
                                   name + "_" + output));
    return output;
  }
  /// A vector of integers that a node Constant holds.
  std::string ints(const std::vector<int64_t> &values) {
    return op("Constant", {}, attribute("value_ints", values));
  }
  std::string reals(const std::vector<float> &values) {
    std::string name = "w" + std::to_string(count++);
    graph += bytes(5, encode::tensor(name, {int64_t(values.size())}, values));
    return name;
  }
  static std::string attribute(const std::string &name,
                               const std::vector<int64_t> &values) {
    std::string text = bytes(1, name) + encode::number(20, 7);
    for (int64_t value : values)
      text += encode::number(8, uint64_t(value));
    return bytes(5, text);
  }
  static std::string axis(int64_t value) {
    return bytes(5, bytes(1, "axis") + encode::number(20, 2) +
                        encode::number(3, uint64_t(value)));
  }
  Imported import(const std::string &output, std::optional<int64_t> batch = {},
                  const std::vector<int64_t> &input = {1, 2, 4}) {
    std::ofstream(path, std::ios::binary)
        << encode::model(graph + bytes(11, encode::value("x", input)) +
                         bytes(12, encode::value(output, {1, 3, 4})));
    ImportOptions options;
    options.batch = batch;
    std::string error;
    auto imported = importModel(context, path, options, error);
    EXPECT_TRUE(imported) << error;
    return imported ? std::move(*imported) : Imported();
  }
  std::string attention(int64_t n);
  std::string chosenTokens(int64_t n);
  static std::string firstRefusal(const Imported &imported) {
    return imported.refusals.empty() ? "" : textOf(imported.refusals.front());
  }
  static std::vector<int64_t> shapeOf(Imported &imported) {
    auto function = *imported.module->getOps<func::FuncOp>().begin();
    return cast<ShapedType>(function.getResultTypes()[0]).getShape().vec();
  }
  /// The output for inputs of first / 16, (first + 1) / 16, ...
  static std::vector<double> run(Imported &imported, int64_t first) {
    auto function = *imported.module->getOps<func::FuncOp>().begin();
    reference::Tensor x(cast<RankedTensorType>(function.getArgumentTypes()[0]));
    for (int64_t k = 0; k < x.size(); ++k)
      x.real(k) = double(first + k) / 16;
    reference::VariableStore variables;
    ModuleOp module = *imported.module;
    for (auto variable : module.getOps<sg::VariableOp>())
      variables.emplace(variable.getSymName().str(),
                        *reference::initialValue(variable));
    auto results = reference::evaluate(function, {x}, variables);
    std::vector<double> numbers;
    for (int64_t k = 0; succeeded(results) && k < results->front().size(); ++k)
      numbers.push_back(results->front().number(k));
    return numbers;
  }

  MLIRContext context;
  std::string graph;
  const std::string path =
      testing::TempDir() + "/shapes-" + std::to_string(::getpid()) + ".onnx";
  unsigned count = 0;
};
} // namespace

/// A class token before the two tokens of each of `n` samples, and the reshapes
/// of PyTorch's attention: heads beside samples, tokens and samples together.
std::string OnnxShapes::attention(int64_t n) {
  graph = bytes(5, encode::tensor("token", {1, 1, 4}, {.9f, .8f, .7f, .6f}));
  std::string shape =
      op("Where", {op("Equal", {ints({n, -1, -1}), ints({-1, -1, -1})}),
                   ints({1, 1, 1}), ints({n, -1, -1})});
  std::string swap = attribute("perm", {1, 0, 2});
  std::string y = op("Concat", {op("Expand", {"token", shape}), "x"}, axis(1));
  y = op("Reshape", {op("Transpose", {y}, swap), ints({3, 2 * n, 2})});
  y = op("Softmax", {op("Transpose", {y}, swap)}, axis(1));
  y = op("Reshape", {op("Transpose", {y}, swap), ints({3 * n, 4})});
  y = op("Reshape", {y, ints({3, n, 4})});
  return op("Transpose", {y}, swap);
}

TEST_F(OnnxShapes, TheBatchFollows) {
  for (int64_t n : {1, 2}) {
    std::string y = attention(n);
    Imported four = import(y, 4, {n, 2, 4}), file = import(y, {}, {n, 2, 4});
    ASSERT_TRUE(four.module) << firstRefusal(four);
    ASSERT_TRUE(file.module) << firstRefusal(file);
    EXPECT_EQ(shapeOf(four), (std::vector<int64_t>{4, 3, 4}));
    std::vector<double> parts;
    for (int64_t k = 0; k < 4; k += n)
      llvm::append_range(parts, run(file, 8 * k));
    EXPECT_EQ(parts.size(), 48u);
    EXPECT_EQ(run(four, 0), parts);
  }
}

/// A token that is repeated for each of n samples, and one of each sample that
/// constants choose.
std::string OnnxShapes::chosenTokens(int64_t n) {
  graph = bytes(5, encode::tensor("token", {1, 1, 4}, {.9f, .8f, .7f, .6f}));
  std::string one =
      bytes(5, bytes(1, "value") + encode::number(20, 4) +
                   bytes(5, encode::number(1, 1) + encode::number(2, 7) +
                                encode::number(7, 1)));
  std::string token = op("Tile", {"token", ints({n, 1, 1})});
  token = op("Add", {token, op("ConstantOfShape", {ints({n, 1, 4})})});
  std::string y = op("Concat", {token, "x"}, axis(1));
  std::string samples = op("Range", {ints({0}), ints({n}), ints({1})});
  y = op("Gather", {y, samples});
  samples = op("Unsqueeze", {samples, ints({1})});
  std::string place = op("ConstantOfShape", {ints({n, 1})}, one);
  std::string index = op("Concat", {samples, place}, axis(1));
  std::string row = op("GatherND", {"x", index});
  return op("Add", {y, op("Unsqueeze", {row, ints({1})})});
}

TEST_F(OnnxShapes, ConstantsOfTheBatchFollow) {
  std::string y = chosenTokens(2);
  Imported four = import(y, 4, {2, 2, 4}), file = import(y, {}, {2, 2, 4});
  ASSERT_TRUE(four.module) << firstRefusal(four);
  ASSERT_TRUE(file.module) << firstRefusal(file);
  EXPECT_EQ(shapeOf(four), (std::vector<int64_t>{4, 3, 4}));
  std::vector<double> parts = run(file, 0);
  llvm::append_range(parts, run(file, 16));
  EXPECT_EQ(parts.size(), 48u);
  EXPECT_EQ(run(four, 0), parts);
}

/// Samples of a single one cannot be told from a number that all have.
TEST_F(OnnxShapes, ASingleSampleIsNotCounted) {
  Imported imported = import(chosenTokens(1), 4);
  EXPECT_NE(firstRefusal(imported).find("its indices are those of the file's "
                                        "samples; the file fixes a batch of 1"),
            std::string::npos)
      << firstRefusal(imported);
}

/// PyTorch stores the zeros of initial states, of its batch.
TEST_F(OnnxShapes, ZerosOfInitialStatesAreConstantsOfAnyBatch) {
  for (auto [name, parameters] :
       {std::pair("torch_lstm", 18), {"torch_gru", 14}}) {
    ImportOptions options;
    options.batch = 3;
    std::string error;
    auto imported = importModel(
        context, std::string(REPRISE_ONNX_DATA "/") + name + "/model.onnx",
        options, error);
    ASSERT_TRUE(imported && imported->module) << name << error;
    EXPECT_EQ(imported->parameters.size(), size_t(parameters)) << name;
  }
}

TEST_F(OnnxShapes, ABatchThatDoesNotFollowIsExplained) {
  std::string y = op("Reshape", {"x", ints({1, 8})});
  graph += bytes(5, encode::tensor("table", {2, 8}, std::vector<float>(16)));
  y = op("Concat", {y, op("Gather", {"table", ints({0, 1})})}, axis(1));
  EXPECT_EQ(
      firstRefusal(import(y, 4)),
      "Concat (Concat_v4): its inputs, 4x8 and 2x8, differ in other "
      "dimensions than axis 1; the file fixes a batch of 1, and constants "
      "in it do not follow 4: export the file with an open batch "
      "(dynamic_axes), or keep its batch");
}

TEST_F(OnnxShapes, ScalesThatNodesComputeAreConstants) {
  std::string ones = op("Concat", {reals({1, 1}), reals({2, 3})}, axis(0));
  std::string y = op("Resize", {"x", "", ones});
  Imported imported = import(y, {}, {1, 2, 4, 5});
  ASSERT_TRUE(imported.module) << firstRefusal(imported);
  EXPECT_EQ(shapeOf(imported), (std::vector<int64_t>{1, 2, 8, 15}));
  EXPECT_TRUE(imported.parameters.empty());
}

TEST_F(OnnxShapes, WeightsThatNodesMoveAreParameters) {
  std::string both = op("Concat", {reals({1, 1}), reals({2, 3})}, axis(0));
  Imported imported = import(op("Add", {"x", both}));
  ASSERT_TRUE(imported.module) << firstRefusal(imported);
  EXPECT_EQ(imported.parameters.size(), 2u);
}

/// PyTorch's order of pads: the last dimension first, pairs of both ends.
TEST_F(OnnxShapes, PadsInPyTorchsOrderAreFolded) {
  std::string zero = encode::number(1, 1) + encode::number(2, 7) +
                     bytes(9, std::string(8, '\0'));
  std::string rest =
      op("ConstantOfShape", {op("Sub", {ints({6}), ints({2})})},
         bytes(5, bytes(1, "value") + encode::number(20, 4) + bytes(5, zero)));
  std::string pairs = op("Concat", {ints({0, 1}), rest}, axis(0));
  pairs = op(
      "Cast", {pairs},
      bytes(5, bytes(1, "to") + encode::number(20, 2) + encode::number(3, 7)));
  pairs = op("Reshape", {pairs, ints({-1, 2})});
  pairs = op("Slice",
             {pairs, ints({-1}), ints({INT64_MIN}), ints({0}), ints({-1})});
  pairs = op("Transpose", {pairs}, attribute("perm", {1, 0}));
  pairs = op("Reshape", {pairs, ints({-1})});
  Imported imported = import(op("Pad", {"x", pairs}));
  ASSERT_TRUE(imported.module) << firstRefusal(imported);
  EXPECT_EQ(shapeOf(imported), (std::vector<int64_t>{1, 2, 5}));
}

TEST_F(OnnxShapes, MovedConstantsAreThoseOfTheOps) {
  // Rows of 0 to 5 by index, then by slices, then repeated.
  std::string x = op("Reshape", {ints({0, 1, 2, 3, 4, 5}), ints({2, 3})});
  std::string y = op("Gather", {x, ints({-1, 0})}, axis(1)); // 2 0, 5 3
  y = op("Concat", {y, x}, axis(1));                         // 20012, 53345
  y = op("Slice", {y, ints({4, 0}), ints({0, 2}), ints({1, 0}), ints({-2, 1})});
  y = op("Expand", {y, ints({2, 1, 1})}); // 2 0, 5 3 twice
  y = op("Reshape", {op("Transpose", {y}, attribute("perm", {2, 1, 0})),
                     ints({1, 2, 4})}); // 2 2 5 5, 0 0 3 3
  y = op("Add", {"x", op("Cast", {y},
                         bytes(5, bytes(1, "to") + encode::number(20, 2) +
                                      encode::number(3, 1)))});
  Imported imported = import(y);
  ASSERT_TRUE(imported.module) << firstRefusal(imported);
  std::vector<double> moved = {2, 2, 5, 5, 0, 0, 3, 3}, got = run(imported, 0);
  ASSERT_EQ(got.size(), 8u);
  for (size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(got[k] - double(k) / 16, moved[k], 1e-12);
  unsigned ops = 0;
  imported.module->walk([&](Operation *op) {
    ops += isa<sg::GatherOp, sg::SliceOp, sg::ConcatOp, sg::TransposeOp>(op);
  });
  EXPECT_EQ(ops, 0u);
}
