//===- SimulatedTrainingTest.cpp - Training on a simulated GPU ------------===//
//
// From model to trained variables through the compiler's target and the
// runtime's device "cuda". Expected bits are those of mode `none`; that `none`
// is right, what the processor's device computes from the same start, but for
// the order of sums.
//
//===----------------------------------------------------------------------===//

#include "../EndToEnd/ZooTraining.h"
#include "SimulatedTarget.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

/// What is trained how long, in how many of kModes, at how many budgets.
struct SimulatedCase {
  ZooCase model;
  uint64_t steps;
  unsigned modes, budgets;
};

std::ostream &operator<<(std::ostream &stream, const SimulatedCase &each) {
  return stream << each.model.label;
}

struct Trained {
  ByteStore after;
  double firstLoss = NAN, loss = NAN;
  uint64_t peak = 0; // bytes
};

class SimulatedTraining : public testing::TestWithParam<SimulatedCase> {
protected:
  void SetUp() override {
    loadEverything(context);
    gpu_test::registerSimulatedGpu();
    gpu_test::simulatedGpu() = {};
  }

  /// Trains an artifact; errors fail the test.
  Trained train(const Bytes &file, uint64_t steps, bool poison = false);

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

/// Trains a model whose kernels are formed with and without fusion.
class JoinedTraining : public SimulatedTraining {};

/// Of a model with a stem whose strides become channels.
class FoldedTraining : public SimulatedTraining {};

} // namespace

Trained SimulatedTraining::train(const Bytes &file, uint64_t steps,
                                 bool poison) {
  Trained trained;
  OpenProgram program(file, poison);
  if (!program)
    return trained;
  rt::Backend &backend = program.backend();
  rt::TrainOptions options = trainOptions(steps);
  options.onProgress = [&](const rt::Progress &progress) {
    if (progress.step == 1)
      trained.firstLoss = progress.loss;
  };
  auto result = rt::train(backend, options);
  if (!result.ok()) {
    ADD_FAILURE() << result.status().message();
    return trained;
  }
  trained.loss = result->loss;
  trained.after = program.variables();
  auto memory = backend.memory();
  EXPECT_TRUE(memory.ok());
  trained.peak = backend.entry("train_step")->peakBytes;
  EXPECT_EQ(memory->high_water_bytes, trained.peak);
  for (const std::string &problem : gpu_test::simulatedGpu().problems)
    ADD_FAILURE() << problem;
  return trained;
}

static const char *const kModes[] = {"none", "per-block", "annotated",
                                     "segments=3"};

TEST_P(SimulatedTraining, TrainsToTheSameBits) {
  const auto &[model, steps, modeCount, budgets] = GetParam();
  std::vector<std::string> modes(kModes, kModes + modeCount);
  for (unsigned k = 0; k < budgets; ++k)
    modes.push_back("budget=" + std::to_string(k) + "/" +
                    std::to_string(budgets - 1));
  if (budgets)
    modes.push_back("host=1/2");
  CompileOptions options = trainingOptions();
  options.target = TargetName::parse("cuda:");
  options.amp = model.amp;
  options.microBatches = model.microBatches;
  // Heads of four numbers take as long as wide ones: of models with windows one
  // is enough, which LosesWhatTheProcessorLoses has.
  options.attention = model.model == llvm::StringRef("swin_t")
                          ? AttentionChoice::Stored
                          : AttentionChoice::Tiled;
  std::vector<Bytes> files;
  ASSERT_EQ(compileModes(*buildCase(context, model), modes, options, files),
            "");
  Trained none = train(files[0], steps);
  ASSERT_TRUE(std::isfinite(none.loss));
  EXPECT_EQ(gpu_test::simulatedGpu().graphLaunches, steps);
  std::set<uint64_t> peaks = {none.peak};
  for (size_t k = 1; k < modes.size(); ++k) {
    SCOPED_TRACE(modes[k]);
    bool copies = llvm::StringRef(modes[k]).starts_with("host=");
    EXPECT_EQ(countOffloads(files[k]) > 0, copies);
    // Another order of threads, and of every other one steps one by one.
    gpu_test::simulatedGpu().seed += 1000;
    // Copies to the host run beside others in a graph alone.
    Trained other = train(files[k], steps, /*poison=*/k % 2 && !copies);
    EXPECT_EQ(other.loss, none.loss);
    EXPECT_TRUE(other.after == none.after);
    peaks.insert(other.peak);
  }
  // Else one program was run again and again. The loss of a ViT in f16 has the
  // peak whatever its blocks keep.
  if (model.label == llvm::StringRef("ViTF16"))
    return;
  EXPECT_GT(peaks.size(), budgets > 3 ? 3u : 1u);
}

/// Ops share kernels in one program and are kernels of their own in the other.
TEST_P(JoinedTraining, TrainsToTheBitsOfSeparateOps) {
  const ZooCase &model = GetParam().model;
  const char *target = "cuda:";
  Trained joined =
      train(compileCase(context, model, "none", /*fuse=*/true, target), 1);
  Trained separate =
      train(compileCase(context, model, "none", /*fuse=*/false, target), 1);
  ASSERT_TRUE(std::isfinite(joined.loss));
  EXPECT_EQ(joined.loss, separate.loss);
  EXPECT_TRUE(joined.after == separate.after);
}

/// The first loss says that the forward pass is right, how far the update moves
/// it, that the gradients are. In 16 bits both round for themselves, by another
/// order of sums: losses of rounding are some 0.1%, and of an update that moves
/// a loss of 3.10 to 1.70 here and to 1.61 there it is 5%. A ResNet-50 of four
/// images is more sensitive: its first loss is 2.275 in f32, and 2.257 to 2.296
/// in bf16 by five orders of sums, of processors with and without AVX-512; its
/// second one differs by 2% between these processors in f32 already.
TEST_P(SimulatedTraining, LosesWhatTheProcessorLoses) {
  auto losses = [&](const char *target) {
    Bytes file =
        compileCase(context, GetParam().model, "none", /*fuse=*/true, target);
    Trained trained = train(file, 2);
    return std::pair(trained.firstLoss, trained.loss);
  };
  auto [first, second] = losses("cuda:");
  auto [firstThere, secondThere] = losses("cpu:native");
  bool isMixed = GetParam().model.amp != MixedPrecision::None;
  bool isSensitive = GetParam().model.model == llvm::StringRef("resnet50");
  double ofLoss = !isMixed ? 1e-4 : isSensitive ? 2e-2 : 5e-3;
  double ofMove = !isMixed ? 0.01 : isSensitive ? 0.2 : 0.1;
  EXPECT_NEAR(first, firstThere, ofLoss * firstThere);
  double moved = first - second, movedThere = firstThere - secondThere;
  EXPECT_NEAR(moved, movedThere, ofMove * std::abs(movedThere))
      << first << " to " << second << ", there " << firstThere << " to "
      << secondThere;
}

static std::vector<float> floatsOf(const Bytes &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// |x - y| / |y|
static double distance(const std::vector<float> &x,
                       const std::vector<float> &y) {
  double error = 0, size = 0;
  for (auto [a, b] : llvm::zip_equal(x, y)) {
    error += std::pow(double(a) - b, 2);
    size += std::pow(double(b), 2);
  }
  return std::sqrt(error / size);
}

/// Losses hardly tell an image whose points are mixed up. The momentum of one
/// step is the gradient: rounding in 16 bits makes a fifth of it here.
TEST_P(FoldedTraining, AStemHasTheProcessorsGradient) {
  const ZooCase &model = GetParam().model;
  auto gradient = [&](const char *target) {
    Bytes file = compileCase(context, model, "none", /*fuse=*/true, target);
    return floatsOf(train(file, 1).after["conv1.weight.momentum_buffer"]);
  };
  std::vector<float> here = gradient("cuda:"), there = gradient("cpu:native");
  ASSERT_EQ(here.size(), 16u * 7 * 7 * 3);
  EXPECT_LT(distance(here, there), 0.4);
}

/// Blocks of three convolutions.
static ZooCase bottlenecks() {
  ZooCase model{"ResNet50Bf16", "resnet50", {}, MixedPrecision::BF16};
  model.options.batch = 4;
  model.options.height = model.options.width = 32;
  model.options.baseWidth = 16;
  model.options.classes = 10;
  model.options.stem = zoo::Stem::Cifar;
  return model;
}

/// A ResNet with dropout, in long runs also one without, a Swin, a ViT, and
/// some in mixed precision, with more images than the others have, so that
/// there is something to choose.
static std::vector<SimulatedCase> simulatedCases(bool isLong) {
  std::vector<SimulatedCase> cases;
  for (const ZooCase &each : smallModels())
    if (each.model == llvm::StringRef("resnet18") &&
        (isLong || each.options.dropout > 0))
      cases.push_back({each, isLong ? 20u : 3u, 4, isLong ? 10u : 5u});
  for (SimulatedCase &each : cases) {
    each.model.options.batch = 16;
    each.model.options.baseWidth = 8;
    // Plans of several parts take minutes.
    each.model.microBatches = 1;
  }
  cases.push_back({bottlenecks(), isLong ? 20u : 1u, 4, isLong ? 10u : 0u});
  // A step of a Swin takes some ten seconds an image, its plans within ten
  // budgets some twenty minutes.
  SimulatedCase swin = {smallTransformers().front(), 1, 2, 0};
  if (isLong)
    swin = {swin.model, 20, 4, 10};
  swin.model.options.batch = 1;
  cases.push_back(swin);
  cases.push_back({smallTransformers()[2], isLong ? 20u : 1u, 2, 0});
  ZooCase narrow = smallTransformers()[2];
  narrow.label = "ViTF16";
  narrow.amp = MixedPrecision::F16;
  for (ZooCase each : mixedModels()) {
    // A Swin in f16 takes minutes, and a ViT has the same kernels.
    if (!isLong && each.amp == MixedPrecision::F16)
      each = narrow;
    cases.push_back({each, isLong ? 3u : 1u, 2, isLong ? 2u : 0u});
  }
  return cases;
}

static std::string labelOf(const testing::TestParamInfo<SimulatedCase> &info) {
  return info.param.model.label;
}

INSTANTIATE_TEST_SUITE_P(Small, SimulatedTraining,
                         testing::ValuesIn(simulatedCases(false)), labelOf);

INSTANTIATE_TEST_SUITE_P(Small, JoinedTraining,
                         testing::Values(SimulatedCase{bottlenecks(), 1, 1, 0}),
                         labelOf);

INSTANTIATE_TEST_SUITE_P(Small, FoldedTraining,
                         testing::Values(SimulatedCase{mixedModels().front(), 1,
                                                       1, 0}),
                         labelOf);

// By hand: an hour.
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, SimulatedTraining,
                         testing::ValuesIn(simulatedCases(true)), labelOf);
