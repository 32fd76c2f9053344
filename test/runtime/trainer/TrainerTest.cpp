//===- TrainerTest.cpp - Runs of a linear model ---------------------------===//
//
// Learning, interruption and continuation to the bit, refusals.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Trainer.h"
#include "../../../runtime/trainer/MixRatio.h"
#include "FakeBackend.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include <cmath>
#include <cstring>

using namespace reprise::rt;
using namespace reprise::rt::test;

TEST(Trainer, LearnsTheSyntheticClasses) {
  FakeBackend backend(8, kImage, 5);
  TrainOptions options = syntheticRun(200);
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->steps, 200u);
  EXPECT_EQ(result->position.epoch, 25u);
  EXPECT_EQ(result->position.position, 0u);
  EvaluateOptions evaluation;
  evaluation.data = options.data;
  auto accuracy = evaluate(backend, evaluation);
  ASSERT_TRUE(accuracy.ok()) << accuracy.status().message();
  EXPECT_EQ(accuracy->images, 70u);
  EXPECT_GT(accuracy->accuracy(), 0.9); // chance: 0.2
  EXPECT_LT(accuracy->loss, 0.5);       // untrained: 1.6
}

// The inputs of a step go in before the loss of the one before comes out, and
// what is trained, reported and saved is the same.
TEST(Trainer, FeedsADeviceThatIsRunning) {
  Folder folder;
  FakeBackend plain(8, kImage, 5), staging(8, kImage, 5);
  staging.stages = true;
  std::vector<std::tuple<uint64_t, uint64_t, double, double>> seen[2];
  std::vector<RunPosition> ends;
  for (FakeBackend *backend : {&plain, &staging}) {
    TrainOptions options = syntheticRun(19); // over two epochs
    options.onProgress = [&](const Progress &p) {
      seen[backend->stages].push_back(
          {p.epoch, p.step, p.loss, p.learningRate});
    };
    auto result = train(*backend, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    ends.push_back(result->position);
  }
  EXPECT_EQ(plain.asked.substr(0, 24), "in run out in run out in");
  EXPECT_EQ(staging.asked.substr(0, 24), "in run in out run in out");
  EXPECT_EQ(plain.asked.size(), staging.asked.size());
  EXPECT_EQ(seen[1], seen[0]);
  EXPECT_EQ(staging.bits, plain.bits);
  EXPECT_EQ(staging.seenLabels, plain.seenLabels);
  EXPECT_EQ(ends[1].epoch, ends[0].epoch);
  EXPECT_EQ(ends[1].position, ends[0].position);
}

/// One that mixes images, as far as the trainer knows.
static FakeBackend mixingBackend() {
  FakeBackend backend(8, kImage, 5);
  TensorInfo ratio;
  ratio.name = "share";
  ratio.type = RP_F32;
  ratio.bytes = 4;
  ratio.binding = RP_BINDING_MIX_RATIO;
  backend.entries[0].inputs.push_back(ratio);
  return backend;
}

TEST(Trainer, DrawsARatioForEachStep) {
  FakeBackend backend = mixingBackend();
  backend.runSettings["mixup"] = "0.4";
  TrainOptions options = syntheticRun(12);
  ASSERT_TRUE(train(backend, options).ok());
  ASSERT_EQ(backend.seenShares.size(), 12u);
  for (uint64_t step = 0; step < 12; ++step)
    EXPECT_EQ(backend.seenShares[step],
              float(mixRatio(0.4, options.seed, step)));
}

TEST(Trainer, RefusesToMixByNothing) {
  FakeBackend backend = mixingBackend();
  for (const char *alpha : {"", "0", "-1", "inf"}) {
    if (*alpha)
      backend.runSettings["mixup"] = alpha;
    expectError(train(backend, syntheticRun(1)).status(), RP_INVALID_ARGUMENT,
                {"'train_step'", "does not say by which 'mixup'"});
  }
}

TEST(Trainer, InterruptedRunEndsWithTheSameBits) {
  Folder folder;
  FakeBackend whole(8, kImage, 5);
  ASSERT_TRUE(train(whole, syntheticRun(30)).ok());
  for (uint64_t interruption : {1, 7, 8, 9, 16, 29}) {
    FakeBackend first(8, kImage, 5), second(8, kImage, 5);
    first.stages = interruption % 2;
    TrainOptions options = syntheticRun(30);
    options.savePath = folder / "s.safetensors";
    std::atomic<bool> stop{false};
    options.stop = &stop;
    options.onProgress = [&](const Progress &p) {
      stop = p.step == interruption;
    };
    auto stopped = train(first, options);
    ASSERT_TRUE(stopped.ok()) << stopped.status().message();
    EXPECT_TRUE(stopped->stopped);
    EXPECT_EQ(stopped->steps, interruption);
    options.resumePath = options.savePath;
    options.seed = 12345; // the state's counts
    options.stop = nullptr;
    options.onProgress = nullptr;
    auto resumed = train(second, options);
    ASSERT_TRUE(resumed.ok()) << resumed.status().message();
    EXPECT_EQ(resumed->steps, 30 - interruption);
    EXPECT_EQ(second.bits, whole.bits);
    EXPECT_EQ(second.seenLabels.back(), whole.seenLabels.back());
  }
}

TEST(Trainer, SavesOnItsWayAndReportsProgress) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  TrainOptions options = syntheticRun(0);
  options.epochs = 2;
  options.steps = 0;
  options.savePath = folder / "s.safetensors";
  options.saveEvery = 5;
  std::vector<Progress> seen;
  std::vector<uint64_t> onDisk;
  options.onProgress = [&](const Progress &p) {
    seen.push_back(p);
    auto position = readStatePosition(options.savePath);
    onDisk.push_back(position.ok() ? position->step : 0);
  };
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_EQ(seen.size(), 16u);
  EXPECT_EQ(onDisk, (std::vector<uint64_t>{0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10,
                                           10, 10, 10, 15}));
  EXPECT_EQ(readStatePosition(options.savePath)->step, 16u);
  EXPECT_EQ(seen[8].epoch, 1u);
  EXPECT_EQ(seen[8].step, 9u);
  EXPECT_EQ(seen[8].total, 16u);
  EXPECT_EQ(seen[8].predictedPeakBytes, 4096u);
  EXPECT_EQ(seen[8].highWaterBytes, 4096u);
  EXPECT_GT(seen[8].residentBytes, size_t(1) << 20);
  EXPECT_GT(seen[8].imagesPerSecond, 0);
  EXPECT_NEAR(seen[1].meanLoss, (seen[0].loss + seen[1].loss) / 2, 1e-12);
  EXPECT_EQ(seen.back().secondsLeft, 0);
  EXPECT_FLOAT_EQ(float(seen[8].learningRate), 0.025f);
}

TEST(Trainer, DivergedRunKeepsTheGoodState) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  TrainOptions options = syntheticRun(20);
  options.savePath = folder / "s.safetensors";
  options.saveEvery = 4;
  backend.afterStep = [](uint64_t step, float &loss) {
    if (step == 7)
      loss = NAN;
  };
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"step 7", "nan", "learning rate"});
  EXPECT_EQ(readStatePosition(options.savePath)->step, 4u);
  // A loss that is still finite over variables that are not.
  backend.afterStep = [&](uint64_t step, float &) {
    float bad = INFINITY;
    if (step == 8)
      std::memcpy(backend.bits["fc.weight"].data(), &bad, 4);
  };
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"'fc.weight'", "step 8"});
  EXPECT_EQ(readStatePosition(options.savePath)->step, 4u);
}

TEST(Trainer, GradientsOfTheLastStepAreInFileLayout) {
  Folder folder;
  FakeBackend backend(2, {3, 1, 1}, 2);
  TrainOptions options = syntheticRun(1);
  options.learningRate = {}; // momentum is the gradient after one step
  options.gradientsPath = folder / "g.safetensors";
  options.savePath = folder / "s.safetensors";
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  auto gradients = SafetensorsFile::open(options.gradientsPath);
  auto state = SafetensorsFile::open(options.savePath);
  ASSERT_TRUE(gradients.ok() && state.ok());
  ASSERT_EQ(gradients->header().tensors.size(), 1u);
  const TensorEntry *gradient = gradients->header().find("fc.weight");
  const TensorEntry *momentum = state->header().find("fc.weight.momentum");
  ASSERT_NE(gradient, nullptr);
  EXPECT_EQ(gradient->shape, (std::vector<int64_t>{2, 3}));
  float a[6], b[6];
  ASSERT_TRUE(gradients->read(*gradient, a).ok());
  ASSERT_TRUE(state->read(*momentum, b).ok());
  EXPECT_EQ(std::vector<float>(a, a + 6), std::vector<float>(b, b + 6));
  EXPECT_NE(a[0], 0);
}

TEST(Trainer, WeightsBeginARun) {
  Folder folder;
  FakeBackend first(8, kImage, 5), second(8, kImage, 5);
  TrainOptions options = syntheticRun(3);
  options.savePath = folder / "s.safetensors";
  ASSERT_TRUE(train(first, options).ok());
  options.savePath.clear();
  options.weightsPath = folder / "s.safetensors";
  options.learningRate = {};
  options.learningRate.base = 0;
  size_t loaded = 0;
  options.onWeights = [&](const WeightsReport &r) { loaded = r.loaded; };
  auto result = train(second, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(loaded, 2u);
  EXPECT_EQ(second.bits["fc.weight"], first.bits["fc.weight"]);
  EXPECT_EQ(result->position.step, 3u);
}

TEST(Trainer, OptionsThatContradictAreRefused) {
  FakeBackend backend(8, kImage, 5);
  TrainOptions options = syntheticRun(3);
  options.epochs = 1;
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"epochs", "steps"});
  options = syntheticRun(0);
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"epochs", "steps"});
  options = syntheticRun(3);
  options.resumePath = "a";
  options.weightsPath = "b";
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"'a'", "'b'"});
  options = syntheticRun(3);
  options.saveEvery = 3;
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"every 3 steps"});
  options = syntheticRun(3);
  options.savePath = "/nonexistent/s";
  expectError(train(backend, options).status(), RP_IO_ERROR,
              {"/nonexistent/s"});
  EXPECT_TRUE(backend.seenLabels.empty());
}

TEST(Trainer, ResumingOtherDataOrAFinishedRunIsRefused) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  TrainOptions options = syntheticRun(3);
  options.savePath = folder / "s.safetensors";
  ASSERT_TRUE(train(backend, options).ok());
  options.resumePath = options.savePath;
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {options.resumePath, "3 of 3 steps"});
  options.steps = 5;
  options.data.syntheticSize = 80;
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"70 images", "80"});
}

TEST(Trainer, ProgramsThatDoNotFitAreRefused) {
  FakeBackend backend(8, kImage, 5);
  backend.entries[0].outputs.pop_back();
  TrainOptions options = syntheticRun(3);
  options.gradientsPath = "g";
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"no gradients"});
  options = syntheticRun(3);
  backend.entries[0].outputs[1].shape = {7, 5};
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"'scores'", "7x5", "8xK"});
  backend.entries[0].inputs[1].type = RP_I64;
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"'label'", "I64", "I32"});
  backend.entries[0].inputs.erase(backend.entries[0].inputs.begin());
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"'train_step'", "no input of role 'data'"});
  backend.entries.clear();
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"'linear'", "'train_step'"});
  expectError(evaluate(backend, {}).status(), RP_INVALID_ARGUMENT,
              {"'eval_step'"});
}

namespace {
/// Of the second epoch's program, which never comes: a signal does.
class NoOther : public Programs {
public:
  bool isSame(const StepPlace &a, const StepPlace &b) const override {
    return (a.epoch == 0) == (b.epoch == 0);
  }
  void expect(const std::vector<StepPlace> &places) override {
    expected = places.size();
  }
  bool await(const StepPlace &place, const std::atomic<bool> *asked) override {
    EXPECT_EQ(asked, &stop);
    stop = place.epoch > 0;
    return place.epoch == 0;
  }
  Status use(Backend &, const StepPlace &place) override {
    EXPECT_EQ(place.epoch, 0u);
    return {};
  }
  std::atomic<bool> stop{false};
  size_t expected = 0;
};
} // namespace

// Eight steps were done, and are saved: the bits are those of a run of eight.
TEST(Trainer, StopsBetweenTwoStepsWhereItWaitsForAProgram) {
  Folder folder;
  for (bool stages : {false, true}) {
    FakeBackend backend(8, kImage, 5), other(8, kImage, 5);
    backend.stages = stages;
    NoOther programs;
    TrainOptions options = syntheticRun(20);
    options.learningRate.schedule = LearningRate::Schedule::Constant;
    TrainOptions plain = options;
    plain.steps = 8;
    options.savePath = folder / "state";
    options.stop = &programs.stop;
    options.programs = &programs;
    auto result = train(backend, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_TRUE(result->stopped);
    EXPECT_EQ(result->steps, 8u);
    EXPECT_EQ(programs.expected, 1u);
    ASSERT_TRUE(train(other, plain).ok());
    EXPECT_EQ(backend.bits, other.bits);
    auto position = loadState(backend, folder / "state");
    ASSERT_TRUE(position.ok()) << position.status().message();
    EXPECT_EQ(position->step, 8u);
  }
}

/// A tensor of 4 bytes, or of a flag's one, with its role.
static TensorInfo scalar(const char *name, rp_element_type type, size_t bytes,
                         rp_binding_role role) {
  TensorInfo info;
  info.name = name;
  info.type = type;
  info.bytes = bytes;
  info.binding = role;
  return info;
}

TEST(Trainer, RolesThatAreMissingAreNamed) {
  TrainOptions options = syntheticRun(3);
  for (rp_binding_role role : {RP_BINDING_LEARNING_RATE, RP_BINDING_LOSS}) {
    FakeBackend backend(8, kImage, 5);
    for (auto *list : {&backend.entries[0].inputs, &backend.entries[0].outputs})
      for (TensorInfo &info : *list)
        if (info.binding == role)
          info.binding = RP_BINDING_METRIC;
    expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
                {"'train_step'", bindingRoleName(role)});
  }
}

TEST(Trainer, FeedsSeedAndStepAndReportsMetrics) {
  FakeBackend backend(8, kImage, 5);
  EntryInfo &entry = backend.entries[0];
  entry.inputs.push_back(scalar("chance", RP_I64, 8, RP_BINDING_SEED));
  entry.inputs.push_back(scalar("time", RP_I64, 8, RP_BINDING_STEP));
  entry.outputs.push_back(scalar("norm", RP_F32, 4, RP_BINDING_METRIC));
  TrainOptions options = syntheticRun(3);
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  using Times = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(backend.seenTimes, (Times{{3, 0}, {3, 1}, {3, 2}}));
  EXPECT_EQ(result->metrics, (std::map<std::string, double>{{"norm", 3.0}}));
}

TEST(Trainer, EndsWhereTheProgramSaysNotFinite) {
  FakeBackend backend(8, kImage, 5);
  backend.entries[0].outputs.push_back(
      scalar("bad", RP_I1, 1, RP_BINDING_NONFINITE));
  backend.afterStep = [&](uint64_t step, float &) { backend.bad = step == 2; };
  TrainOptions options = syntheticRun(3);
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"step 2", "'bad'", "'train_step'", "learning rate"});
}

TEST(Evaluate, WithoutLogitsFullBatchesCount) {
  // Synthetic data has ten classes where no logits say how many.
  FakeBackend backend(8, kImage, 10);
  backend.entries[1].outputs[1].binding = RP_BINDING_DATA;
  EvaluateOptions options;
  options.data.source = "synthetic";
  options.data.syntheticSize = 20;
  auto result = evaluate(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_FALSE(result->hasAccuracy);
  EXPECT_EQ(result->images, 16u);
  // Untrained, every class is as likely.
  EXPECT_NEAR(result->loss, std::log(10.0), 1e-6);
  options.data.syntheticSize = 7;
  expectError(evaluate(backend, options).status(), RP_INVALID_ARGUMENT,
              {"7 images", "batch of 8"});
}

static void writeImages(const std::string &path, std::vector<int64_t> shape,
                        int64_t firstLabel) {
  SafetensorsContent content;
  content.tensors = {{"image", DType::F32, shape},
                     {"label", DType::I64, {shape[0]}}};
  auto source = [&](size_t index, void *data, size_t bytes) {
    std::memset(data, 0, bytes);
    if (index == 1)
      std::memcpy(data, &firstLabel, 8);
    return Status();
  };
  ASSERT_TRUE(writeSafetensors(path, content, source).ok());
}

TEST(Trainer, DataThatDoNotFitAreRefusedWithBothShapes) {
  Folder folder;
  FakeBackend backend(2, kImage, 5);
  TrainOptions options = syntheticRun(1);
  options.data.source = folder / "d.safetensors";
  writeImages(options.data.source, {2, 3, 4, 1}, 0);
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {options.data.source, "3x4x1", "4x4x1"});
  writeImages(options.data.source, {2, 4, 4, 1}, 5);
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"label 5 of image 0", "5 classes"});
  writeImages(options.data.source, {1, 4, 4, 1}, 0);
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"1 images", "batch of 2"});
  writeImages(options.data.source, {2, 4, 4, 1}, 4);
  EXPECT_TRUE(train(backend, options).ok());
}

TEST(Evaluate, IgnoresThePaddingOfTheLastBatch) {
  Folder folder;
  // Zero weights: every class is as likely, class 0 wins ties.
  FakeBackend backend(4, kImage, 5);
  EvaluateOptions options;
  options.data.source = folder / "d.safetensors";
  writeImages(options.data.source, {6, 4, 4, 1}, 3);
  auto result = evaluate(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->images, 6u);
  EXPECT_EQ(result->correct, 5u); // all but the first, whose label is 3
  EXPECT_NEAR(result->loss, std::log(5.0), 1e-12);
  options.batches = 1;
  EXPECT_EQ(evaluate(backend, options)->images, 4u);
}

/// An image of one pixel of 1 with this label, to a model whose logits of it
/// are `logits`.
static Expected<EvaluateResult> evaluateLogits(const std::vector<float> &logits,
                                               int64_t label) {
  Folder folder;
  FakeBackend backend(1, {1, 1, 1}, int32_t(logits.size()));
  std::memcpy(backend.bits["fc.weight"].data(), logits.data(),
              logits.size() * sizeof(float));
  EvaluateOptions options;
  options.data.source = folder / "d.safetensors";
  SafetensorsContent content;
  content.tensors = {{"image", DType::F32, {1, 1, 1, 1}},
                     {"label", DType::I64, {1}}};
  auto source = [&](size_t index, void *data, size_t bytes) {
    const float one = 1;
    std::memcpy(data, index == 0 ? static_cast<const void *>(&one) : &label,
                bytes);
    return Status();
  };
  EXPECT_TRUE(writeSafetensors(options.data.source, content, source).ok());
  return evaluate(backend, options);
}

// Ranks 3, 6, 2, 7, 1, 0, 5, 4: of two equal logits the first comes first.
TEST(Evaluate, CountsLabelsAmongTheFiveLargestLogits) {
  const uint64_t expected[] = {1, 0, 1, 0, 1, 1, 0, 1};
  for (int64_t label = 0; label < 8; ++label) {
    auto result = evaluateLogits({3, 1, 4, 1, 5, 9, 2, 2.5f}, label);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->correctTop5, expected[label]) << label;
    EXPECT_EQ(result->correct, label == 5 ? 1u : 0u) << label;
    EXPECT_EQ(result->accuracyTop5(), double(expected[label]));
    EXPECT_TRUE(result->hasTop5());
  }
}

TEST(Evaluate, OfEqualLogitsTheFirstComeFirst) {
  for (int64_t label = 0; label < 7; ++label) {
    auto result = evaluateLogits({1, 1, 1, 1, 1, 1, 2}, label);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->correctTop5, label == 6 || label < 4 ? 1u : 0u) << label;
  }
}

TEST(Evaluate, FiveClassesAreAllAmongTheFive) {
  auto result = evaluateLogits({5, 4, 3, 2, 1}, 4);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->correct, 0u);
  EXPECT_EQ(result->correctTop5, 1u);
  EXPECT_FALSE(result->hasTop5());
}

TEST(Evaluate, NotFiniteLogitsAreNamed) {
  FakeBackend backend(4, kImage, 5);
  float bad = NAN;
  std::memcpy(backend.bits["fc.weight"].data(), &bad, 4);
  EvaluateOptions options;
  options.data.source = "synthetic";
  expectError(evaluate(backend, options).status(), RP_INVALID_ARGUMENT,
              {"image 0", "not finite"});
}
