//===- TrainingModesTest.cpp - Every mode trains to the same bits ---------===//
//
// Twenty steps of small models of the zoo. Expected values are those of mode
// `none`, in which nothing is computed twice; that `none` itself is right is
// what the tests against the reference evaluator show, here for the running
// statistics and in random_training for everything.
//
//===----------------------------------------------------------------------===//

#include "../runtime/trainer/TestFiles.h"
#include "ZooTraining.h"
#include "reprise/Analysis/PlanSummary.h"
#include "reprise/IR/Sg.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;
using reference::Tensor;
using reference::VariableStore;

static const char *const kModes[] = {"none",       "annotated",  "segments=2",
                                     "segments=4", "segments=8", "sqrt",
                                     "per-block",  "nested"};

namespace {

struct Trained {
  ByteStore before, after; // variables
  double loss = NAN;
  size_t predictedPeak = 0, measuredPeak = 0;
};

class TrainingModes : public testing::TestWithParam<ZooCase> {
protected:
  void SetUp() override { loadEverything(context); }

  /// The artifact of the model, which several tests train.
  const Bytes &compiled(const std::string &mode, bool fuse);
  /// Trains the program of `mode`; an error fails the test.
  Trained trainIn(const std::string &mode, const rt::TrainOptions &options,
                  bool fuse = true);

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

} // namespace

const Bytes &TrainingModes::compiled(const std::string &mode, bool fuse) {
  static std::map<std::tuple<std::string, std::string, bool>, Bytes> artifacts;
  auto artifact = [&](const std::string &mode) -> Bytes & {
    return artifacts[{GetParam().label, mode, fuse}];
  };
  if (!artifact(mode).empty())
    return artifact(mode);
  // Together, so that a kernel of several modes is compiled once.
  std::vector<Variant> variants;
  for (const char *each : kModes)
    if (fuse || each == mode)
      variants.push_back({each, optionsOf(GetParam(), each, fuse)});
  std::vector<Bytes> files;
  EXPECT_EQ(compileVariants(*buildCase(context, GetParam()), variants, files),
            "");
  for (auto [variant, file] : llvm::zip(variants, files))
    artifact(variant.label) = file;
  return artifact(mode);
}

Trained TrainingModes::trainIn(const std::string &mode,
                               const rt::TrainOptions &options, bool fuse) {
  Trained trained;
  OpenProgram program(compiled(mode, fuse));
  if (!program)
    return trained;
  rt::Backend &backend = program.backend();
  if (options.resumePath.empty()) {
    EXPECT_TRUE(backend.initialize(options.seed).ok());
    trained.before = program.variables();
  }
  auto result = rt::train(backend, options);
  if (!result.ok()) {
    ADD_FAILURE() << mode << ": " << result.status().message();
    return trained;
  }
  trained.loss = result->loss;
  trained.after = program.variables();
  auto memory = backend.memory();
  EXPECT_TRUE(memory.ok());
  trained.measuredPeak = memory->high_water_bytes;
  trained.predictedPeak = backend.entry("train_step")->peakBytes;
  return trained;
}

/// Names of the variables that differ, or that only one side has.
static std::vector<std::string> differences(const ByteStore &expected,
                                            const ByteStore &got) {
  std::vector<std::string> names;
  for (auto &[name, bytes] : expected) {
    auto found = got.find(name);
    if (found == got.end() || found->second != bytes)
      names.push_back(name);
  }
  for (auto &[name, bytes] : got)
    if (!expected.count(name))
      names.push_back(name);
  return names;
}

/// Kernels and library calls of a training step.
static size_t countSteps(MLIRContext &context, const ZooCase &zooCase,
                         bool fuse) {
  OwningOpRef<mlir::ModuleOp> model = buildCase(context, zooCase);
  CompileOptions options;
  options.amp = zooCase.amp;
  options.evaluation = false;
  options.fuse = fuse;
  if (!model || failed(lowerModel(*model, options, CompileLevel::Program)))
    return 0;
  size_t steps = 0;
  model->walk([&](rt_dialect::StepOpInterface) { ++steps; });
  return steps;
}

/// Arithmetic that a mode computes again in a step.
static uint64_t recomputedFlops(MLIRContext &context, const ZooCase &zooCase,
                                const std::string &mode) {
  OwningOpRef<mlir::ModuleOp> model = buildCase(context, zooCase);
  CompileOptions options;
  options.checkpointing = *parseCheckpointing(mode);
  options.evaluation = false;
  if (!model || failed(lowerModel(*model, options, CompileLevel::Program)))
    return 0;
  return summarizePlan(*model->getOps<rt_dialect::ProgramOp>().begin())
      .entries.front()
      .recomputedFlops;
}

/// A layer of the perceptron keeps its result alone, which is the next one's
/// input: cut into segments, it computes nothing again.
static bool computesAgain(const ZooCase &zooCase, llvm::StringRef mode) {
  return zooCase.model != llvm::StringRef("mlp") ||
         !mode.starts_with("segments=");
}

TEST_P(TrainingModes, TrainToTheSameBitsInThePredictedBytes) {
  Trained none = trainIn("none", trainOptions(20));
  ASSERT_TRUE(std::isfinite(none.loss));
  EXPECT_EQ(none.predictedPeak, none.measuredPeak);
  // What would stay as it was would be equal whatever is computed.
  for (auto &[name, bytes] : none.after)
    EXPECT_TRUE(name == "rng.seed" || bytes != none.before.at(name))
        << name << " was not trained";
  for (const char *mode : llvm::drop_begin(kModes)) {
    SCOPED_TRACE(mode);
    EXPECT_TRUE(!computesAgain(GetParam(), mode) ||
                recomputedFlops(context, GetParam(), mode) > 0);
    Trained other = trainIn(mode, trainOptions(20));
    EXPECT_EQ(other.loss, none.loss);
    EXPECT_EQ(differences(none.after, other.after), std::vector<std::string>());
    EXPECT_EQ(other.predictedPeak, other.measuredPeak);
  }
}

// The state of one mode goes on in another: nothing in it depends on the plan.
TEST_P(TrainingModes, GoOnAfterAnInterruptionWithTheSameBits) {
  rt::test::Folder folder;
  Trained whole = trainIn("none", trainOptions(20));
  rt::TrainOptions first = trainOptions(10);
  first.savePath = folder / "state.safetensors";
  Trained half = trainIn("annotated", first);
  EXPECT_NE(differences(whole.after, half.after), std::vector<std::string>());
  for (const char *mode : {"none", "annotated", "per-block", "nested"}) {
    SCOPED_TRACE(mode);
    rt::TrainOptions rest = trainOptions(20);
    rest.resumePath = first.savePath;
    Trained resumed = trainIn(mode, rest);
    EXPECT_EQ(resumed.loss, whole.loss);
    EXPECT_EQ(differences(whole.after, resumed.after),
              std::vector<std::string>());
  }
}

// A kernel of several ops rounds as they do one by one, and so do the library's
// calls that take over what follows them.
TEST_P(TrainingModes, FusionChangesNoBits) {
  Trained fused = trainIn("annotated", trainOptions(20));
  Trained apart = trainIn("annotated", trainOptions(20), /*fuse=*/false);
  EXPECT_GT(countSteps(context, GetParam(), /*fuse=*/false),
            3 * countSteps(context, GetParam(), /*fuse=*/true) / 2);
  EXPECT_EQ(apart.loss, fused.loss);
  EXPECT_EQ(differences(fused.after, apart.after), std::vector<std::string>());
  EXPECT_EQ(apart.predictedPeak, apart.measuredPeak);
}

// The comparison above sees what it is there to see.
TEST_P(TrainingModes, OtherInputsGiveOtherBits) {
  // The first steps of f16 find the scale of the loss, and change no parameter.
  uint64_t steps = GetParam().amp == MixedPrecision::F16 ? 20 : 1;
  Trained one = trainIn("none", trainOptions(steps));
  rt::TrainOptions others = trainOptions(steps);
  others.data.syntheticSeed = 1;
  Trained other = trainIn("none", others);
  EXPECT_EQ(one.before, other.before);
  EXPECT_NE(differences(one.after, other.after), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Zoo, TrainingModes, testing::ValuesIn(smallModels()),
                         [](const auto &info) { return info.param.label; });
INSTANTIATE_TEST_SUITE_P(Transformers, TrainingModes,
                         testing::ValuesIn(smallTransformers()),
                         [](const auto &info) { return info.param.label; });
INSTANTIATE_TEST_SUITE_P(Mixed, TrainingModes, testing::ValuesIn(mixedModels()),
                         [](const auto &info) { return info.param.label; });

//===----------------------------------------------------------------------===//
// Running statistics
//===----------------------------------------------------------------------===//

namespace {

/// Mean and unbiased variance of each channel, the last dimension.
struct Moments {
  std::vector<double> mean, variance;
};

class RunningStatistics : public testing::Test {
protected:
  void SetUp() override {
    loadEverything(context);
    model = buildCase(context, zooCase);
    ASSERT_TRUE(model);
    function = *model->getOps<func::FuncOp>().begin();
  }

  /// Runs one step in `mode` on a fresh session. Fills what the variables and
  /// the arguments were before and returns the variables after.
  VariableStore step(const std::string &mode, VariableStore &before,
                     SmallVector<Tensor> &arguments);

  /// Of the input of each batch normalization, by the op, from the model's
  /// forward pass in the reference evaluator.
  std::map<Operation *, Moments> evaluate(VariableStore variables,
                                          ArrayRef<Tensor> arguments);

  VariableStore toTensors(const ByteStore &bytes);

  MLIRContext context{MLIRContext::Threading::DISABLED};
  const ZooCase zooCase = smallModels()[1];
  OwningOpRef<mlir::ModuleOp> model;
  func::FuncOp function;
};

} // namespace

static Moments momentsOf(const Tensor &x) {
  int64_t channels = x.getDim(x.getRank() - 1), count = x.size() / channels;
  Moments moments;
  moments.mean.assign(channels, 0.0);
  moments.variance.assign(channels, 0.0);
  for (int64_t k = 0; k < x.size(); ++k)
    moments.mean[k % channels] += x.real(k) / count;
  for (int64_t k = 0; k < x.size(); ++k)
    moments.variance[k % channels] +=
        std::pow(x.real(k) - moments.mean[k % channels], 2) / (count - 1);
  return moments;
}

VariableStore RunningStatistics::toTensors(const ByteStore &bytes) {
  VariableStore tensors;
  model->walk([&](sg::VariableOp variable) {
    std::string name = variable.getSymName().str();
    tensors[name] = fromBytes(variable.getTensorType(), bytes.at(name));
  });
  return tensors;
}

VariableStore RunningStatistics::step(const std::string &mode,
                                      VariableStore &before,
                                      SmallVector<Tensor> &arguments) {
  OpenProgram program(compileCase(context, zooCase, mode));
  if (!program)
    return {};
  rt::Backend &backend = program.backend();
  EXPECT_TRUE(backend.initialize(3).ok());
  before = toTensors(program.variables());
  auto set = [&](const std::string &name, const Bytes &bytes) {
    rt::Status status =
        backend.setInput("train_step", name, bytes.data(), bytes.size());
    EXPECT_TRUE(status.ok()) << status.message();
  };
  for (auto [k, type] : llvm::enumerate(function.getArgumentTypes())) {
    Tensor value(cast<RankedTensorType>(type));
    for (int64_t i = 0; i < value.size(); ++i)
      if (value.isReal())
        value.real(i) = static_cast<float>(std::sin(0.37 * i) + 0.25);
      else
        value.integer(i) = i % 10;
    arguments.push_back(value);
    set(function.getArgAttrOfType<StringAttr>(k, sg::SgDialect::kNameAttr)
            .str(),
        toBytes(value));
  }
  auto scalar = RankedTensorType::get({}, Float32Type::get(&context));
  set("learning_rate", toBytes(Tensor::splat(scalar, 0.01)));
  rt::Status ran = backend.run("train_step");
  EXPECT_TRUE(ran.ok()) << ran.message();
  return toTensors(program.variables());
}

std::map<Operation *, Moments>
RunningStatistics::evaluate(VariableStore variables,
                            ArrayRef<Tensor> arguments) {
  std::map<Operation *, Moments> moments;
  reference::EvaluationOptions options;
  options.observe = [&](Operation *op, ArrayRef<Tensor> results) {
    for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results))
      for (Operation *user : value.getUsers())
        if (auto norm = dyn_cast<sg::BatchNormOp>(user))
          if (norm.getX() == value)
            moments[norm] = momentsOf(tensor);
  };
  EXPECT_TRUE(
      succeeded(reference::evaluate(function, arguments, variables, options)));
  return moments;
}

/// Each running statistic is (1 - momentum) * before + momentum * statistic.
/// Within 1e-4 of its size: the program's activations are rounded to 24 bits
/// some sixty times before the last normalization, and what would be advanced
/// twice would be wrong by some 0.1.
static void expectAdvanced(ArrayRef<double> statistic, double momentum,
                           const Tensor &before, const Tensor &after,
                           const std::string &name) {
  double worst = 0;
  for (auto [k, value] : llvm::enumerate(statistic)) {
    double expected = (1 - momentum) * before.real(k) + momentum * value;
    worst = std::max(worst, std::abs(after.real(k) - expected) /
                                std::max(1.0, std::abs(expected)));
  }
  EXPECT_LE(worst, 1e-4) << name;
}

TEST_F(RunningStatistics, AdvanceOnceAStep) {
  for (const char *mode : {"none", "annotated", "per-block", "nested"}) {
    SCOPED_TRACE(mode);
    VariableStore before;
    SmallVector<Tensor> arguments;
    VariableStore after = step(mode, before, arguments);
    ASSERT_FALSE(after.empty());
    auto moments = evaluate(before, arguments);
    unsigned count = 0;
    model->walk([&](sg::BatchNormOp norm) {
      ++count;
      double momentum = norm.getMomentum().convertToDouble();
      std::string mean = norm.getRunningMean().str();
      std::string variance = norm.getRunningVariance().str();
      ASSERT_TRUE(moments.count(norm)) << mean << " was not evaluated";
      expectAdvanced(moments[norm].mean, momentum, before.at(mean),
                     after.at(mean), mean);
      expectAdvanced(moments[norm].variance, momentum, before.at(variance),
                     after.at(variance), variance);
    });
    EXPECT_EQ(count, 20u);
  }
}
