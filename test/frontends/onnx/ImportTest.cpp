//===- ImportTest.cpp - ONNX files as models ------------------------------===//

#include "reprise/Onnx/Import.h"
#include "Encode.h"
#include "OnnxCases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"
#include "reprise/Reference/Evaluator.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <random>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using encode::bytes;

namespace {
class OnnxImport : public testing::Test {
protected:
  OnnxImport() {
    DialectRegistry registry;
    registry.insert<sg::SgDialect, func::FuncDialect>();
    reference::registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  void TearDown() override { std::filesystem::remove(path()); }

  std::string path() const {
    return testing::TempDir() + "/import-" + std::to_string(::getpid()) +
           ".onnx";
  }
  Imported import(const std::string &file, const ImportOptions &options = {}) {
    std::ofstream(path(), std::ios::binary) << file;
    std::string error;
    auto imported = importModel(context, path(), options, error);
    EXPECT_TRUE(imported) << error;
    return imported ? std::move(*imported) : Imported();
  }
  static std::vector<std::string> reasons(const Imported &imported) {
    std::vector<std::string> all;
    for (const Refusal &refusal : imported.refusals)
      all.push_back(refusal.op + "|" + refusal.node + "|" + refusal.reason);
    return all;
  }
  static size_t countOps(const Imported &imported, llvm::StringRef name) {
    size_t count = 0;
    ModuleOp module = *imported.module;
    module.walk(
        [&](Operation *op) { count += op->getName().getStringRef() == name; });
    return count;
  }

  MLIRContext context;
};
} // namespace

static std::string ints(const std::string &name,
                        const std::vector<int64_t> &values) {
  std::string attribute = bytes(1, name) + encode::number(20, 7);
  for (int64_t value : values)
    attribute += encode::number(8, value);
  return bytes(5, attribute);
}

/// A convolution of 2x3x8x8 with 4 filters, a relu, and a classifier of 4
/// pixels' means that ends in Softmax.
static std::string classifier() {
  return bytes(1, encode::node("Conv", {"image", "conv.weight", "conv.bias"},
                               {"c"}, ints("pads", {1, 1, 1, 1}))) +
         bytes(1, encode::node("Relu", {"c"}, {"r"})) +
         bytes(1, encode::node("GlobalAveragePool", {"r"}, {"p"})) +
         bytes(1, encode::node("Flatten", {"p"}, {"f"})) +
         bytes(1, encode::node("MatMul", {"f", "fc"}, {"logits"})) +
         bytes(1, encode::node("Softmax", {"logits"}, {"probabilities"})) +
         bytes(5, encode::tensor("conv.weight", {4, 3, 3, 3},
                                 std::vector<float>(108, 0.5f))) +
         bytes(5, encode::tensor("conv.bias", {4}, {0, 1, 2, 3})) +
         bytes(5, encode::tensor("fc", {4, 5}, std::vector<float>(20, 1.f))) +
         bytes(11, encode::value("image", {2, 3, 8, 8})) +
         bytes(12, encode::value("probabilities", {2, 5}));
}

TEST_F(OnnxImport, KeepsImagesChannelsLastWithoutTransposes) {
  Imported imported = import(encode::model(classifier()));
  ASSERT_TRUE(imported.module);
  EXPECT_TRUE(imported.facts.inputs[0].isLast);
  EXPECT_EQ(countOps(imported, "sg.transpose"), 0u);
  auto filter = imported.module->lookupSymbol<sg::VariableOp>("conv.weight");
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter.getTensorType().getShape(),
            llvm::ArrayRef<int64_t>({4, 3, 3, 3}));
  EXPECT_EQ(*filter.getFilePermutation(),
            llvm::ArrayRef<int32_t>({0, 3, 1, 2}));
}

TEST_F(OnnxImport, CutsTheSoftmaxForTheCrossEntropy) {
  ImportOptions options;
  options.loss = Loss::CrossEntropy;
  options.batch = 6;
  Imported imported = import(encode::model(classifier()), options);
  ASSERT_TRUE(imported.module);
  EXPECT_EQ(countOps(imported, "sg.softmax"), 0u);
  EXPECT_EQ(countOps(imported, "sg.cross_entropy"), 1u);
  ASSERT_EQ(imported.notes.size(), 2u);
  EXPECT_EQ(imported.notes[0], "input 'image' has its channels last: 6x8x8x3");
  EXPECT_EQ(imported.notes[1].find("the final Softmax is cut"), 0u);
}

TEST_F(OnnxImport, FrozenWeightsAreConstants) {
  ImportOptions options;
  options.freeze = {"conv.*"};
  Imported imported = import(encode::model(classifier()), options);
  ASSERT_TRUE(imported.module);
  ASSERT_EQ(imported.parameters.size(), 1u);
  EXPECT_EQ(imported.parameters[0].name, "fc");
}

TEST_F(OnnxImport, CollectsAllRefusals) {
  std::string graph =
      bytes(1, encode::node("Bernoulli", {"x"}, {"a"})) +
      bytes(1, encode::node("NoSuchOp", {"a"}, {"b"})) +
      bytes(1, encode::node("NoSuchOp", {"b"}, {"c"})) +
      bytes(1, encode::node("Transpose", {"x"}, {"d"}, ints("perm", {0, 0}))) +
      bytes(11, encode::value("x", {2, 3})) +
      bytes(11, encode::value("n", {-1, 3})) +
      bytes(12, encode::value("c", {2, 3}));
  Imported imported = import(encode::model(graph));
  EXPECT_FALSE(imported.module);
  EXPECT_EQ(reasons(imported),
            (std::vector<std::string>{
                "||extent 0 of input 'n' (float Nx3) is not fixed; give "
                "--batch N or --input NAME=SHAPE",
                "Bernoulli|Bernoulli_node|the op is not supported",
                "NoSuchOp|NoSuchOp_node|the op is not supported",
                "Transpose|Transpose_node|perm is no order of rank 2"}));
  EXPECT_EQ(imported.refusals[2].nodes, 2u);
}

TEST_F(OnnxImport, RefusesUnknownOpsetsAndUnsortedNodes) {
  std::string graph = bytes(1, encode::node("Relu", {"late"}, {"y"})) +
                      bytes(1, encode::node("Relu", {"x"}, {"late"})) +
                      bytes(11, encode::value("x", {2})) +
                      bytes(12, encode::value("y", {2}));
  EXPECT_EQ(reasons(import(encode::model(graph, 999))).front(),
            "||the file is of opset 999; opsets 6 to 22 are supported");
  EXPECT_EQ(reasons(import(encode::model(graph))),
            (std::vector<std::string>{"Relu|Relu_node|'late' is read, but no "
                                      "earlier node computes it"}));
}

TEST_F(OnnxImport, SharedWeightsAreOneVariable) {
  std::string graph = bytes(1, encode::node("MatMul", {"x", "w"}, {"y"})) +
                      bytes(1, encode::node("MatMul", {"y", "w"}, {"z"})) +
                      bytes(5, encode::tensor("w", {2, 2}, {1, 2, 3, 4})) +
                      bytes(11, encode::value("x", {3, 2})) +
                      bytes(12, encode::value("z", {3, 2}));
  Imported imported = import(encode::model(graph));
  ASSERT_TRUE(imported.module);
  EXPECT_EQ(imported.parameters.size(), 1u);
  EXPECT_EQ(countOps(imported, "sg.variable"), 1u);
}

TEST_F(OnnxImport, NetworksGiveTheirPublishedOutputs) {
  for (const char *name : {"mnist_8", "micro_kws"})
    EXPECT_EQ(runCase(context, std::string(REPRISE_ONNX_DATA "/") + name),
              "pass")
        << name;
}

TEST_F(OnnxImport, SurvivesMutation) {
  std::mt19937 random(1);
  std::string file = encode::model(classifier()), error;
  for (unsigned k = 0; k < 1000; ++k) {
    std::string mutated = file;
    for (unsigned edits = 1 + random() % 3; edits; --edits)
      mutated[random() % mutated.size()] = static_cast<char>(random());
    std::ofstream(path(), std::ios::binary) << mutated;
    error.clear();
    auto imported = importModel(context, path(), {}, error);
    EXPECT_EQ(imported.has_value(), error.empty());
    if (imported)
      EXPECT_EQ(imported->module.get() == nullptr, !imported->refusals.empty());
  }
}
