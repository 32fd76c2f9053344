//===- HooksTest.cpp - Hooks of runs of a linear model --------------------===//
//
// The bits of a run do not depend on its hooks; what hooks save is the run's;
// what fails in them ends nothing.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Hooks.h"
#include "FakeBackend.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/CHook.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <cmath>
#include <filesystem>

using namespace reprise::rt;
using namespace reprise::rt::test;
namespace fs = std::filesystem;

namespace {

/// Notes what it is told; fails where it is told to.
class Recorder final : public Hook {
public:
  std::string name() const override { return "recorder"; }
  Status begin(HookContext &run) override { return note("begin", run); }
  Status afterStep(HookContext &run, const Progress &step) override {
    lastStep = step.step;
    if (onStep)
      return onStep(run);
    return {};
  }
  Status afterEpoch(HookContext &run) override { return note("epoch", run); }
  Status evaluated(HookContext &run, const EvaluateResult &result) override {
    losses.push_back(result.loss);
    return note("evaluated", run);
  }
  Status end(HookContext &run, bool wasStopped) override {
    return note(wasStopped ? "stopped" : "end", run);
  }
  Status failed(HookContext &run, const Status &error) override {
    return note("failed", run);
  }

  std::string told;
  std::vector<double> losses;
  uint64_t lastStep = 0;
  std::function<Status(HookContext &)> onStep;
  std::string failsAt;

private:
  Status note(const std::string &what, HookContext &run) {
    told +=
        (told.empty() ? "" : " ") + what + std::to_string(run.position().step);
    return what == failsAt ? Status::error(RP_IO_ERROR, "as asked") : Status();
  }
};

} // namespace

TEST(Hooks, AreToldInOrder) {
  FakeBackend backend(8, kImage, 5);
  Recorder hook;
  TrainOptions options = syntheticRun(18);
  options.hooks = {&hook};
  ASSERT_TRUE(train(backend, options).ok());
  EXPECT_EQ(hook.told, "begin0 epoch8 epoch16 end18");
  EXPECT_EQ(hook.lastStep, 18u);
}

static void leavesTheBitsAlone(bool stages) {
  Folder folder;
  FakeBackend plain(8, kImage, 5), watched(8, kImage, 5);
  watched.stages = stages;
  ASSERT_TRUE(train(plain, syntheticRun(30)).ok());
  TrainOptions options = syntheticRun(30);
  Recorder hook;
  hook.onStep = [](HookContext &run) { return run.evaluate().status(); };
  auto logger = makeTrainValLogger({folder / "log", 1, 0, "a run"});
  auto best = makeAutoSaveBest({folder / "best"});
  auto stop = makeEarlyStop({1000});
  AutoCheckpoint checkpoint(folder / "c.safetensors");
  options.hooks = {&hook, logger.get(), best.get(), stop.get(), &checkpoint};
  auto result = train(watched, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->hookFailures.size(), 0u);
  EXPECT_EQ(watched.bits, plain.bits);
  EXPECT_EQ(watched.seenLabels, plain.seenLabels);
  EXPECT_FALSE(fs::exists(folder / "c.safetensors"));
}

TEST(Hooks, LeaveTheBitsOfARunAlone) { leavesTheBitsAlone(false); }

// An evaluation takes the place of inputs that the next step has already.
TEST(Hooks, LeaveTheInputsOfTheNextStep) { leavesTheBitsAlone(true); }

static std::vector<MemoryReading> readMemory(FakeBackend &backend,
                                             uint64_t limit) {
  std::vector<MemoryReading> readings;
  auto monitor =
      makeMemoryMonitor({3, 1024, limit, [&](const MemoryReading &reading) {
                           readings.push_back(reading);
                         }});
  TrainOptions options = syntheticRun(10);
  options.hooks = {monitor.get()};
  EXPECT_TRUE(train(backend, options).ok());
  return readings;
}

TEST(Hooks, ReadMemoryEveryFewSteps) {
  FakeBackend plain(8, kImage, 5), backend(8, kImage, 5);
  ASSERT_TRUE(train(plain, syntheticRun(10)).ok());
  std::vector<MemoryReading> readings = readMemory(backend, 0);
  EXPECT_EQ(backend.bits, plain.bits);
  ASSERT_EQ(readings.size(), 3u);
  MemoryLimit tightest = tightestMemoryLimit();
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(readings[k].step, 3 * (k + 1));
    EXPECT_EQ(readings[k].arenaBytes, 8192u);
    EXPECT_EQ(readings[k].fixedBytes, 1024u);
    EXPECT_EQ(readings[k].peakBytes, 4096u); // as the backend says
    EXPECT_GT(readings[k].residentBytes, uint64_t(1) << 20);
    EXPECT_GE(readings[k].residentPeakBytes, readings[k].residentBytes);
    EXPECT_EQ(readings[k].limit.name, tightest.name);
    EXPECT_EQ(readings[k].limit.bytes, tightest.bytes);
  }
}

TEST(Hooks, TellTheLimitOfTheRunWhereItLeavesLess) {
  FakeBackend backend(8, kImage, 5);
  std::vector<MemoryReading> readings = readMemory(backend, 1 << 20);
  ASSERT_FALSE(readings.empty());
  EXPECT_EQ(readings[0].limit.name, "the run");
  EXPECT_EQ(readings[0].limit.bytes, uint64_t(1) << 20);
  EXPECT_EQ(readings[0].limit.left, 0u); // the process holds more already
  readings = readMemory(backend, uint64_t(1) << 62);
  EXPECT_NE(readings[0].limit.name, "the run");
}

/// A trace of some steps of a run of ten; what it holds is looked at by
/// cli/trace.test.
static std::string traceSteps(FakeBackend &backend, uint64_t first,
                              uint64_t last, uint64_t programSteps) {
  Folder folder;
  ProfileTraceOptions trace;
  trace.path = folder / "trace.json";
  trace.first = first;
  trace.last = last;
  auto program = std::make_shared<TracedProgram>();
  program->ops.resize(programSteps);
  trace.program = [program] { return program; };
  trace.backend = &backend;
  ProfileTrace hook(trace);
  TrainOptions options = syntheticRun(10);
  options.hooks = {&hook};
  options.onSpan = [&](const RunSpan &span) {
    EXPECT_LE(span.begin, span.end) << span.what;
    hook.add(span);
  };
  auto result = train(backend, options);
  EXPECT_TRUE(result.ok() && fs::exists(trace.path));
  return result.ok() ? describe(result->hookFailures) : "";
}

TEST(Hooks, TimeTheStepsThatAreTracedAndNoOthers) {
  FakeBackend plain(8, kImage, 5), middle(8, kImage, 5), all(8, kImage, 5),
      end(8, kImage, 5);
  ASSERT_TRUE(train(plain, syntheticRun(10)).ok());
  EXPECT_EQ(traceSteps(middle, 2, 4, 2), "");
  EXPECT_EQ(middle.profiled, " on1 off4");
  EXPECT_EQ(middle.bits, plain.bits);
  EXPECT_EQ(traceSteps(all, 1, 1, 2), "");
  EXPECT_EQ(all.profiled, " on0 off1");
  EXPECT_EQ(traceSteps(end, 9, 20, 2), "");
  EXPECT_EQ(end.profiled, " on8");
}

TEST(Hooks, RefuseATraceOfAnotherProgram) {
  FakeBackend backend(8, kImage, 5);
  EXPECT_EQ(traceSteps(backend, 2, 2, 3),
            "hook 'profile_trace' failed once, at step 2: the program has 2 "
            "steps, but its description 3");
}

TEST(Hooks, EvaluateOnceAStepAndTellAll) {
  FakeBackend backend(8, kImage, 5);
  Recorder first, second;
  first.onStep = [](HookContext &run) { return run.evaluate().status(); };
  second.onStep = first.onStep;
  TrainOptions options = syntheticRun(2);
  options.hooks = {&first, &second};
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(first.told, "begin0 evaluated1 evaluated2 end2");
  EXPECT_EQ(second.told, first.told);
  EvaluateOptions evaluation;
  evaluation.data = options.data;
  auto direct = evaluate(backend, evaluation);
  ASSERT_TRUE(direct.ok() && result->evaluation);
  EXPECT_EQ(result->evaluation->loss, direct->loss);
  EXPECT_EQ(second.losses.back(), direct->loss);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST(Hooks, FailWithoutEndingARun) {
  Folder folder;
  FakeBackend plain(8, kImage, 5), watched(8, kImage, 5);
  ASSERT_TRUE(train(plain, syntheticRun(10)).ok());
  Recorder hook;
  hook.failsAt = "epoch";
  uint64_t calls = 0;
  hook.onStep = [&](HookContext &) {
    ++calls;
    return Status::error(RP_IO_ERROR, "no space left");
  };
  TrainOptions options = syntheticRun(10);
  options.savePath = folder / "s.safetensors";
  options.hooks = {&hook};
  // The steps of the failures that are told: not each of those after a step.
  std::vector<uint64_t> told;
  options.onHookFailure = [&](const HookFailure &f) {
    EXPECT_EQ(f.last.message(), told.empty() ? "no space left" : "as asked");
    told.push_back(f.lastStep);
  };
  auto result = train(watched, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(calls, 10u);
  EXPECT_EQ(told, (std::vector<uint64_t>{1, 8}));
  EXPECT_EQ(describe(result->hookFailures),
            "hook 'recorder' failed 11 times, first at step 1: no space left");
  EXPECT_EQ(watched.bits, plain.bits);
  EXPECT_TRUE(fs::exists(options.savePath));
}

TEST(Hooks, RefuseARunBeforeItsFirstStep) {
  FakeBackend backend(8, kImage, 5);
  Recorder hook;
  hook.failsAt = "begin";
  TrainOptions options = syntheticRun(10);
  options.hooks = {&hook};
  auto result = train(backend, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), "hook 'recorder': as asked");
  EXPECT_TRUE(backend.seenLabels.empty());
}

//===----------------------------------------------------------------------===//
// auto_checkpoint
//===----------------------------------------------------------------------===//

/// A run that goes on from `state` has `left` of all `steps` to do and ends as
/// one that nothing disturbed.
static void endsUndisturbed(const std::string &state, uint64_t steps,
                            uint64_t left) {
  FakeBackend whole(8, kImage, 5), second(8, kImage, 5);
  ASSERT_TRUE(train(whole, syntheticRun(steps)).ok());
  TrainOptions again = syntheticRun(steps);
  again.resumePath = state;
  auto result = train(second, again);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->steps, left);
  EXPECT_EQ(second.bits, whole.bits);
}

TEST(AutoCheckpoint, SavesWhereASignalEndsTheRun) {
  Folder folder;
  FakeBackend first(8, kImage, 5);
  AutoCheckpoint hook(folder / "c.safetensors");
  TrainOptions options = syntheticRun(30);
  options.hooks = {&hook};
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.onProgress = [&](const Progress &p) { stop = p.step == 11; };
  auto stopped = train(first, options);
  ASSERT_TRUE(stopped.ok() && stopped->stopped && hook.hasSaved());
  endsUndisturbed(folder / "c.safetensors", 30, 19);
}

/// An error between two steps leaves a state of the run.
TEST(AutoCheckpoint, SavesWhereAnErrorEndsTheRun) {
  Folder folder;
  FakeBackend first(8, kImage, 5);
  AutoCheckpoint hook(folder / "c.safetensors");
  TrainOptions options = syntheticRun(12);
  options.hooks = {&hook};
  // The folder of the state goes away while the run is under way.
  fs::create_directory(folder / "away");
  options.savePath = folder / "away/s.safetensors";
  options.saveEvery = 5;
  options.onProgress = [&](const Progress &p) {
    if (p.step == 5)
      fs::remove_all(folder / "away");
  };
  auto failed = train(first, options);
  ASSERT_FALSE(failed.ok());
  ASSERT_TRUE(hook.hasSaved());
  endsUndisturbed(folder / "c.safetensors", 12, 7);
}

/// A step that ends in an error has changed variables: no state is made of it.
TEST(AutoCheckpoint, SavesNothingOfAStepThatDidNotEnd) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  backend.afterStep = [](uint64_t step, float &loss) {
    if (step == 5)
      loss = NAN;
  };
  AutoCheckpoint hook(folder / "c.safetensors");
  TrainOptions options = syntheticRun(12);
  options.hooks = {&hook};
  std::string told;
  options.onHookFailure = [&](const HookFailure &f) {
    told = f.first.message();
  };
  ASSERT_FALSE(train(backend, options).ok());
  EXPECT_FALSE(hook.hasSaved());
  EXPECT_FALSE(fs::exists(folder / "c.safetensors"));
  EXPECT_NE(told.find("did not finish"), std::string::npos) << told;
}

//===----------------------------------------------------------------------===//
// auto_save_best and early_stop
//===----------------------------------------------------------------------===//

static std::string list(const fs::path &folder) {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string &name : names)
    all += (all.empty() ? "" : " ") + name;
  return all;
}

TEST(AutoSaveBest, KeepsTheBestAndTheLast) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  Recorder recorder;
  SaveBestOptions wanted;
  wanted.directory = folder / "out";
  wanted.keep = 2;
  wanted.saveLatestStart = 2;
  wanted.saveLatestEvery = 2;
  auto best = makeAutoSaveBest(wanted);
  TrainOptions options = syntheticRun(8 * 5 + 3);
  options.hooks = {best.get(), &recorder};
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(list(folder / "out"), "best.safetensors epoch-4.safetensors "
                                  "epoch-5.safetensors latest.safetensors");
  EXPECT_EQ(recorder.told,
            "begin0 evaluated8 epoch8 evaluated16 epoch16 evaluated24 epoch24 "
            "evaluated32 epoch32 evaluated40 epoch40 evaluated43 end43");
  auto latest = readStatePosition(folder / "out/latest.safetensors");
  ASSERT_TRUE(latest.ok());
  EXPECT_EQ(latest->step, 32u);
  // The best state evaluates as the best evaluation did.
  FakeBackend other(8, kImage, 5);
  EvaluateOptions evaluation;
  evaluation.data = options.data;
  evaluation.statePath = folder / "out/best.safetensors";
  auto again = evaluate(other, evaluation);
  ASSERT_TRUE(again.ok()) << again.status().message();
  auto position = readStatePosition(evaluation.statePath);
  ASSERT_TRUE(position.ok());
  // "STEP BEST_STEP WORSE BEST"
  std::string memory = position->hooks["auto_save_best"];
  EXPECT_EQ(memory, std::to_string(position->step) + " " +
                        std::to_string(position->step) + " 0 " +
                        settingNumber(again->accuracy()));
}

TEST(AutoSaveBest, LeavesLaterStatesOfAnotherRun) {
  Folder folder;
  fs::create_directories(folder / "out");
  for (const char *epoch : {"7", "8", "9"})
    writeFile(folder / "out/epoch-" + epoch + ".safetensors", "another run's");
  FakeBackend backend(8, kImage, 5);
  SaveBestOptions wanted;
  wanted.directory = folder / "out";
  wanted.keep = 2;
  auto best = makeAutoSaveBest(wanted);
  TrainOptions options = syntheticRun(8 * 3);
  options.hooks = {best.get()};
  ASSERT_TRUE(train(backend, options).ok());
  EXPECT_EQ(list(folder / "out"),
            "best.safetensors epoch-2.safetensors epoch-3.safetensors "
            "epoch-7.safetensors epoch-8.safetensors epoch-9.safetensors");
}

// What a state that has done all steps is reloaded for.
TEST(AutoSaveBest, MakesUpTheLastEvaluation) {
  Folder folder;
  TrainOptions options = syntheticRun(8);
  options.savePath = folder / "s.safetensors";
  FakeBackend first(8, kImage, 5), second(8, kImage, 5);
  ASSERT_TRUE(train(first, options).ok());
  options.resumePath = options.savePath;
  auto best = makeAutoSaveBest({folder / "out"});
  options.hooks = {best.get()};
  auto refused = train(second, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("has done 8 of 8 steps"),
            std::string::npos);
  options.mayBeDone = true;
  auto result = train(second, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->steps, 0u);
  EXPECT_FALSE(result->stopped);
  ASSERT_TRUE(result->evaluation);
  EXPECT_EQ(second.bits, first.bits);
  EXPECT_TRUE(fs::exists(folder / "out/best.safetensors"));
}

// The state of the last step is written once more when the evaluation at the
// end has given hooks something to remember.
TEST(AutoSaveBest, LastStateRemembersTheLastEvaluation) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  SaveBestOptions wanted;
  wanted.directory = folder / "out";
  wanted.testEvery = 2;
  auto best = makeAutoSaveBest(wanted);
  TrainOptions options = syntheticRun(8 * 3);
  options.hooks = {best.get()};
  options.savePath = folder / "s.safetensors";
  options.saveEvery = 8;
  ASSERT_TRUE(train(backend, options).ok());
  auto position = readStatePosition(options.savePath);
  ASSERT_TRUE(position.ok());
  EXPECT_EQ(position->hooks["auto_save_best"].substr(0, 3), "24 ");
}

TEST(AutoSaveBest, TestsAndSavesFromItsStartOn) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  Recorder recorder;
  SaveBestOptions wanted;
  wanted.directory = folder / "out";
  wanted.testStart = 2;
  wanted.testEvery = 2;
  wanted.saveStart = 3;
  wanted.saveEvery = 2;
  wanted.keep = 0;
  auto best = makeAutoSaveBest(wanted);
  TrainOptions options = syntheticRun(8 * 6);
  options.hooks = {best.get(), &recorder};
  ASSERT_TRUE(train(backend, options).ok());
  EXPECT_EQ(recorder.told, "begin0 epoch8 evaluated16 epoch16 epoch24 "
                           "evaluated32 epoch32 epoch40 evaluated48 epoch48 "
                           "end48");
  EXPECT_EQ(list(folder / "out"),
            "best.safetensors epoch-4.safetensors epoch-6.safetensors");
}

/// A signal within the evaluation after step `cut` of 24: the next run
/// evaluates that epoch, and the best is that of a run that nobody disturbed.
static void evaluatesWhatASignalCutShort(uint64_t cut) {
  Folder folder;
  auto run = [&](const std::string &name, uint64_t cutAt,
                 const std::string &resume) {
    FakeBackend backend(8, kImage, 5);
    auto best = makeAutoSaveBest({folder / name});
    AutoCheckpoint checkpoint(folder / "c.safetensors");
    TrainOptions options = syntheticRun(24);
    options.hooks = {best.get(), &checkpoint};
    options.resumePath = resume;
    options.mayBeDone = !resume.empty();
    std::atomic<bool> stop{false};
    options.stop = &stop;
    options.onProgress = [&](const Progress &p) { stop = p.step == cutAt; };
    auto result = train(backend, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    EXPECT_TRUE(result.ok() && result->hookFailures.empty());
    EXPECT_TRUE(result.ok() && result->failedEvaluations.empty());
    EXPECT_EQ(checkpoint.hasSaved(), cutAt > 0);
    return backend.bits;
  };
  auto whole = run("whole", 0, "");
  run("cut", cut, "");
  auto bits = run("cut", 0, folder / "c.safetensors");
  EXPECT_EQ(bits, whole);
  auto a = readStatePosition(folder / "whole/best.safetensors"),
       b = readStatePosition(folder / "cut/best.safetensors");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->hooks, b->hooks);
  EXPECT_EQ(a->step, b->step);
}

TEST(AutoSaveBest, EvaluatesWhatASignalCutShort) {
  evaluatesWhatASignalCutShort(16);
}

TEST(AutoSaveBest, EvaluatesTheEndThatASignalCutShort) {
  evaluatesWhatASignalCutShort(24);
}

TEST(EarlyStop, EndsARunThatGetsNoBetter) {
  Folder folder;
  FakeBackend backend(8, kImage, 5);
  EarlyStopOptions wanted;
  wanted.patience = 2;
  wanted.least = 10; // nothing is so much better
  auto stop = makeEarlyStop(wanted);
  TrainOptions options = syntheticRun(800);
  options.savePath = folder / "s.safetensors";
  options.hooks = {stop.get()};
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->position.step, 24u);
  EXPECT_FALSE(result->stopped);
  EXPECT_EQ(result->stopReason,
            "early_stop: no better evaluation than that of step 8 in 2");
  // It goes no further when it is asked to go on.
  auto other = makeEarlyStop(wanted);
  FakeBackend second(8, kImage, 5);
  TrainOptions again = syntheticRun(800);
  again.resumePath = options.savePath;
  again.hooks = {other.get()};
  auto rest = train(second, again);
  ASSERT_TRUE(rest.ok()) << rest.status().message();
  EXPECT_EQ(rest->steps, 0u);
}

TEST(EarlyStop, LetsARunLearn) {
  FakeBackend backend(8, kImage, 5);
  EarlyStopOptions wanted;
  wanted.patience = 3;
  wanted.byLoss = true;
  auto stop = makeEarlyStop(wanted);
  TrainOptions options = syntheticRun(80);
  options.hooks = {stop.get()};
  auto result = train(backend, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->steps, 80u) << result->stopReason;
}

//===----------------------------------------------------------------------===//
// In C
//===----------------------------------------------------------------------===//

TEST(CHook, IsToldAndAsks) {
  struct Told {
    int steps = 0, epochs = 0, ends = 0, destroyed = 0;
    double accuracy = -2;
  } told;
  rp_hook hook = {};
  hook.name = "counter";
  hook.user = &told;
  hook.after_step = [](void *user, const rp_hook_run *run,
                       const rp_hook_step *step) -> const char * {
    auto *t = static_cast<Told *>(user);
    ++t->steps;
    rp_hook_evaluation evaluation = {};
    if (const char *error = run->evaluate(run, &evaluation))
      return error;
    t->accuracy = evaluation.accuracy;
    if (run->step == 9)
      run->stop(run, "enough");
    return step->loss > 0 ? nullptr : "no loss";
  };
  hook.after_epoch = [](void *user, const rp_hook_run *run) -> const char * {
    ++static_cast<Told *>(user)->epochs;
    return run->save(run, "/nowhere/at/all.safetensors");
  };
  hook.end = [](void *user, const rp_hook_run *, int) -> const char * {
    ++static_cast<Told *>(user)->ends;
    return nullptr;
  };
  hook.destroy = [](void *user) { ++static_cast<Told *>(user)->destroyed; };
  {
    auto wrapped = wrapHook(hook);
    FakeBackend backend(8, kImage, 5);
    TrainOptions options = syntheticRun(30);
    options.hooks = {wrapped.get()};
    auto result = train(backend, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->stopReason, "enough");
    ASSERT_EQ(result->hookFailures.size(), 1u);
    EXPECT_NE(describe(result->hookFailures).find("/nowhere/at/all"),
              std::string::npos);
  }
  EXPECT_EQ(told.steps, 9);
  EXPECT_EQ(told.epochs, 1);
  EXPECT_EQ(told.ends, 1);
  EXPECT_EQ(told.destroyed, 1);
  EXPECT_GE(told.accuracy, 0);
}

TEST(CHook, RefusesWhatIsNoHook) {
  Folder folder;
  auto none = loadHook(folder / "none.so");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.status().message().find("cannot load the hook"),
            std::string::npos);
}
