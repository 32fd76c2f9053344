//===- SwitchingTest.cpp - A run that changes its program -----------------===//
//
// Small models of the zoo, trained with other checkpointing from some epoch on,
// and in images of several sizes. What a program must come to is what a session
// of its own makes of the same variables and the same batches.
//
//===----------------------------------------------------------------------===//

#include "../runtime/trainer/TestFiles.h"
#include "ZooTraining.h"
#include "reprise/Runtime/Trainer/Programs.h"
#include <algorithm>
#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(Models, Switching, testing::ValuesIn(smallModels()),
                         [](const auto &info) { return info.param.label; });

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
