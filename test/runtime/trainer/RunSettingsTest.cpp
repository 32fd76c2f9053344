//===- RunSettingsTest.cpp - A resumed run keeps its settings -------------===//
//
// Settings come from the state; a difference is named and refused unless it is
// asked for.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/RunSettings.h"
#include "FakeBackend.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/PathLock.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include "reprise/Runtime/Trainer/Trainer.h"

using namespace reprise::rt;
using namespace reprise::rt::test;

static TrainOptions cosineRun(const std::string &savePath) {
  TrainOptions options;
  options.data.source = "synthetic";
  options.data.syntheticSize = 70;
  options.steps = 30;
  options.learningRate.base = 0.05;
  options.learningRate.schedule = LearningRate::Schedule::Cosine;
  options.learningRate.warmupSteps = 4;
  options.seed = 3;
  options.savePath = savePath;
  return options;
}

static FakeBackend model() {
  FakeBackend backend(8, kImage, 5);
  backend.runSettings = {{"momentum", "0.9"}, {"threads", "2"}};
  return backend;
}

/// A state of ten steps of a run of thirty.
static void saveTenSteps(const TrainOptions &options) {
  FakeBackend backend = model();
  TrainOptions first = options;
  std::atomic<bool> stop{false};
  first.stop = &stop;
  first.onProgress = [&](const Progress &p) { stop = p.step == 10; };
  auto result = train(backend, first);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_EQ(result->steps, 10u);
}

TEST(RunSettings, NumbersComeBackAsTheyWere) {
  for (double value : {0.1, 1e-300, 0.30000000000000004, 0.0, 12345678.5}) {
    RunSettings runSettings;
    LearningRate rate, back;
    rate.base = value;
    rate.warmupSteps = UINT64_MAX;
    addLearningRate(rate, runSettings);
    ASSERT_TRUE(readLearningRate("f", runSettings, back).ok());
    EXPECT_EQ(back.base, value);
    EXPECT_EQ(back.warmupSteps, UINT64_MAX);
    EXPECT_EQ(back.schedule, LearningRate::Schedule::Constant);
  }
  EXPECT_EQ(settingNumber(0.05), "0.05");
}

TEST(RunSettings, DamagedSettingIsNamed) {
  LearningRate rate;
  for (const char *text : {"", "x", "1x", " 1"})
    expectError(readLearningRate("f", {{"lr", text}, {"warmup", "0"}}, rate),
                RP_DATA_LOSS, {"'f'", "'lr'", text});
}

TEST(RunSettings, SchedulesComeBackAsTheyWere) {
  using Schedule = LearningRate::Schedule;
  LearningRate rate;
  for (Schedule schedule :
       {Schedule::Constant, Schedule::Step, Schedule::Cosine}) {
    RunSettings runSettings;
    LearningRate back;
    rate.schedule = schedule;
    rate.stepEpochs = UINT64_MAX;
    rate.gamma = 0.30000000000000004;
    addLearningRate(rate, runSettings);
    ASSERT_TRUE(readLearningRate("f", runSettings, back).ok());
    EXPECT_EQ(back.schedule, schedule);
    bool isStep = schedule == Schedule::Step;
    EXPECT_EQ(back.stepEpochs, isStep ? UINT64_MAX : LearningRate().stepEpochs);
    EXPECT_EQ(back.gamma, isStep ? rate.gamma : LearningRate().gamma);
  }
  RunSettings runSettings;
  rate.schedule = Schedule::Step;
  rate.stepEpochs = 2;
  rate.gamma = 0.5;
  addLearningRate(rate, runSettings);
  EXPECT_EQ(runSettings["schedule"], "step size=2 gamma=0.5");
  for (const char *text : {"", "linear", "step", "step size=2", "step gamma=1",
                           "step size= gamma=0.1", "step size=2 gamma=",
                           "step size=2 gamma=0.1x", "step size=-1 gamma=0.1"})
    expectError(
        readLearningRate(
            "f", {{"lr", "1"}, {"warmup", "0"}, {"schedule", text}}, rate),
        RP_DATA_LOSS, {"'f'", "'schedule'", text});
}

// Drops at epochs, of which one has 8 steps here; also in a run that goes on.
TEST(RunSettings, StepsCountEpochsThroughAnInterruption) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  options.learningRate.schedule = LearningRate::Schedule::Step;
  options.learningRate.stepEpochs = 1;
  options.learningRate.gamma = 0.5;
  FakeBackend whole = model(), rest = model();
  std::vector<float> rates;
  options.onProgress = [&](const Progress &p) {
    rates.push_back(float(p.learningRate));
  };
  ASSERT_TRUE(train(whole, options).ok());
  ASSERT_EQ(rates.size(), 30u);
  for (int step = 4; step < 30; ++step)
    EXPECT_EQ(rates[step], float(0.05 / (1 << (step - 4) / 8))) << step;
  saveTenSteps(options);
  TrainOptions resumed;
  resumed.data = options.data;
  resumed.resumePath = options.savePath;
  ASSERT_TRUE(train(rest, resumed).ok());
  EXPECT_EQ(rest.bits, whole.bits);
  // No step of a longer run has another rate.
  resumed.steps = 40;
  EXPECT_TRUE(train(rest, resumed).ok());
  // Another gamma has to be asked for.
  resumed.learningRate = options.learningRate;
  resumed.learningRate.gamma = 0.1;
  resumed.given = {"schedule"};
  expectError(train(rest, resumed).status(), RP_INVALID_ARGUMENT,
              {"schedule is step size=1 gamma=0.5 in the state, step size=1 "
               "gamma=0.1 here"});
}

TEST(RunSettings, ResumedRunTakesItFromTheState) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  FakeBackend whole = model(), rest = model();
  ASSERT_TRUE(train(whole, options).ok());
  saveTenSteps(options);
  TrainOptions resumed; // says nothing but where and on what
  resumed.data = options.data;
  resumed.resumePath = options.savePath;
  auto result = train(rest, resumed);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->steps, 20u);
  EXPECT_EQ(result->learningRate.base, 0.05);
  EXPECT_EQ(rest.bits, whole.bits);
}

TEST(RunSettings, EveryDifferenceIsNamedAtOnce) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  saveTenSteps(options);
  options.resumePath = options.savePath;
  options.learningRate.base = 0.01;
  options.learningRate.warmupSteps = 0;
  options.steps = 40;
  options.given = {"lr", "warmup", "steps"};
  FakeBackend other = model();
  other.runSettings = {{"momentum", "0.5"}, {"threads", "4"}};
  expectError(train(other, options).status(), RP_INVALID_ARGUMENT,
              {options.resumePath, "lr is 0.05 in the state, 0.01 here",
               "warmup is 4 in the state, 0 here",
               "steps is 30 in the state, 40 here",
               "momentum is 0.9 in the state, 0.5 here",
               "threads is 2 in the state, 4 here",
               "--override lr,momentum,steps,threads,warmup"});
  EXPECT_TRUE(other.seenLabels.empty());
}

TEST(RunSettings, WantedDifferenceIsTaken) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  saveTenSteps(options);
  options.resumePath = options.savePath;
  options.learningRate.base = 0.01;
  options.learningRate.warmupSteps = 0; // not given: the state's
  options.given = {"lr"};
  options.overridden = {"lr"};
  FakeBackend backend = model();
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->learningRate.base, 0.01);
  EXPECT_EQ(result->learningRate.warmupSteps, 4u);
  // The new one is what a next run goes on with.
  EXPECT_EQ(readStatePosition(options.savePath)->runSettings["lr"], "0.01");
}

TEST(RunSettings, LengthOfAConstantScheduleIsFree) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  options.learningRate.schedule = LearningRate::Schedule::Constant;
  saveTenSteps(options);
  options.resumePath = options.savePath;
  options.steps = 0;
  options.epochs = 2;
  options.given = {"steps"};
  FakeBackend backend = model();
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->position.step, 16u);
}

TEST(RunSettings, OtherDataOfEqualNumberIsRefused) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  saveTenSteps(options);
  options.resumePath = options.savePath;
  options.data.syntheticSeed = 1;
  FakeBackend backend = model();
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"data is 70 images 4x4x1", "--override data"});
  options.overridden = {"data"};
  EXPECT_TRUE(train(backend, options).ok());
}

TEST(RunSettings, SeedIsOfAWholeRun) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  saveTenSteps(options);
  options.resumePath = options.savePath;
  options.seed = 4;
  options.given = {"seed"};
  FakeBackend backend = model();
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"seed 3", "here it is 4"});
}

TEST(RunSettings, NamesToOverrideAreChecked) {
  expectError(checkOverrides({"lr", "learning-rate"}), RP_INVALID_ARGUMENT,
              {"'learning-rate'", "steps, lr, schedule, warmup", "all"});
  FakeBackend backend = model();
  TrainOptions options = cosineRun("");
  options.overridden = {"lr"};
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {"only the settings of a state"});
}

/// Rewrites a state as the first version was: without a course.
static void makeFirstVersion(const std::string &path) {
  auto file = SafetensorsFile::open(path);
  ASSERT_TRUE(file.ok());
  SafetensorsContent content;
  content.seal = Seal::Digest;
  for (const auto &[key, value] : file->header().metadata)
    if (key.find("course.") != 0 && key != "digest")
      content.metadata[key] = value;
  content.metadata["version"] = "1";
  for (const TensorEntry &entry : file->header().tensors)
    content.tensors.push_back({entry.name, entry.type, entry.shape});
  auto source = [&](size_t index, void *data, size_t) {
    return file->read(file->header().tensors[index], data);
  };
  ASSERT_TRUE(writeSafetensors(path, content, source).ok());
}

TEST(RunSettings, StateOfTheFirstVersionHasToBeAskedFor) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  FakeBackend whole = model(), rest = model();
  ASSERT_TRUE(train(whole, options).ok());
  saveTenSteps(options);
  makeFirstVersion(options.savePath);
  options.resumePath = options.savePath;
  expectError(train(rest, options).status(), RP_INVALID_ARGUMENT,
              {"lr is not set in the state, 0.05 here", "--override"});
  options.overridden = {"all"};
  auto result = train(rest, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(rest.bits, whole.bits);
}

TEST(Trainer, SecondRunOnOnePathIsRefusedBeforeItsFirstStep) {
  Folder folder;
  TrainOptions options = cosineRun(folder / "s.safetensors");
  FakeBackend first = model(), second = model();
  Status refused;
  options.onProgress = [&](const Progress &p) {
    if (p.step == 5)
      refused = train(second, cosineRun(options.savePath)).status();
  };
  auto result = train(first, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  expectError(refused, RP_UNAVAILABLE,
              {options.savePath, "process " + std::to_string(::getpid())});
  EXPECT_TRUE(second.seenLabels.empty());
  EXPECT_FALSE(std::filesystem::exists(options.savePath + ".lock"));
}

TEST(Trainer, NamesThatCannotBeSavedAreRefusedBeforeTheFirstStep) {
  Folder folder;
  for (const char *name : {"__metadata__", "caf\xe9"}) {
    FakeBackend backend = model();
    backend.vars[2].name = name;
    backend.bits[name] = backend.bits["norm.running_mean"];
    TrainOptions options = cosineRun(folder / "s.safetensors");
    expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
                {options.savePath, name});
    EXPECT_TRUE(backend.seenLabels.empty());
    // Nothing is wrong with a run that is not saved.
    options.savePath.clear();
    EXPECT_TRUE(train(backend, options).ok());
  }
  FakeBackend backend = model();
  backend.entries[0].outputs[2].variable = "caf\xe9";
  TrainOptions options = cosineRun("");
  options.gradientsPath = folder / "g.safetensors";
  expectError(train(backend, options).status(), RP_INVALID_ARGUMENT,
              {options.gradientsPath, "not UTF-8"});
  EXPECT_TRUE(backend.seenLabels.empty());
}
