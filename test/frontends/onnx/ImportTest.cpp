//===- ImportTest.cpp - ONNX files as models ------------------------------===//

#include "reprise/Onnx/Import.h"
#include "Encode.h"
#include "OnnxCases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"
#include "reprise/Onnx/Export.h"
#include "reprise/Reference/Evaluator.h"
#include "gtest/gtest.h"
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
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

TEST_F(OnnxImport, TransposesAroundLayersCancel) {
  std::string graph = bytes(1, encode::node("Transpose", {"x"}, {"a"},
                                            ints("perm", {0, 3, 1, 2}))) +
                      bytes(1, encode::node("Conv", {"a", "w"}, {"b"})) +
                      bytes(1, encode::node("Transpose", {"b"}, {"y"},
                                            ints("perm", {0, 2, 3, 1}))) +
                      bytes(5, encode::tensor("w", {4, 3, 3, 3},
                                              std::vector<float>(108, 0.5f))) +
                      bytes(11, encode::value("x", {2, 8, 8, 3})) +
                      bytes(12, encode::value("y", {2, 6, 6, 4}));
  Imported imported = import(encode::model(graph));
  ASSERT_TRUE(imported.module);
  EXPECT_EQ(countOps(imported, "sg.transpose"), 0u);
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
  EXPECT_EQ(imported.notes[0],
            "input 'image' has its channels last: samples of 8x8x3");
  EXPECT_EQ(imported.notes[1].find("the final Softmax is cut"), 0u);
}

/// The classifier without its Softmax.
static std::string regressor() {
  std::string graph = classifier();
  std::string end = bytes(12, encode::value("probabilities", {2, 5}));
  return graph.substr(0, graph.size() - end.size()) +
         bytes(12, encode::value("logits", {2, 5}));
}

TEST_F(OnnxImport, TargetsHaveTheOutputsShape) {
  for (Loss loss : {Loss::BinaryCrossEntropy, Loss::SquaredError}) {
    ImportOptions options;
    options.loss = loss;
    options.batch = 3;
    options.label = "wanted";
    Imported imported = import(encode::model(regressor()), options);
    ASSERT_TRUE(imported.module);
    auto function = *imported.module->getOps<func::FuncOp>().begin();
    ASSERT_EQ(function.getNumArguments(), 2u);
    EXPECT_EQ(cast<ShapedType>(function.getArgumentTypes()[1]).getShape(),
              llvm::ArrayRef<int64_t>({3, 5}));
    EXPECT_EQ(cast<ShapedType>(function.getResultTypes()[0]).getRank(), 0);
  }
}

TEST_F(OnnxImport, BinaryCrossEntropyNeedsLogits) {
  ImportOptions options;
  options.loss = Loss::BinaryCrossEntropy;
  Imported imported = import(encode::model(classifier()), options);
  EXPECT_EQ(reasons(imported),
            (std::vector<std::string>{
                "||output 'probabilities' ends in Softmax, but the cross "
                "entropy needs logits"}));
}

TEST_F(OnnxImport, ANewHeadHasOtherClasses) {
  ImportOptions options;
  options.loss = Loss::CrossEntropy;
  options.classes = 7;
  Imported imported = import(encode::model(classifier()), options);
  ASSERT_TRUE(imported.module);
  auto weight = imported.module->lookupSymbol<sg::VariableOp>("fc");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight.getTensorType().getShape(), llvm::ArrayRef<int64_t>({4, 7}));
  EXPECT_EQ(weight.getInit().getKind(), sg::InitKind::Uniform);
  EXPECT_EQ(weight.getInit().getParameter(), 0.5);
  EXPECT_EQ(imported.notes.back(),
            "the last layer 'fc' begins anew with 7 classes");
  options.classes = 5; // the file's
  imported = import(encode::model(classifier()), options);
  ASSERT_TRUE(imported.module);
  EXPECT_EQ(
      imported.module->lookupSymbol<sg::VariableOp>("fc").getInit().getKind(),
      sg::InitKind::Elements);
}

TEST_F(OnnxImport, RefusesOptionsForUnknownInputs) {
  ImportOptions options;
  options.shapes["no"] = {1};
  options.values["none"] = {1};
  EXPECT_EQ(reasons(import(encode::model(classifier()), options)),
            (std::vector<std::string>{"||--input: there is no input 'no'",
                                      "||--value: there is no input 'none'"}));
}

TEST_F(OnnxImport, ScopesOfNamesAreBlocks) {
  auto pathsOf = [](const Imported &imported, bool areAnnotated) {
    std::vector<std::string> paths;
    ModuleOp module = *imported.module;
    module.walk([&](sg::SgModuleOp block) {
      if (!areAnnotated || block.getActivationCheckpointing())
        paths.push_back(block.getPath().str());
    });
    return paths;
  };
  using Names = std::vector<std::string>;
  ImportOptions options;
  options.loss = Loss::CrossEntropy;
  options.annotate = zoo::Annotate::Blocks;
  Imported imported = import(encode::model(encode::scopedNetwork()), options);
  ASSERT_TRUE(imported.module);
  EXPECT_EQ(imported.blocks, 4u);
  EXPECT_EQ(pathsOf(imported, false),
            (Names{"stem", "layer1.0", "layer1.1", "layer1"}));
  EXPECT_EQ(pathsOf(imported, true), (Names{"stem", "layer1.0", "layer1.1"}));
  options.annotate = zoo::Annotate::Stages;
  imported = import(encode::model(encode::scopedNetwork()), options);
  EXPECT_EQ(pathsOf(imported, true), Names{"stem"});
  EXPECT_EQ(import(encode::model(classifier())).blocks, 0u);
}

TEST_F(OnnxImport, InputsOfAxesAreBoundToNumbers) {
  std::string axes =
      bytes(1, "axes") +
      bytes(2, bytes(1, encode::number(1, 7) +
                            bytes(2, bytes(1, encode::number(1, 1)))));
  std::string graph =
      bytes(1, encode::node("Unsqueeze", {"x", "axes"}, {"y"})) +
      bytes(11, encode::value("x", {2, 3})) + bytes(11, axes) +
      bytes(12, encode::value("y", {2, 1, 3}));
  Imported open = import(encode::model(graph));
  EXPECT_FALSE(open.module);
  EXPECT_EQ(open.unbound, std::vector<std::string>{"axes"});
  ImportOptions options;
  options.values["axes"] = {1};
  Imported bound = import(encode::model(graph), options);
  ASSERT_TRUE(bound.module);
  auto function = *bound.module->getOps<func::FuncOp>().begin();
  EXPECT_EQ(function.getNumArguments(), 1u);
  EXPECT_EQ(cast<ShapedType>(function.getResultTypes()[0]).getShape(),
            llvm::ArrayRef<int64_t>({2, 1, 3}));
  options.values["axes"] = {1, 2, 3, 4};
  EXPECT_FALSE(import(encode::model(graph), options).module);
}

TEST_F(OnnxImport, ExportedWeightsAreReadBack) {
  std::ofstream(path(), std::ios::binary) << encode::model(classifier());
  std::string error;
  std::vector<float> elements(20);
  std::iota(elements.begin(), elements.end(), 0.25f);
  TrainedWeights weights = {{"fc", {{4, 5}, elements, false}},
                            {"fc.momentum", {{4, 5}, elements, true}}};
  auto exported = exportWeights(path(), weights, error);
  ASSERT_TRUE(exported) << error;
  EXPECT_EQ(exported->written, 1u);
  Imported imported = import(exported->model);
  ASSERT_TRUE(imported.module);
  auto value = imported.module->lookupSymbol<sg::VariableOp>("fc")
                   .getInit()
                   .getElements()
                   .getValues<float>();
  EXPECT_EQ(std::vector<float>(value.begin(), value.end()), elements);
  EXPECT_EQ(imported.parameters.size(), 3u);

  weights["fc"].shape = {5, 4};
  EXPECT_FALSE(exportWeights(path(), weights, error));
  EXPECT_NE(error.find("'fc' has the shape 5x4, but in the file 4x5"),
            std::string::npos);
  error.clear();
  weights["fc"].shape = {4, 5};
  weights["fc.momentum"].isOptional = false;
  EXPECT_FALSE(exportWeights(path(), weights, error));
  EXPECT_NE(error.find("the file has no tensor 'fc.momentum'"),
            std::string::npos);
}

/// The first `count` eighths.
static TrainedWeight eighths(const std::vector<int64_t> &shape, size_t count) {
  TrainedWeight weight{shape, std::vector<float>(count), false};
  for (size_t k = 0; k < count; ++k)
    weight.elements[k] = float(k) / 8;
  return weight;
}

TEST_F(OnnxImport, ANewHeadIsExportedWithItsShapes) {
  std::string graph =
      encode::scopedNetwork() + bytes(13, encode::value("l", {4, 4})) +
      bytes(13, encode::value("logits", {-1, 5})); // a second statement
  std::ofstream(path(), std::ios::binary) << encode::model(graph);
  std::string error;
  TrainedWeights weights = {{"fc.weight", eighths({4, 7}, 28)},
                            {"fc.bias", eighths({7}, 7)},
                            {"shift", eighths({4}, 4)}};
  auto exported = exportWeights(path(), weights, error);
  ASSERT_TRUE(exported) << error;
  EXPECT_EQ(exported->written, 3u);
  EXPECT_NE(exported->model.find(encode::value("l", {4, 4})),
            std::string::npos);
  EXPECT_NE(exported->model.find(encode::value("logits", {-1, 7})),
            std::string::npos);
  Imported imported = import(exported->model);
  ASSERT_TRUE(imported.module);
  EXPECT_EQ(imported.facts.outputs[0].type, "float 4x7");
  auto value = imported.module->lookupSymbol<sg::VariableOp>("fc.weight")
                   .getInit()
                   .getElements()
                   .getValues<float>();
  EXPECT_EQ(std::vector<float>(value.begin(), value.end()),
            weights["fc.weight"].elements);

  std::ofstream(path(), std::ios::binary) << encode::model(graph);
  weights["fc.bias"] = eighths({6}, 6);
  EXPECT_FALSE(exportWeights(path(), weights, error));
  EXPECT_NE(error.find("'fc.bias' has the shape 6, but in the file 7"),
            std::string::npos)
      << error;
  error.clear();
  weights.erase("fc.bias");
  EXPECT_FALSE(exportWeights(path(), weights, error));
  EXPECT_NE(error.find("'fc.weight' has 7 classes, but there is no 'fc.bias'"),
            std::string::npos)
      << error;
  error.clear();
  weights = {{"fc.weight", eighths({5, 7}, 35)}, {"fc.bias", eighths({7}, 7)}};
  EXPECT_FALSE(exportWeights(path(), weights, error));
}

TEST_F(OnnxImport, ExternalWeightsAreExportedBesideTheCopy) {
  namespace fs = std::filesystem;
  std::string data = fs::path(path()).filename().string() + ".bin";
  auto external = [&](const std::string &name, const char *offset,
                      const std::vector<int64_t> &dims) {
    std::string message;
    for (int64_t extent : dims)
      message += encode::number(1, extent);
    auto entry = [](const std::string &key, const std::string &text) {
      return bytes(13, bytes(1, key) + bytes(2, text));
    };
    return bytes(5, message + encode::number(2, 1) + bytes(8, name) +
                        encode::number(14, 1) + entry("location", data) +
                        entry("offset", offset));
  };
  std::string graph = bytes(1, encode::node("Mul", {"x", "scale"}, {"s"})) +
                      bytes(1, encode::node("MatMul", {"s", "w"}, {"y"})) +
                      external("scale", "0", {2}) + external("w", "8", {2, 2}) +
                      bytes(11, encode::value("x", {3, 2})) +
                      bytes(12, encode::value("y", {3, 2}));
  std::ofstream(path(), std::ios::binary) << encode::model(graph);
  fs::path beside = fs::path(path()).parent_path() / data;
  std::ofstream(beside, std::ios::binary) << encode::floats({1, 2, 3, 4, 5, 6});
  std::string error;
  auto exported = exportWeights(path(), {{"w", eighths({2, 2}, 4)}}, error);
  ASSERT_TRUE(exported) << error;
  EXPECT_EQ(exported->model, encode::model(graph));
  EXPECT_EQ(exported->external[data],
            encode::floats({1, 2, 0, 0.125f, 0.25f, 0.375f}));
  // A new head does not fit into the old one's bytes.
  exported = exportWeights(path(), {{"w", eighths({2, 3}, 6)}}, error);
  ASSERT_TRUE(exported) << error;
  EXPECT_TRUE(exported->external.empty());
  Imported imported = import(exported->model);
  ASSERT_TRUE(imported.module);
  EXPECT_EQ(imported.facts.outputs[0].type, "float 3x3");
  auto scale = imported.module->lookupSymbol<sg::VariableOp>("scale")
                   .getInit()
                   .getElements()
                   .getValues<float>();
  EXPECT_EQ(std::vector<float>(scale.begin(), scale.end()),
            (std::vector<float>{1, 2}));
  fs::remove(beside);
}

TEST_F(OnnxImport, FrozenWeightsAreConstants) {
  ImportOptions options;
  options.freeze = {"conv.*"};
  Imported imported = import(encode::model(classifier()), options);
  ASSERT_TRUE(imported.module);
  ASSERT_EQ(imported.parameters.size(), 1u);
  EXPECT_EQ(imported.parameters[0].name, "fc");
}

TEST_F(OnnxImport, PatternsOfFrozenWeightsMatchSome) {
  ImportOptions options;
  options.freeze = {"conv.*", "conv.weight", "fcc", "["};
  EXPECT_EQ(reasons(import(encode::model(classifier()), options)),
            (std::vector<std::string>{"||--freeze: no parameter matches 'fcc'",
                                      "||--freeze: no parameter matches '['"}));
}

TEST_F(OnnxImport, ChoosesAmongOutputsBeforeItLeavesAnyOut) {
  ImportOptions options;
  options.loss = Loss::CrossEntropy;
  std::string graph = regressor() + bytes(12, encode::value("f", {2, 4}));
  Imported imported = import(encode::model(graph), options);
  EXPECT_EQ(reasons(imported),
            (std::vector<std::string>{
                "||the loss reads one of the outputs 'logits', 'f'; choose it: "
                "--logits NAME"}));
  EXPECT_EQ(imported.notes.size(), 1u); // of the layout
  options.logits = "logits";
  imported = import(encode::model(graph), options);
  EXPECT_TRUE(imported.module);
  EXPECT_EQ(imported.notes.back(),
            "output 'f' is left out: the loss does not read it");
}

TEST_F(OnnxImport, InspectsFilesInTrainingMode) {
  std::string graph = encode::scopedNetwork();
  ImportOptions options;
  options.inspects = true;
  Imported eval = import(encode::model(graph), options);
  ASSERT_TRUE(eval.module);
  graph = encode::scopedNetwork(/*trains=*/true);
  Imported imported = import(encode::model(graph), options);
  EXPECT_EQ(reasons(imported), std::vector<std::string>());
  EXPECT_EQ(imported.parameters.size(), eval.parameters.size());
  EXPECT_EQ(imported.notes.back(),
            "the file is in training mode, which 'import' takes with --loss");
  EXPECT_EQ(reasons(import(encode::model(graph))).front(),
            "BatchNormalization|/layer1/layer1.0/bn1/BatchNormalization|it is "
            "in training mode; import with a loss");
}

TEST_F(OnnxImport, InspectsFilesOfOpenExtents) {
  std::string graph = classifier();
  std::string end = bytes(11, encode::value("image", {2, 3, 8, 8})) +
                    bytes(12, encode::value("probabilities", {2, 5}));
  graph = graph.substr(0, graph.size() - end.size()) +
          bytes(11, encode::value("image", {-1, 3, -1, -1})) +
          bytes(12, encode::value("probabilities", {-1, 5}));
  ImportOptions options;
  options.inspects = true;
  Imported imported = import(encode::model(graph), options);
  EXPECT_EQ(reasons(imported),
            (std::vector<std::string>{
                "||extents 0, 2, 3 of input 'image' (float Nx3xNxN) are not "
                "fixed; give --input NAME=SHAPE"}));
  EXPECT_EQ(imported.parameters.size(), 3u);
}

TEST_F(OnnxImport, FlattenedImagesAreChannelsLast) {
  auto graph = [](int64_t channels, const char *op = "Flatten") {
    return bytes(1, encode::node(op, {"x", "shape"}, {"y"})) +
           bytes(11, encode::value("x", {2, channels, 4, 5})) +
           bytes(12, encode::value("y", {2, channels * 20}));
  };
  EXPECT_TRUE(import(encode::model(graph(3))).facts.inputs[0].isLast);
  EXPECT_TRUE(
      import(encode::model(graph(1, "Reshape"))).facts.inputs[0].isLast);
  EXPECT_FALSE(import(encode::model(graph(4))).facts.inputs[0].isLast);
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

TEST_F(OnnxImport, RefusesRecurrentLayersByReason) {
  auto layer = [](const std::string &attributes, int64_t steps = 3,
                  int64_t hidden = 2) {
    auto zeros = [](int64_t count) { return std::vector<float>(count); };
    return encode::model(
        bytes(1, encode::node("GRU", {"x", "w", "r", "", "", "h"}, {"y"},
                              attributes)) +
        bytes(5, encode::tensor("w", {1, 6, 4}, zeros(24))) +
        bytes(5, encode::tensor("r", {1, 6, hidden}, zeros(6 * hidden))) +
        bytes(5, encode::tensor("h", {1, 1, 2}, zeros(2))) +
        bytes(11, encode::value("x", {steps, 5, 4})) +
        bytes(12, encode::value("y", {steps, 1, 5, 2})));
  };
  auto text = [](const char *name, const char *value) {
    return bytes(5, bytes(1, name) + encode::number(20, 3) + bytes(4, value));
  };
  auto names = [](std::initializer_list<const char *> values) {
    std::string attribute = bytes(1, "activations") + encode::number(20, 8);
    for (const char *value : values)
      attribute += bytes(9, value);
    return bytes(5, attribute);
  };
  const std::pair<std::string, std::string> refused[] = {
      {layer("", 513), "it has 513 steps, each of which becomes ops of its "
                       "own; the limit is 512"},
      {layer(text("direction", "sideways")),
       "the direction 'sideways' is unknown"},
      {layer(text("direction", "bidirectional")),
       "its weights 1x6x4 and 1x6x2 do not fit"},
      {layer("", 3, 3), "its weights 1x6x4 and 1x6x3 do not fit"},
      {layer(names({"Sigmoid"})), "it has 1 activations; 2 are needed"},
      {layer(names({"Tanh", "Mish"})),
       "the activation 'Mish' is not supported"}};
  for (const auto &[model, reason] : refused)
    EXPECT_EQ(reasons(import(model)),
              std::vector<std::string>{"GRU|GRU_node|" + reason});
  for (const std::string &model :
       {layer("", 512), layer(names({"HardSigmoid", "Softsign"}))})
    EXPECT_TRUE(import(model).module);
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
  for (const char *name : {"mnist_8", "micro_kws", "onnxmlir_mnist",
                           "torch_lstm", "torch_gru", "torch_packed"})
    EXPECT_EQ(runCase(context, std::string(REPRISE_ONNX_DATA "/") + name),
              "pass")
        << name;
}

static std::string contentsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Changes bytes, copies a part over another one, or cuts the end.
static std::string mutate(std::string file, std::mt19937 &random) {
  for (unsigned edits = 1 + random() % 3; edits; --edits) {
    size_t at = random() % file.size(), from = random() % file.size();
    size_t count =
        std::min(file.size() - std::max(at, from), size_t(1 + random() % 64));
    unsigned kind = random() % 8;
    if (kind < 5)
      file[at] = static_cast<char>(random());
    else if (kind < 7)
      file.replace(at, count, file.substr(from, count));
    else
      file.resize(at + 1);
  }
  return file;
}

TEST_F(OnnxImport, SurvivesMutation) {
  // Other files with --gtest_shuffle --gtest_repeat=N.
  std::mt19937 random(testing::UnitTest::GetInstance()->random_seed());
  std::vector<std::string> files = {encode::model(classifier())};
  for (const char *name :
       {"mnist_8", "squeezenet", "micro_kws", "espcn", "torch_lstm"})
    files.push_back(
        contentsOf(std::string(REPRISE_ONNX_DATA "/") + name + "/model.onnx"));
  double slowest = 0;
  std::string error;
  for (unsigned k = 0; k < 500; ++k) {
    std::ofstream(path(), std::ios::binary)
        << mutate(files[k % files.size()], random);
    ImportOptions options;
    options.loss = k % 2 ? Loss::CrossEntropy : Loss::None;
    options.inspects = k % 4 == 0;
    if (k % 3 == 0)
      options.batch = 3;
    error.clear();
    auto start = std::chrono::steady_clock::now();
    auto imported = importModel(context, path(), options, error);
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    slowest = std::max(slowest, seconds.count());
    EXPECT_EQ(imported.has_value(), error.empty());
    if (imported)
      EXPECT_EQ(imported->module.get() == nullptr, !imported->refusals.empty());
  }
  RecordProperty("slowest_milliseconds", int(slowest * 1000));
}
