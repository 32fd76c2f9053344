//===- SwitchingTest.cpp - A run that changes its program -----------------===//
//
// Small models of the zoo, trained with other checkpointing from some epoch on,
// and in images of several sizes. What a program must come to is what a session
// of its own makes of the same variables and the same batches.
//
//===----------------------------------------------------------------------===//

#include "../runtime/trainer/TestFiles.h"
#include "ZooTraining.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Runtime/Checkpointing.h"
#include "reprise/Runtime/Trainer/Programs.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

struct Closer {
  void operator()(rp_program *program) const { rp_program_close(program); }
};
using Opened = std::unique_ptr<rp_program, Closer>;

Opened open(const Bytes &artifact) {
  rp_program *program = nullptr;
  rt::Status status = rt::takeStatus(
      rp_program_from_memory(artifact.data(), artifact.size(), &program));
  EXPECT_TRUE(status.ok()) << status.message();
  return Opened(program);
}

/// A session on the first program, which notes what each one took.
std::unique_ptr<rt::Backend> sessionOf(const rp_program *program, bool poison,
                                       bool check) {
  auto created =
      rt::openSessionBackend(program, {/*device=*/nullptr, poison,
                                       /*profile=*/0, /*check_memory=*/check});
  EXPECT_TRUE(created.ok()) << created.status().message();
  return created.ok() ? std::move(*created) : nullptr;
}

/// The program of a phase, by epochs.
class Phases : public rt::Programs {
public:
  /// `from[i]` is the first epoch of `programs[i]`.
  Phases(std::vector<const rp_program *> programs, std::vector<uint64_t> from)
      : programs(std::move(programs)), from(std::move(from)) {}

  bool isSame(const rt::StepPlace &a, const rt::StepPlace &b) const override {
    return phaseOf(a) == phaseOf(b);
  }
  rt::Status use(rt::Backend &backend, const rt::StepPlace &place) override {
    ++switches;
    return backend.switchTo(programs[phaseOf(place)]);
  }
  unsigned switches = 0;

private:
  size_t phaseOf(const rt::StepPlace &place) const {
    return size_t(std::upper_bound(from.begin(), from.end(), place.epoch) -
                  from.begin()) -
           1;
  }
  std::vector<const rp_program *> programs;
  std::vector<uint64_t> from;
};

class Switching : public testing::TestWithParam<ZooCase> {
protected:
  void SetUp() override { loadEverything(context); }
  Opened compile(const std::string &mode) {
    return open(compileCase(context, GetParam(), mode));
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

ByteStore variablesOf(const rt::Backend &backend) {
  ByteStore values;
  for (const rt::TensorInfo &variable : backend.variables()) {
    Bytes &bytes = values[variable.name];
    bytes.resize(variable.bytes);
    rt::Status read = const_cast<rt::Backend &>(backend).readVariable(
        variable.name, bytes.data(), bytes.size());
    EXPECT_TRUE(read.ok()) << read.message();
  }
  return values;
}

/// Checks that each step's memory is what its program predicted.
std::function<void(const rt::Progress &)> peaksAreExact(unsigned &seen) {
  return [&seen](const rt::Progress &progress) {
    EXPECT_EQ(progress.highWaterBytes, progress.predictedPeakBytes)
        << "step " << progress.step;
    ++seen;
  };
}

/// Four epochs of three steps.
rt::TrainOptions fewEpochs(const rt::Backend &backend) {
  rt::TrainOptions options = trainOptions(0);
  const rt::EntryInfo &entry = *backend.entry("train_step");
  options.data.syntheticSize =
      uint64_t(3 * entry.input(RP_BINDING_LABEL)->shape.front());
  options.steps = 0;
  options.epochs = 4;
  return options;
}

} // namespace

TEST_P(Switching, GoesOnWithTheBitsOfNeverHavingSwitched) {
  Opened none = compile("none"), segments = compile("segments=2"),
         blocks = compile("per-block");
  ASSERT_TRUE(none && segments && blocks);
  auto plain = sessionOf(none.get(), /*poison=*/false, /*check=*/false);
  ASSERT_TRUE(plain);
  rt::TrainOptions options = fewEpochs(*plain);
  auto undisturbed = rt::train(*plain, options);
  ASSERT_TRUE(undisturbed.ok()) << undisturbed.status().message();
  // From less memory to more and back, so that memory is replaced and shared.
  Phases phases({segments.get(), none.get(), blocks.get(), none.get()},
                {0, 1, 2, 3});
  options.programs = &phases;
  unsigned seen = 0;
  options.onProgress = peaksAreExact(seen);
  for (bool check : {false, true}) {
    SCOPED_TRACE(check ? "with memory checked" : "with dead buffers poisoned");
    auto session = sessionOf(segments.get(), !check, check);
    ASSERT_TRUE(session);
    auto switched = rt::train(*session, options);
    ASSERT_TRUE(switched.ok()) << switched.status().message();
    EXPECT_EQ(switched->loss, undisturbed->loss);
    EXPECT_TRUE(variablesOf(*session) == variablesOf(*plain));
  }
  EXPECT_EQ(phases.switches, 8u);
  EXPECT_EQ(seen, 2 * undisturbed->steps);
}

TEST_P(Switching, ResumesInThePhaseOfItsEpoch) {
  Opened none = compile("none"), blocks = compile("per-block");
  ASSERT_TRUE(none && blocks);
  auto whole = sessionOf(none.get(), false, false);
  ASSERT_TRUE(whole);
  rt::TrainOptions options = fewEpochs(*whole);
  Phases phases({none.get(), blocks.get()}, {0, 2});
  options.programs = &phases;
  ASSERT_TRUE(rt::train(*whole, options).ok());

  rt::test::Folder folder;
  std::atomic<bool> stop{false};
  rt::TrainOptions part = options;
  part.savePath = folder / "state.safetensors";
  part.stop = &stop;
  part.onProgress = [&](const rt::Progress &progress) {
    stop = progress.step == 7; // in epoch 2
  };
  auto first = sessionOf(none.get(), false, false);
  ASSERT_TRUE(first);
  ASSERT_TRUE(rt::train(*first, part).ok());
  rt::TrainOptions rest = options;
  rest.resumePath = part.savePath;
  auto second = sessionOf(none.get(), false, false);
  ASSERT_TRUE(second);
  auto resumed = rt::train(*second, rest);
  ASSERT_TRUE(resumed.ok()) << resumed.status().message();
  EXPECT_TRUE(variablesOf(*second) == variablesOf(*whole));
}

/// A Swin has constants as well.
static std::vector<ZooCase> modelsToSwitch() {
  std::vector<ZooCase> models = smallModels();
  models.push_back(smallTransformers()[0]);
  return models;
}

INSTANTIATE_TEST_SUITE_P(Models, Switching, testing::ValuesIn(modelsToSwitch()),
                         [](const auto &info) { return info.param.label; });

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

/// Sets inputs that follow from the step, and runs it.
static void runStep(rp_session *session, const rp_program *program,
                    int64_t step) {
  size_t inputs = rp_program_input_count(program, "train_step");
  for (size_t i = 0; i < inputs; ++i) {
    rp_tensor_info info = {};
    ASSERT_TRUE(
        rt::takeStatus(rp_program_input(program, "train_step", i, &info)).ok());
    Bytes bytes(info.bytes);
    for (size_t b = 0; info.type == RP_F32 && b < info.bytes; b += 4) {
      float value =
          info.rank ? float((b / 4 * 7 + size_t(step)) % 11) / 11 : 0.01f;
      std::memcpy(&bytes[b], &value, sizeof value);
    }
    ASSERT_TRUE(
        rt::takeStatus(rp_session_set_input(session, "train_step", info.name,
                                            bytes.data(), bytes.size()))
            .ok());
  }
  ASSERT_TRUE(rt::takeStatus(rp_session_run(session, "train_step")).ok());
}

//===----------------------------------------------------------------------===//
// Sizes of images
//===----------------------------------------------------------------------===//

// The masks of shifted windows are constants that follow from the size.
TEST(SwitchingSizes, EachGivesWhatASessionOfItsOwnGives) {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  loadEverything(context);
  std::vector<Opened> sizes;
  for (auto [height, width] :
       {std::pair(32, 32), std::pair(64, 32), std::pair(32, 96)}) {
    ZooCase swin = smallTransformers()[0];
    swin.options.height = height;
    swin.options.width = width;
    sizes.push_back(open(compileCase(context, swin, "per-block")));
    ASSERT_TRUE(sizes.back());
  }
  rp_session *session = nullptr;
  // The largest first, then from size to size in its memory.
  ASSERT_TRUE(
      rt::takeStatus(rp_session_create(sizes[2].get(), nullptr, &session))
          .ok());
  ASSERT_TRUE(rt::takeStatus(rp_session_initialize(session, 5)).ok());
  auto shared = rt::wrapSession(sizes[2].get(), session);
  ASSERT_TRUE(shared.ok());
  const size_t order[] = {2, 0, 1, 0, 2, 1, 2, 0};
  for (size_t step = 0; step < std::size(order); ++step) {
    SCOPED_TRACE(step);
    const rp_program *program = sizes[order[step]].get();
    ASSERT_TRUE((*shared)->switchTo(program).ok());
    rp_session *alone = nullptr;
    ASSERT_TRUE(
        rt::takeStatus(rp_session_create(program, nullptr, &alone)).ok());
    auto wrapped = rt::wrapSession(program, alone);
    ASSERT_TRUE(wrapped.ok());
    for (const auto &[name, bytes] : variablesOf(**shared))
      ASSERT_TRUE(
          (*wrapped)->writeVariable(name, bytes.data(), bytes.size()).ok());
    runStep(session, program, int64_t(step));
    runStep(alone, program, int64_t(step));
    EXPECT_TRUE(variablesOf(**wrapped) == variablesOf(**shared));
    rp_session_destroy(alone);
  }
  rp_session_destroy(session);
}

namespace {
/// A size in one session with others, and by itself: another program, without a
/// budget.
struct Size {
  Opened within, alone;
  std::string name;
};

/// A ResNet of images of some size, whose activations outweigh its variables.
ZooCase resnetOf(int64_t height, int64_t width) {
  ZooCase resnet = smallModels()[1];
  resnet.options.baseWidth = 4;
  resnet.options.batch = 16;
  resnet.options.height = height;
  resnet.options.width = width;
  return resnet;
}

CompileOptions withinBudget() {
  CompileOptions options;
  options.checkpointing = {};
  options.evaluation = false;
  options.optimizer.values["weight-decay"] = 5e-4;
  options.planWork = 0.02;
  return options;
}

/// A quarter of the way from what images of a size take without recomputation
/// to the least that they can take; 0 after an error, which fails the test.
uint64_t tightBudget(MLIRContext &context, const ZooCase &largest) {
  OwningOpRef<mlir::ModuleOp> model = buildCase(context, largest);
  auto plans = planBudgets(*model, withinBudget());
  if (failed(plans))
    return 0;
  // Of its own kernels, which are planned already.
  BudgetCurve &own = plans->own();
  uint64_t least = own.totalBytes(own.smallest()), most = own.plainBytes();
  EXPECT_LT(least, most);
  constexpr uint64_t alignment = 64; // of an arena's end
  return (most - (most - least) / 4) / alignment * alignment;
}

/// Searched for a plan only where the step without recomputation does not fit.
Size sizeWithin(MLIRContext &context, const ZooCase &resnet, uint64_t budget) {
  Size size = {nullptr, open(compileCase(context, resnet, "none")),
               std::to_string(*resnet.options.height) + "x" +
                   std::to_string(*resnet.options.width)};
  if (!size.alone)
    return size;
  OwningOpRef<mlir::ModuleOp> model = buildCase(context, resnet);
  CompileOptions options = withinBudget();
  options.budget = {plan::Budget::Kind::Bytes, budget, 0};
  if (rp_program_arena_bytes(size.alone.get()) <= budget)
    options.planWork = 0;
  auto file = compileModel(*model, options);
  if (succeeded(file))
    size.within = open(*file);
  return size;
}

/// Each of so many sizes thrice, in an order that follows from nothing else.
std::vector<size_t> shuffled(size_t sizes) {
  std::vector<size_t> order;
  for (size_t k = 0; k < 3 * sizes; ++k)
    order.push_back(k % sizes);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  return order;
}
} // namespace

/// Takes over the variables of `from`, runs a step and hands them out.
static ByteStore stepAlone(const rp_program *program, const ByteStore &from,
                           int64_t step) {
  rp_session *session = nullptr;
  EXPECT_TRUE(
      rt::takeStatus(rp_session_create(program, nullptr, &session)).ok());
  auto backend = rt::wrapSession(program, session);
  EXPECT_TRUE(backend.ok());
  for (const auto &[name, bytes] : from)
    EXPECT_TRUE(
        (*backend)->writeVariable(name, bytes.data(), bytes.size()).ok());
  runStep(session, program, step);
  ByteStore after = variablesOf(**backend);
  rp_session_destroy(session);
  return after;
}

// What is measured is the highest byte that a step changed.
TEST(SwitchingSizes, TwelveKeepOneBudgetAtEveryStep) {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  loadEverything(context);
  uint64_t budget = tightBudget(context, resnetOf(32, 48));
  ASSERT_GT(budget, 0u);
  std::vector<Size> sizes;
  unsigned bound = 0; // that compute again
  for (int64_t height : {16, 24, 32})
    for (int64_t width : {16, 24, 32, 48}) {
      sizes.push_back(sizeWithin(context, resnetOf(height, width), budget));
      ASSERT_TRUE(sizes.back().within && sizes.back().alone);
      bound += rp_program_arena_bytes(sizes.back().alone.get()) > budget;
    }
  EXPECT_GE(bound, 1u);
  EXPECT_LT(bound, sizes.size());
  rp_session_options options = {};
  options.check_memory = 1;
  rp_session *session = nullptr;
  const rp_program *first = sizes.front().within.get();
  ASSERT_TRUE(
      rt::takeStatus(rp_session_create(first, &options, &session)).ok());
  ASSERT_TRUE(rt::takeStatus(rp_session_initialize(session, 5)).ok());
  auto shared = rt::wrapSession(first, session);
  ASSERT_TRUE(shared.ok());
  int64_t step = 0;
  for (size_t size : shuffled(sizes.size())) {
    SCOPED_TRACE("step " + std::to_string(step) + " of " + sizes[size].name);
    const rp_program *program = sizes[size].within.get();
    ASSERT_TRUE((*shared)->switchTo(program).ok());
    ByteStore before = variablesOf(**shared);
    runStep(session, program, step);
    auto memory = (*shared)->memory();
    ASSERT_TRUE(memory.ok());
    EXPECT_LE(memory->arena_bytes, budget);
    EXPECT_LE(memory->changed_bytes, budget);
    EXPECT_EQ(memory->high_water_bytes,
              (*shared)->entry("train_step")->peakBytes);
    EXPECT_TRUE(stepAlone(sizes[size].alone.get(), before, step) ==
                variablesOf(**shared));
    ++step;
  }
  rp_session_destroy(session);
}

namespace {
/// Compiles on demand, and counts.
struct Maker {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  ZooCase model = smallModels()[1];
  unsigned made = 0;

  static rp_status *make(void *self, uint32_t segments, rp_program **program) {
    auto &maker = *static_cast<Maker *>(self);
    ++maker.made;
    std::string mode =
        segments ? "segments=" + std::to_string(segments) : "none";
    Bytes bytes = compileCase(maker.context, maker.model, mode);
    // As a file that is damaged would.
    size_t size = segments == 99 ? bytes.size() / 2 : bytes.size();
    return rp_program_from_memory(bytes.data(), size, program);
  }
};
} // namespace

TEST(SwitchingInC, EnableAndDisableChangeNoBit) {
  Maker maker;
  loadEverything(maker.context);
  Opened none = open(compileCase(maker.context, maker.model, "none"));
  ASSERT_TRUE(none);
  std::vector<ByteStore> results;
  for (bool switches : {false, true}) {
    rp_session *session = nullptr;
    rp_checkpointing *checkpointing = nullptr;
    ASSERT_TRUE(
        rt::takeStatus(rp_session_create(none.get(), nullptr, &session)).ok());
    ASSERT_TRUE(rt::takeStatus(rp_session_initialize(session, 5)).ok());
    ASSERT_TRUE(rt::takeStatus(rp_checkpointing_create(session, 0, Maker::make,
                                                       &maker, &checkpointing))
                    .ok());
    EXPECT_FALSE(rp_checkpointing_is_enabled(checkpointing));
    for (int64_t step = 0; step < 6; ++step) {
      if (switches && step % 2 == 1) {
        EXPECT_TRUE(
            rt::takeStatus(rp_checkpointing_enable(checkpointing, 4)).ok());
        EXPECT_TRUE(rp_checkpointing_is_enabled(checkpointing));
      } else if (switches) {
        EXPECT_TRUE(
            rt::takeStatus(rp_checkpointing_disable(checkpointing)).ok());
        EXPECT_FALSE(rp_checkpointing_is_enabled(checkpointing));
      }
      runStep(session, none.get(), step);
    }
    if (switches) {
      // A program that cannot be made leaves what was.
      EXPECT_EQ(
          rt::takeStatus(rp_checkpointing_enable(checkpointing, 99)).code(),
          RP_DATA_LOSS);
      EXPECT_TRUE(rp_checkpointing_is_enabled(checkpointing));
      EXPECT_EQ(
          rt::takeStatus(rp_checkpointing_enable(checkpointing, 0)).code(),
          RP_INVALID_ARGUMENT);
    }
    auto backend = rt::wrapSession(none.get(), session);
    ASSERT_TRUE(backend.ok());
    results.push_back(variablesOf(**backend));
    rp_session_destroy(session);
    rp_checkpointing_destroy(checkpointing);
  }
  EXPECT_TRUE(results[0] == results[1]);
  // Four segments once, none once more, and the one that is damaged.
  EXPECT_EQ(maker.made, 3u);
}

//===----------------------------------------------------------------------===//
// What a session refuses
//===----------------------------------------------------------------------===//

TEST(SwitchingSession, StaysWhatItWasWhereItCannot) {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  loadEverything(context);
  std::vector<ZooCase> models = smallModels();
  Opened mlp = open(compileCase(context, models[0], "none")),
         resnet = open(compileCase(context, models[1], "none"));
  ASSERT_TRUE(mlp && resnet);
  auto session = sessionOf(mlp.get(), false, false);
  ASSERT_TRUE(session);
  ASSERT_TRUE(session->initialize(3).ok());
  ByteStore before = variablesOf(*session);
  rt::Status refused = session->switchTo(resnet.get());
  EXPECT_EQ(refused.code(), RP_INVALID_ARGUMENT);
  EXPECT_NE(refused.message().find("it has no variable '"), std::string::npos)
      << refused.message();
  EXPECT_TRUE(variablesOf(*session) == before);
  EXPECT_EQ(rt::takeStatus(rp_session_switch(nullptr, mlp.get())).code(),
            RP_INVALID_ARGUMENT);
}
