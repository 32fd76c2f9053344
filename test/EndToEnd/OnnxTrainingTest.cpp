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
  std::string path =
      testing::TempDir() + "/gradients-" + std::to_string(::getpid()) + ".onnx";
  std::ofstream(path, std::ios::binary) << onnx::encode::model(graph);
  MLIRContext context;
  loadDialects(context);
  onnx::ImportOptions import;
  import.loss = onnx::Loss::SquaredError;
  std::string error;
  auto imported = onnx::importModel(context, path, import, error);
  std::filesystem::remove(path);
  ASSERT_TRUE(imported && imported->module) << error;
  CompileOptions options = trainingOptions();
  options.emitGradients = true;
  std::vector<Bytes> files;
  ASSERT_EQ(compileModes(*imported->module, {"none"}, options, files), "");
  ByteStore inputs = inputsOf(*imported->module, 3);
  CompiledRun run;
  ASSERT_EQ(
      runArtifact(files[0], variablesOfFile(*imported->module), inputs, 1, run),
      "");
  EXPECT_EQ(run.outputs.front().count("gradient:w"), 1u);
  EXPECT_EQ(run.outputs.front().count("gradient:c"), 1u);
  checkGradients(*imported->module, inputs, run.outputs.front());
}

INSTANTIATE_TEST_SUITE_P(
    Networks, OnnxTraining,
    testing::Values(Network{"mnist_8", onnx::Loss::CrossEntropy, 2, 1e-4},
                    Network{"micro_kws", onnx::Loss::CrossEntropy, 1, 1e-3},
                    Network{"onnxmlir_mnist", onnx::Loss::CrossEntropy, 4,
                            1e-3},
                    Network{"espcn",
                            onnx::Loss::SquaredError,
                            2,
                            1e-3,
                            {{"onnx::Relu_0", {2, 3, 8, 12}}}}),
    [](const auto &info) { return std::string(info.param.folder); });
