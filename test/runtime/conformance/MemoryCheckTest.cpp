//===- MemoryCheckTest.cpp - Steps that write what is not theirs ----------===//
//
// Programs that the verifier accepts and whose steps do something else than
// they say: kernels with more grains than their operands have elements, and
// planted faults (test/faults) of the runtime itself. Each is found when memory
// is checked, and goes unnoticed when it is not.
//
//===----------------------------------------------------------------------===//
#include "ArtifactBuilder.h"
#include "Devices.h"
#include "NaiveLoops.h"
#include "SessionHandle.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {
enum class Watch { No, Yes };

class MemoryCheckTest : public testing::TestWithParam<std::string> {
protected:
  rp_session_options options(Watch watch) {
    return {GetParam().c_str(), 0, 0, watch == Watch::Yes};
  }

  /// The first error of opening and running `b` with ones as inputs.
  std::string run(const ArtifactBuilder &b, Watch watch) {
    SessionHandle s;
    Outcome outcome = s.open(b.seal(), options(watch));
    for (auto &input : b.program.entries[0]->inputs) {
      std::vector<float> ones(size_t(elements(input->view->shape)), 1.0f);
      if (outcome.code == RP_OK)
        outcome = s.setInput(input->name.c_str(), ones);
    }
    if (outcome.code == RP_OK)
      outcome = s.run();
    stats = s.memory();
    return outcome.message;
  }

  rp_memory_stats stats = {};
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, MemoryCheckTest, devicesHere(), deviceLabel);

/// v: variable, x: input, y and z: activations of 16 elements, in this order
/// and without gaps; then what `step` adds.
struct Parts {
  ArtifactBuilder b;
  Tensor v, x, y, z;
  Parts() {
    v = b.variable("v", {16});
    x = b.input("x", {16});
    y = b.activation("y", {16});
    z = b.activation("z", {16});
  }
};

TEST_P(MemoryCheckTest, AcceptsStepsThatKeepToTheirBytes) {
  for (unsigned threads : {1u, 2u}) {
    const int64_t n = 20000;
    ArtifactBuilder b(threads);
    Tensor scale = b.variable("scale", {1}, fb::InitKind::Constant, 3);
    Tensor counts = b.variable("counts", {n}, fb::InitKind::Zeros, 0,
                               fb::Role::Counter, fb::ElementType::I32);
    Tensor one = b.constant("one", {n}, std::vector<float>(size_t(n), 1));
    Tensor a = b.input("a", {4, 100, 50}), y = b.activation("y", {n});
    Tensor z = b.activation("z", {n});
    b.launch("scale_add", {a, scale, one, y}, {3}, uint64_t(n));
    b.launch("count", {counts}, {0}, uint64_t(n));
    b.copy(y, z);
    b.output("z", z);
    b.finish();
    SessionHandle s;
    ASSERT_EQ(s.open(b.seal(), options(Watch::Yes)).message, "");
    ASSERT_EQ(take(rp_session_initialize(s.session, 1)).message, "");
    std::vector<float> in(size_t(n), 2.0f), out(size_t(n), 0.0f);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(s.setInput("a", in).message, "");
      ASSERT_EQ(s.run().message, "");
      ASSERT_EQ(s.getOutput("z", out).message, "");
      EXPECT_EQ(out, std::vector<float>(size_t(n), 7.0f));
    }
    std::vector<int32_t> counted(static_cast<size_t>(n));
    ASSERT_EQ(s.readVariable("counts", counted).message, "");
    EXPECT_EQ(counted, std::vector<int32_t>(size_t(n), 2))
        << "a step took effect more than once";
    EXPECT_EQ(s.memory().changed_bytes, b.entry().peak_bytes);
  }
}

TEST_P(MemoryCheckTest, SeesTheHighestByteThatChanged) {
  Parts p;
  // The launch is given z and leaves it alone.
  p.b.launch("scale_add", {p.x, p.v, p.x, p.y, p.z}, {3}, 16);
  p.b.output("y", p.y);
  p.b.finish();
  EXPECT_EQ(run(p.b, Watch::Yes), "");
  EXPECT_EQ(stats.high_water_bytes, p.b.entry().peak_bytes);
  EXPECT_EQ(stats.changed_bytes, p.b.entry().peak_bytes - 64);
  EXPECT_EQ(run(p.b, Watch::No), "");
  EXPECT_EQ(stats.changed_bytes, 0u);
}

TEST_P(MemoryCheckTest, FindsAKernelThatRunsIntoALiveValue) {
  Parts p;
  p.b.copy(p.x, p.z);
  p.b.launch("ones", {p.y}, {0}, 17);
  p.b.output("y", p.y);
  p.b.output("z", p.z);
  p.b.finish();
  EXPECT_EQ(run(p.b, Watch::No), "");
  EXPECT_EQ(run(p.b, Watch::Yes),
            "step 1 (ones) of entry 'step' changed memory that is "
            "neither its results' nor its workspace's: from byte 192 of the "
            "arena, in 'z', to byte 195 of the arena, in 'z'");
}

TEST_P(MemoryCheckTest, FindsAKernelThatRunsIntoDeadMemory) {
  Parts p;
  p.b.launch("ones", {p.y}, {0}, 17);
  p.b.copy(p.y, p.z);
  p.b.output("z", p.z);
  p.b.finish();
  EXPECT_EQ(run(p.b, Watch::No), "");
  EXPECT_NE(run(p.b, Watch::Yes)
                .find("from byte 192 of the arena, which is nobody's then"),
            std::string::npos);
}

TEST_P(MemoryCheckTest, FindsAKernelThatRunsOutOfTheArena) {
  for (uint64_t grains : {17u, 4000u}) {
    Parts p;
    p.b.launch("ones", {p.z}, {0}, grains);
    p.b.output("z", p.z);
    p.b.finish();
    if (grains == 17) {
      EXPECT_EQ(run(p.b, Watch::No), "");
    }
    uint64_t over = (grains - 16) * 4;
    EXPECT_EQ(
        run(p.b, Watch::Yes),
        "step 0 (ones) of entry 'step' changed memory that is neither its "
        "results' nor its workspace's: from byte 1 after the arena, to byte " +
            std::to_string(over) + " after the arena");
    EXPECT_EQ(stats.changed_bytes, p.b.program.arena_bytes + over);
  }
}

TEST_P(MemoryCheckTest, FindsAKernelThatWritesBeforeTheArena) {
  Parts p;
  p.b.launch("underrun", {p.v}, {0}, 16);
  p.b.finish();
  EXPECT_NE(run(p.b, Watch::Yes).find("from byte 4 before the arena"),
            std::string::npos);
}

TEST_P(MemoryCheckTest, FindsAResultThatIsNotDeclared) {
  Parts p;
  p.b.launch("scale_add", {p.x, p.v, p.x, p.y}, {}, 16);
  p.b.finish();
  EXPECT_EQ(run(p.b, Watch::No), "");
  EXPECT_NE(run(p.b, Watch::Yes).find("from byte 128 of the arena"),
            std::string::npos);
}

TEST_P(MemoryCheckTest, FindsAStepThatReadsMoreThanItsOperands) {
  Parts p;
  p.b.launch("shift", {p.x, p.z}, {1}, 16);
  p.b.output("z", p.z);
  p.b.finish();
  EXPECT_EQ(run(p.b, Watch::No), "");
  EXPECT_EQ(run(p.b, Watch::Yes),
            "step 0 (shift) of entry 'step' gives other results when memory "
            "that is not its operands' holds something else: first byte 252 of "
            "the arena, in 'z'");
}

TEST_P(MemoryCheckTest, FindsAStepThatReadsWhatNobodyWrote) {
  Parts p;
  p.b.copy(p.y, p.z);
  p.b.output("z", p.z);
  p.b.finish();
  EXPECT_EQ(run(p.b, Watch::No), "");
  EXPECT_NE(run(p.b, Watch::Yes).find("gives other results"),
            std::string::npos);
}

TEST_P(MemoryCheckTest, DoesNotTimeSteps) {
  Parts p;
  p.b.finish();
  SessionHandle s;
  EXPECT_EQ(s.open(p.b.seal(), {GetParam().c_str(), 0, 1, 1}).message,
            "steps are not timed while their memory is checked; create the "
            "session with profile or with check_memory");
}

//===----------------------------------------------------------------------===//
// Overruns of the runtime itself
//===----------------------------------------------------------------------===//

/// A kernel, a copy, and a convolution with a workspace; then memory that is
/// nobody's.
static ArtifactBuilder everyKindOfStep() {
  ArtifactBuilder b;
  ConvShape c = {2, 14, 14, 64, 32, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1};
  Tensor x = b.input("x", c.x()), w = b.input("w", c.w());
  Tensor k = b.activation("k", c.x()), copied = b.activation("copied", c.x());
  Tensor y = b.activation("y", c.y());
  b.launch("scale_add", {x, x, x, k}, {3}, uint64_t(elements(c.x())));
  b.copy(k, copied);
  rt::Status status = b.call(LibraryOp::Conv2D, {copied, w}, y, c.ints());
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(b.entry().buffers.back()->kind, fb::BufferKind::Workspace);
  b.activation("nobody's", {1 << 17});
  b.output("y", y);
  b.finish();
  return b;
}

TEST_P(MemoryCheckTest, AcceptsEveryKindOfStep) {
  ArtifactBuilder b = everyKindOfStep();
  EXPECT_EQ(run(b, Watch::Yes), "");
  uint64_t top = b.entry().buffers.back()->offset;
  EXPECT_LE(stats.changed_bytes, top);
  EXPECT_GT(stats.changed_bytes, top - b.entry().buffers.rbegin()[1]->size);
}

// The copy of the sources in which test/faults/plant.py plants faults has this
// header.
#if __has_include("reprise/Planted.h")

namespace {
struct Overrun {
  const char *fault, *found;
};
class PlantedOverrunTest : public testing::TestWithParam<Overrun> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(
    Faults, PlantedOverrunTest,
    testing::Values(
        Overrun{"kernel-one-grain-more",
                "step 0 .scale_add. .* changed memory"},
        Overrun{"copy-too-long", "step 1 .copy. .* changed memory"},
        // Into the workspace, so that the result's first bytes are not written.
        Overrun{"call-result-shifted", "step 2 .call. .* gives other results"},
        Overrun{"call-workspace-shifted", "step 2 .call. .* changed memory"}),
    [](const auto &info) {
      std::string name = info.param.fault;
      for (char &c : name)
        c = c == '-' ? '_' : c;
      return name;
    });

/// Plants `fault`, runs all steps, prints the error and exits.
[[noreturn]] static void runWithFault(const char *fault, int32_t check) {
  setenv("REPRISE_FAULT", fault, 1);
  ArtifactBuilder b = everyKindOfStep();
  SessionHandle s;
  Outcome outcome = s.open(b.seal(), {"cpu", 0, 0, check});
  for (const char *name : {"x", "w"}) {
    auto &inputs = b.entry().inputs;
    const fb::ViewT &view = *inputs[name[0] == 'w']->view;
    if (outcome.code == RP_OK)
      outcome = s.setInput(name, smallIntegers(view.shape, 1));
  }
  if (outcome.code == RP_OK)
    outcome = s.run();
  std::fprintf(stderr, "%s\n", outcome.message.c_str());
  std::_Exit(outcome.code);
}

// Each in a process of its own, which begins with the fault.
TEST_P(PlantedOverrunTest, IsFoundAndNamed) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const Overrun &overrun = GetParam();
  EXPECT_EXIT(runWithFault(overrun.fault, 1),
              testing::ExitedWithCode(RP_INTERNAL), overrun.found);
  // Without the check nobody would know.
  EXPECT_EXIT(runWithFault(overrun.fault, 0), testing::ExitedWithCode(RP_OK),
              "");
}

#endif
