//===- OnnxTrainingTest.cpp - Networks of ONNX files train ----------------===//
//
// Each network trains on a fixed batch: its loss falls, half of the memory that
// recomputation can save changes no bit, and its gradients are those of the
// loss's differences, which the reference evaluator computes in f64.
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "TrainingCheck.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/Onnx/Import.h"
#include "gtest/gtest.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;
using reference::Tensor;

namespace {
struct Network {
  const char *folder;
  onnx::Loss loss;
  int64_t batch;
  double rate; // of SGD
  /// The shapes of inputs, in place of the file's.
  std::map<std::string, std::vector<int64_t>> shapes = {};
};

class OnnxTraining : public testing::TestWithParam<Network> {
protected:
  OnnxTraining() {
    loadDialects(context);
    hideWarnings(context);
  }
  OwningOpRef<ModuleOp> load();

  MLIRContext context;
};
} // namespace

OwningOpRef<ModuleOp> OnnxTraining::load() {
  onnx::ImportOptions options;
  options.batch = GetParam().batch;
  options.loss = GetParam().loss;
  options.shapes = GetParam().shapes;
  std::string error;
  auto imported = onnx::importModel(context,
                                    std::string(REPRISE_ONNX_DATA "/") +
                                        GetParam().folder + "/model.onnx",
                                    options, error);
  if (!imported)
    return nullptr;
  for (const onnx::Refusal &refusal : imported->refusals)
    ADD_FAILURE() << textOf(refusal);
  return std::move(imported->module);
}

/// The variables of the file, in place of random ones.
static ByteStore variablesOfFile(ModuleOp model) {
  ByteStore variables;
  for (auto variable : model.getOps<sg::VariableOp>()) {
    auto value = reference::initialValue(variable);
    EXPECT_TRUE(succeeded(value));
    variables[variable.getSymName().str()] = toBytes(*value);
  }
  return variables;
}

/// The loss of the model in f64, after a parameter has moved by `distance`
/// along signs.
static double lossAt(ModuleOp model, const ByteStore &inputs,
                     StringRef parameter, const std::vector<int> &signs,
                     double distance) {
  auto function = *model.getOps<func::FuncOp>().begin();
  SmallVector<Tensor> arguments;
  for (unsigned k = 0; k < function.getNumArguments(); ++k)
    arguments.push_back(fromBytes(
        cast<RankedTensorType>(function.getArgumentTypes()[k]),
        inputs.at(
            cast<StringAttr>(function.getArgAttr(k, sg::SgDialect::kNameAttr))
                .str())));
  reference::VariableStore variables;
  for (auto variable : model.getOps<sg::VariableOp>()) {
    Tensor value = *reference::initialValue(variable);
    if (variable.getSymName() == parameter)
      for (int64_t i = 0; i < value.size(); ++i)
        value.real(i) += distance * signs[i];
    variables.emplace(variable.getSymName().str(), value);
  }
  auto results =
      reference::evaluate(function, arguments, variables, /*options=*/{});
  EXPECT_TRUE(succeeded(results));
  for (unsigned k = 0; succeeded(results) && k < results->size(); ++k)
    if (cast<StringAttr>(function.getResultAttr(k, sg::SgDialect::kNameAttr)) ==
        "loss")
      return (*results)[k].number(0);
  return NAN;
}

/// Compares the gradients of a step with differences along random signs.
static void checkGradients(ModuleOp model, const ByteStore &inputs,
                           const ByteStore &outputs) {
  std::mt19937 random(7);
  size_t checked = 0;
  for (auto variable : model.getOps<sg::VariableOp>()) {
    std::string name = variable.getSymName().str();
    auto found = outputs.find("gradient:" + name);
    if (found == outputs.end())
      continue;
    Tensor gradient = fromBytes(variable.getTensorType(), found->second);
    std::vector<int> signs(gradient.size());
    double slope = 0, size = 0;
    for (int64_t i = 0; i < gradient.size(); ++i) {
      signs[i] = random() & 1 ? 1 : -1;
      slope += gradient.real(i) * signs[i];
      size += std::fabs(gradient.real(i));
    }
    double step = 1e-6;
    double difference = (lossAt(model, inputs, name, signs, step) -
                         lossAt(model, inputs, name, signs, -step)) /
                        (2 * step);
    // The compiled step computes in f32; a sum of 10,000 elements that cancel
    // keeps three digits of its parts.
    EXPECT_NEAR(slope, difference, 1e-3 * size + 1e-6) << name;
    ++checked;
  }
  EXPECT_GT(checked, 0u);
}

TEST_P(OnnxTraining, LearnsWithinHalfTheMemoryToTheSameBits) {
  OwningOpRef<ModuleOp> model = load();
  ASSERT_TRUE(model);
  CompileOptions options = trainingOptions();
  options.emitGradients = true;
  options.optimizer.values["weight-decay"] = 0;
  std::vector<Bytes> files;
  std::string wrong =
      compileModes(*model, {"none", "budget=1/2"}, options, files);
  ASSERT_EQ(wrong, "");
  ByteStore variables = variablesOfFile(*model), inputs = inputsOf(*model, 3);
  for (auto &[name, bytes] : inputs)
    if (name == "learning_rate")
      *reinterpret_cast<float *>(bytes.data()) = float(GetParam().rate);
  CompiledRun plain, half;
  ASSERT_EQ(runArtifact(files[0], variables, inputs, 20, plain), "");
  ASSERT_EQ(runArtifact(files[1], variables, inputs, 20, half), "");
  EXPECT_EQ(compareBits(plain, half), "");
  EXPECT_LT(half.measuredPeak, plain.measuredPeak);
  EXPECT_EQ(half.measuredPeak, half.predictedPeak);
  EXPECT_LT(plain.losses.back(), plain.losses.front());
  for (float loss : plain.losses)
    EXPECT_TRUE(std::isfinite(loss));
  checkGradients(*model, inputs, plain.outputs.front());
}

static OwningOpRef<ModuleOp>
importGraph(MLIRContext &context, const std::string &graph, onnx::Loss loss) {
  std::string path =
      testing::TempDir() + "/graph-" + std::to_string(::getpid()) + ".onnx";
  std::ofstream(path, std::ios::binary) << onnx::encode::model(graph);
  loadDialects(context);
  onnx::ImportOptions options;
  options.loss = loss;
  options.annotate = zoo::Annotate::Stages;
  std::string error;
  auto imported = onnx::importModel(context, path, options, error);
  std::filesystem::remove(path);
  EXPECT_TRUE(imported && imported->module) << error;
  return imported ? std::move(imported->module) : nullptr;
}

TEST(OnnxBlocks, ModesOfBlocksTrainToTheSameBits) {
  MLIRContext context;
  OwningOpRef<ModuleOp> model = importGraph(
      context, onnx::encode::scopedNetwork(), onnx::Loss::CrossEntropy);
  ASSERT_TRUE(model);
  EXPECT_EQ(
      checkTraining(*model, 3, {"none", "annotated", "per-block", "nested"}),
      "");
}

/// Compares the gradients of a graph's mean square with differences.
static void expectGradients(const std::string &graph,
                            const std::vector<std::string> &gradients = {
                                "gradient:w", "gradient:v"}) {
  MLIRContext context;
  OwningOpRef<ModuleOp> model =
      importGraph(context, graph, onnx::Loss::SquaredError);
  ASSERT_TRUE(model);
  CompileOptions options = trainingOptions();
  options.emitGradients = true;
  std::vector<Bytes> files;
  ASSERT_EQ(compileModes(*model, {"none"}, options, files), "");
  ByteStore inputs = inputsOf(*model, 3);
  CompiledRun run;
  ASSERT_EQ(runArtifact(files[0], variablesOfFile(*model), inputs, 1, run), "");
  for (const std::string &gradient : gradients)
    EXPECT_EQ(run.outputs.front().count(gradient), 1u) << gradient;
  checkGradients(*model, inputs, run.outputs.front());
}

TEST(OnnxGradients, TransposedConvolutionsHaveThem) {
  auto pair = [](const char *name, uint64_t value) {
    return onnx::encode::bytes(
        5, onnx::encode::bytes(1, name) + onnx::encode::number(20, 7) +
               onnx::encode::number(8, value) + onnx::encode::number(8, value));
  };
  std::vector<float> filter;
  for (int k = 0; k < 3 * 2 * 9; ++k)
    filter.push_back(float(k * 7 % 11 - 5) / 16);
  std::string graph =
      onnx::encode::bytes(1, onnx::encode::node("Conv", {"x", "c"}, {"a"})) +
      onnx::encode::bytes(
          1, onnx::encode::node("ConvTranspose", {"a", "w", "b"}, {"y"},
                                pair("strides", 2) + pair("dilations", 2))) +
      onnx::encode::bytes(1, onnx::encode::node("Tanh", {"y"}, {"z"})) +
      onnx::encode::bytes(
          5, onnx::encode::tensor("c", {3, 1, 1, 1}, {0.5f, -1.f, 2.f})) +
      onnx::encode::bytes(5, onnx::encode::tensor("w", {3, 2, 3, 3}, filter)) +
      onnx::encode::bytes(5, onnx::encode::tensor("b", {2}, {0.25f, -0.5f})) +
      onnx::encode::bytes(11, onnx::encode::value("x", {2, 1, 4, 5})) +
      onnx::encode::bytes(12, onnx::encode::value("z", {2, 2, 11, 13}));
  expectGradients(graph, {"gradient:w", "gradient:c"});
}

/// A graph of the weights w (4,3) and v (2,3), the latter times x.
static std::string weighted(const std::string &nodes,
                            const std::vector<int64_t> &output,
                            const std::string &more = "") {
  using namespace onnx::encode;
  std::vector<float> w, v;
  for (int k = 0; k < 12; ++k)
    w.push_back(float((k * 7 + 2) % 12 - 5) / 8);
  for (int k = 0; k < 6; ++k)
    v.push_back(float((k * 5 + 1) % 6 - 2) / 4);
  return bytes(1, node("Mul", {"x", "v"}, {"u"})) + nodes + more +
         bytes(5, tensor("w", {4, 3}, w)) + bytes(5, tensor("v", {2, 3}, v)) +
         bytes(11, value("x", {2, 3})) + bytes(12, value("y", output));
}

/// An initializer of int64.
static std::string integers(const std::string &name,
                            const std::vector<int64_t> &dims,
                            const std::vector<int64_t> &values) {
  using namespace onnx::encode;
  std::string message;
  for (int64_t extent : dims)
    message += number(1, extent);
  message += number(2, 7) + bytes(8, name);
  for (int64_t element : values)
    message += number(7, element);
  return bytes(5, message);
}

TEST(OnnxGradients, AnglesHaveThem) {
  using namespace onnx::encode;
  std::string perm =
      bytes(1, "perm") + number(20, 7) + number(8, 1) + number(8, 0);
  std::string nodes =
      bytes(1, node("Sin", {"u"}, {"a"})) +
      bytes(1, node("Transpose", {"a"}, {"b"}, bytes(5, perm))) +
      bytes(1, node("MatMul", {"w", "b"}, {"c"})) +
      bytes(1, node("Cos", {"c"}, {"d"})) +
      bytes(1, node("Atan", {"d"}, {"y"}));
  expectGradients(weighted(nodes, {4, 2}));
}

TEST(OnnxGradients, SumsByLettersHaveThem) {
  using namespace onnx::encode;
  std::string equation =
      bytes(1, "equation") + number(20, 3) + bytes(4, "ij,kj,ij->ki");
  expectGradients(weighted(
      bytes(1, node("Einsum", {"u", "w", "u"}, {"y"}, bytes(5, equation))),
      {4, 2}));
}

TEST(OnnxGradients, ScatteredRowsAndLargestElementsHaveThem) {
  using namespace onnx::encode;
  std::string nodes =
      bytes(1, node("ScatterND", {"w", "rows", "u"}, {"a"})) +
      bytes(1, node("ScatterElements", {"a", "places", "u"}, {"b"})) +
      bytes(1, node("TopK", {"b", "two"}, {"y", ""}));
  expectGradients(weighted(nodes, {4, 2},
                           integers("rows", {2, 1}, {3, 0}) +
                               integers("places", {2, 3}, {1, 1, 0, 2, 2, 1}) +
                               integers("two", {1}, {2})));
}

TEST(OnnxGradients, TangentsAndArcsHaveThem) {
  using namespace onnx::encode;
  std::string nodes = bytes(1, node("Tanh", {"u"}, {"a"})) +
                      bytes(1, node("Asin", {"a"}, {"b"})) +
                      bytes(1, node("Acos", {"a"}, {"c"})) +
                      bytes(1, node("Mul", {"b", "c"}, {"d"})) +
                      bytes(1, node("Tan", {"a"}, {"e"})) +
                      bytes(1, node("Add", {"d", "e"}, {"y"}));
  expectGradients(weighted(nodes, {2, 3}), {"gradient:v"});
}

/// An attribute that is one integer.
static std::string integer(const std::string &name, uint64_t value) {
  using namespace onnx::encode;
  return bytes(5, bytes(1, name) + number(20, 2) + number(3, value));
}

TEST(OnnxGradients, KeptAndReversedElementsHaveThem) {
  using namespace onnx::encode;
  std::string nodes =
      bytes(1, node("ReverseSequence", {"w", "lengths"}, {"a"})) +
      bytes(1, node("Compress", {"a", "keep"}, {"b"}, integer("axis", 1))) +
      bytes(1, node("Compress", {"u", "keep"}, {"c"}, integer("axis", 1))) +
      bytes(1, node("MatMul", {"b", "c"}, {"y"}));
  expectGradients(weighted(nodes, {4, 2},
                           integers("lengths", {3}, {4, 1, 2}) +
                               integers("keep", {3}, {1, 0, 1})));
}

TEST(OnnxGradients, MultipliedRowsHaveThem) {
  using namespace onnx::encode;
  std::string product =
      bytes(5, bytes(1, "reduction") + number(20, 3) + bytes(4, "mul"));
  std::string nodes =
      bytes(1, node("ScatterND", {"w", "rows", "u"}, {"a"}, product)) +
      bytes(1, node("ScatterElements", {"a", "places", "u"}, {"y"}, product));
  expectGradients(weighted(nodes, {4, 3},
                           integers("rows", {2, 1}, {3, 3}) +
                               integers("places", {2, 3}, {1, 1, 0, 2, 1, 1})));
}

/// A layer of an op with `gates` gates, both directions, 3 steps, of which the
/// second sample has 2, 2 samples of 2 inputs, 3 hidden elements, and initial
/// states; x is its input and y its output.
static std::string recurrent(const std::string &op, int64_t gates,
                             std::string attributes = "",
                             bool hasPeepholes = false) {
  using namespace onnx::encode;
  auto weights = [](int64_t count, int64_t factor) {
    std::vector<float> values;
    for (int64_t k = 0; k < count; ++k)
      values.push_back(float((k * factor + 3) % 17 - 8) / 16);
    return values;
  };
  attributes += bytes(5, bytes(1, "direction") + number(20, 3) +
                             bytes(4, "bidirectional"));
  bool isLstm = op == "LSTM";
  std::vector<std::string> inputs = {"x", "w", "r", "b", "lengths", "h"};
  if (isLstm)
    inputs.push_back("c");
  if (hasPeepholes)
    inputs.push_back("p");
  std::string lengths = number(1, 2) + number(2, 6) + bytes(8, "lengths") +
                        number(5, 3) + number(5, 2);
  return bytes(1, node(op, inputs, {"y"}, attributes)) +
         bytes(5, tensor("w", {2, 3 * gates, 2}, weights(12 * gates, 7))) +
         bytes(5, tensor("r", {2, 3 * gates, 3}, weights(18 * gates, 5))) +
         bytes(5, tensor("b", {2, 6 * gates}, weights(12 * gates, 11))) +
         bytes(5, tensor("h", {2, 2, 3}, weights(12, 6))) +
         bytes(5, tensor("c", {2, 2, 3}, weights(12, 10))) +
         bytes(5, tensor("p", {2, 9}, weights(18, 13))) + bytes(5, lengths) +
         bytes(11, value("x", {3, 2, 2})) + bytes(12, value("y", {3, 2, 2, 3}));
}

TEST(OnnxGradients, RecurrentLayersHaveThem) {
  using namespace onnx::encode;
  std::vector<std::string> all = {"gradient:w", "gradient:r", "gradient:b"};
  expectGradients(recurrent("RNN", 1), all);
  expectGradients(recurrent("GRU", 3), all);
  expectGradients(recurrent("GRU", 3, integer("linear_before_reset", 1)), all);
  expectGradients(recurrent("LSTM", 4), all);
  expectGradients(recurrent("LSTM", 4, integer("input_forget", 1)), all);
  all.push_back("gradient:p");
  expectGradients(recurrent("LSTM", 4, "", /*hasPeepholes=*/true), all);
}

INSTANTIATE_TEST_SUITE_P(
    Networks, OnnxTraining,
    testing::Values(
        Network{"mnist_8", onnx::Loss::CrossEntropy, 2, 1e-4},
        Network{"micro_kws", onnx::Loss::CrossEntropy, 1, 1e-3},
        Network{"onnxmlir_mnist", onnx::Loss::CrossEntropy, 4, 1e-3},
        Network{"torch_lstm", onnx::Loss::CrossEntropy, 3, 1e-1},
        Network{"torch_gru", onnx::Loss::CrossEntropy, 5, 1e-1},
        Network{"torch_tokens", onnx::Loss::CrossEntropy, 3, 1e-1},
        Network{"torch_segmenter", onnx::Loss::CrossEntropy, 2, 1e-1},
        Network{"espcn",
                onnx::Loss::SquaredError,
                2,
                1e-3,
                {{"onnx::Relu_0", {2, 3, 8, 12}}}}),
    [](const auto &info) { return std::string(info.param.folder); });
