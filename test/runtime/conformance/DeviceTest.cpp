//===- DeviceTest.cpp - What every device must do -------------------------===//
//
// Copies, launches, variables, initial values, poison, memory, and errors,
// through the C interface.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Device.h"
#include "ArtifactBuilder.h"
#include "Devices.h"
#include "SessionHandle.h"
#include "reprise/Runtime/Cpu/Cpu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>
#include <unistd.h>

using namespace reprise;
using namespace reprise::test;

namespace {
class DeviceTest : public testing::TestWithParam<std::string> {
protected:
  rp_session_options options(int poison = 0, int profile = 0) {
    return {GetParam().c_str(), poison, profile, 0};
  }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, DeviceTest, devicesHere(), deviceLabel);

static std::vector<float> ramp(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST_P(DeviceTest, CopiesInputToVariableAndOutput) {
  ArtifactBuilder b;
  Tensor v = b.variable("v", {7});
  Tensor x = b.input("x", {7}), y = b.activation("y", {7});
  b.copy(x, y);
  b.copy(y, v);
  b.output("y", y);
  b.output("v", v);
  b.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(b.seal(), options()).message, "");
  ASSERT_EQ(s.setInput("x", ramp(7)).message, "");
  ASSERT_EQ(s.run().message, "");
  std::vector<float> out(7), variable(7);
  ASSERT_EQ(s.getOutput("y", out).message, "");
  EXPECT_EQ(out, ramp(7));
  ASSERT_EQ(s.getOutput("v", out).message, "");
  EXPECT_EQ(out, ramp(7));
  ASSERT_EQ(s.readVariable("v", variable).message, "");
  EXPECT_EQ(variable, ramp(7));
}

/// Both are copied to the host, their bytes are written again, and one comes
/// back twice, to other bytes.
TEST_P(DeviceTest, CopiesToHostMemoryAndBack) {
  for (int64_t n : {1, 7, 300007}) {
    uint64_t second = (uint64_t(n) * sizeof(float) + 63) / 64 * 64;
    ArtifactBuilder b;
    Tensor x = b.input("x", {n}), other = b.input("other", {n});
    Tensor y = b.activation("y", {n}), z = b.activation("z", {n});
    Tensor first = b.activation("first", {n}),
           again = b.activation("again", {n}), last = b.activation("last", {n});
    b.copy(x, y);
    b.copy(other, z);
    b.offload(y, 0);
    b.offload(z, second);
    b.copy(other, y);
    b.copy(x, z);
    b.fetch(0, first);
    b.fetch(0, again);
    b.copy(again, z);
    b.fetch(second, last);
    for (auto [name, tensor] :
         {std::pair("first", first), {"again", z}, {"last", last}})
      b.output(name, tensor);
    b.finish();
    for (auto [poison, profile] : {std::pair(0, 0), {1, 0}, {0, 1}}) {
      SessionHandle s;
      ASSERT_EQ(s.open(b.seal(), options(poison, profile)).message, "");
      for (float scale : {1.0f, 3.0f}) {
        std::vector<float> in = ramp(size_t(n)), out(in.size());
        for (float &value : in)
          value *= scale;
        std::vector<float> negative = in;
        for (float &value : negative)
          value = -value;
        ASSERT_EQ(s.setInput("x", in).message, "");
        ASSERT_EQ(s.setInput("other", negative).message, "");
        ASSERT_EQ(s.run().message, "");
        ASSERT_EQ(s.getOutput("first", out).message, "");
        EXPECT_EQ(out, in);
        ASSERT_EQ(s.getOutput("again", out).message, "");
        EXPECT_EQ(out, in);
        ASSERT_EQ(s.getOutput("last", out).message, "");
        EXPECT_EQ(out, negative);
      }
    }
  }
}

TEST_P(DeviceTest, RefusesWrongCopiesToHostMemory) {
  auto refusal = [&](auto build) {
    ArtifactBuilder b;
    Tensor x = b.input("x", {64}), y = b.activation("y", {64}),
           z = b.activation("z", {32});
    b.copy(x, y);
    build(b, y, z);
    b.output("x", x);
    b.finish();
    SessionHandle s;
    return s.open(b.seal(), options()).message;
  };
  auto expect = [&](const std::string &message, const std::string &part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  using B = ArtifactBuilder &;
  using T = const Tensor &;
  expect(refusal([](B b, T y, T) { b.fetch(0, y); }),
         "what no step before it has copied to byte 0");
  expect(refusal([](B b, T y, T z) {
           b.offload(y, 0);
           b.fetch(0, z);
         }),
         "what no step before it has copied to byte 0");
  expect(refusal([](B b, T y, T) { b.offload(y, 4); }), "at byte 4");
  expect(refusal([](B b, T y, T) { b.offload(y, uint64_t(1) << 60); }),
         "at byte 1152921504606846976");
  expect(refusal([](B b, T y, T z) {
           b.copy(z, z);
           b.offload(y, 128);
           b.offload(z, 64);
         }),
         "over another value");
  expect(refusal([](B b, T y, T) {
           b.offload(y, 0);
           b.offload(y, 192);
         }),
         "over another value");
}

TEST_P(DeviceTest, LaunchesWithConstantsAndVariables) {
  for (int64_t n : {1, 5, 100003}) {
    ArtifactBuilder b;
    Tensor scale = b.variable("scale", {1}, fb::InitKind::Constant, 3);
    Tensor offset = b.constant("offset", {n}, std::vector<float>(size_t(n), 2));
    Tensor x = b.input("x", {n}), y = b.activation("y", {n});
    b.launch("scale_add", {x, scale, offset, y}, {3}, uint64_t(n));
    b.output("y", y);
    b.finish();
    SessionHandle s;
    ASSERT_EQ(s.open(b.seal(), options()).message, "");
    ASSERT_EQ(take(rp_session_initialize(s.session, 1)).message, "");
    ASSERT_EQ(s.setInput("x", ramp(size_t(n))).message, "");
    ASSERT_EQ(s.run().message, "");
    std::vector<float> y1(static_cast<size_t>(n));
    ASSERT_EQ(s.getOutput("y", y1).message, "");
    for (size_t i = 0; i < y1.size(); ++i)
      ASSERT_EQ(y1[i], float(i + 1) * 3 + 2) << i << " of " << n;
  }
}

TEST_P(DeviceTest, RunsEveryGrainOnce) {
  for (unsigned threads : {1u, 2u, 3u}) {
    const int64_t n = 50021;
    ArtifactBuilder b(threads);
    Tensor counts = b.variable("counts", {n}, fb::InitKind::Zeros, 0,
                               fb::Role::Counter, fb::ElementType::I32);
    b.launch("count", {counts}, {0}, uint64_t(n));
    b.finish();
    SessionHandle s;
    ASSERT_EQ(s.open(b.seal(), options()).message, "");
    ASSERT_EQ(s.run().message, "");
    ASSERT_EQ(s.run().message, "");
    std::vector<int32_t> values(static_cast<size_t>(n));
    ASSERT_EQ(s.readVariable("counts", values).message, "");
    EXPECT_EQ(values, std::vector<int32_t>(size_t(n), 2)) << threads;
  }
}

TEST_P(DeviceTest, ReadsBackWhatWasWrittenToAVariable) {
  ArtifactBuilder b;
  b.variable("a", {3});
  b.variable("b", {5});
  b.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(b.seal(), options()).message, "");
  std::vector<float> zeros(5), got(5, 1.0f);
  ASSERT_EQ(s.readVariable("b", got).message, "");
  EXPECT_EQ(got, zeros) << "variables are zero until initialized";
  ASSERT_EQ(s.writeVariable("b", ramp(5)).message, "");
  ASSERT_EQ(s.readVariable("b", got).message, "");
  EXPECT_EQ(got, ramp(5));
  std::vector<float> a(3, 1.0f);
  ASSERT_EQ(s.readVariable("a", a).message, "");
  EXPECT_EQ(a, std::vector<float>(3)) << "neighbours are untouched";
}

//===----------------------------------------------------------------------===//
// Initial values
//===----------------------------------------------------------------------===//

static std::vector<float> initialized(const char *device, ArtifactBuilder &b,
                                      const char *name, size_t n,
                                      uint64_t seed) {
  SessionHandle s;
  EXPECT_EQ(s.open(b.seal(), {device, 0, 0, 0}).message, "");
  EXPECT_EQ(take(rp_session_initialize(s.session, seed)).message, "");
  std::vector<float> values(n);
  EXPECT_EQ(s.readVariable(name, values).message, "");
  return values;
}

TEST_P(DeviceTest, InitialValuesDependOnNameAndSeedOnly) {
  ArtifactBuilder one, two(1);
  one.variable("w", {999}, fb::InitKind::Normal, 1);
  one.finish();
  two.variable("other", {123}, fb::InitKind::Normal, 1);
  two.variable("w", {999}, fb::InitKind::Normal, 1);
  two.finish();
  auto w1 = initialized(GetParam().c_str(), one, "w", 999, 7);
  EXPECT_EQ(w1, initialized(GetParam().c_str(), two, "w", 999, 7));
  EXPECT_NE(w1, initialized(GetParam().c_str(), one, "w", 999, 8));
  auto other = initialized(GetParam().c_str(), two, "other", 123, 7);
  EXPECT_NE(std::vector<float>(w1.begin(), w1.begin() + 123), other);
}

TEST_P(DeviceTest, InitialValuesMayBeData) {
  ArtifactBuilder b;
  b.variable("w", {3}, fb::InitKind::Elements);
  b.finish();
  const std::vector<float> data = {1.5f, -0.0f, 3e-40f};
  b.program.variables[0]->init_data.resize(12);
  std::memcpy(b.program.variables[0]->init_data.data(), data.data(), 12);
  for (uint64_t seed : {1, 2}) {
    auto values = initialized(GetParam().c_str(), b, "w", 3, seed);
    EXPECT_EQ(std::memcmp(values.data(), data.data(), 12), 0);
  }
}

TEST_P(DeviceTest, InitialValuesHaveTheirDistribution) {
  const int64_t n = 64 * 3 * 3 * 64;
  ArtifactBuilder b;
  b.variable("filter", {64, 3, 3, 64}, fb::InitKind::KaimingNormal);
  b.variable("matrix", {512, 72}, fb::InitKind::KaimingNormal);
  b.variable("uniform", {n}, fb::InitKind::Uniform, 0.25);
  b.variable("ones", {9}, fb::InitKind::Ones);
  b.finish();
  auto moments = [](const std::vector<float> &v) {
    double sum = 0, squares = 0;
    for (float x : v)
      sum += x, squares += double(x) * x;
    double mean = sum / double(v.size());
    return std::pair(mean, squares / double(v.size()) - mean * mean);
  };
  // Tolerances are five standard errors of 36,864 samples.
  double error = 5 / std::sqrt(double(n));
  auto [mean, variance] =
      moments(initialized(GetParam().c_str(), b, "filter", size_t(n), 1));
  double expected = 2.0 / (64 * 9);
  EXPECT_NEAR(mean, 0, error * std::sqrt(expected));
  EXPECT_NEAR(variance, expected, error * std::sqrt(2.0) * expected);
  auto [mean2, variance2] =
      moments(initialized(GetParam().c_str(), b, "matrix", 512 * 72, 1));
  EXPECT_NEAR(mean2, 0, error * std::sqrt(2.0 / 512));
  EXPECT_NEAR(variance2, 2.0 / 512, error * std::sqrt(2.0) * 2 / 512);
  auto uniform = initialized(GetParam().c_str(), b, "uniform", size_t(n), 1);
  for (float x : uniform)
    ASSERT_TRUE(x > -0.25f && x < 0.25f) << x;
  EXPECT_NEAR(moments(uniform).second, 0.25 * 0.25 / 3, 1e-3);
  EXPECT_EQ(initialized(GetParam().c_str(), b, "ones", 9, 1),
            std::vector<float>(9, 1));
}

TEST_P(DeviceTest, SeedVariableHoldsTheSeed) {
  ArtifactBuilder b;
  b.variable("seed", {1}, fb::InitKind::Zeros, 0, fb::Role::Seed,
             fb::ElementType::I64);
  b.variable("small", {1}, fb::InitKind::Zeros, 0, fb::Role::Seed,
             fb::ElementType::I32);
  b.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(b.seal(), options()).message, "");
  const uint64_t seed = 0x0123456789ABCDEF;
  ASSERT_EQ(take(rp_session_initialize(s.session, seed)).message, "");
  std::vector<uint64_t> wide(1);
  std::vector<uint32_t> narrow(1);
  ASSERT_EQ(s.readVariable("seed", wide).message, "");
  ASSERT_EQ(s.readVariable("small", narrow).message, "");
  EXPECT_EQ(wide[0], seed);
  EXPECT_EQ(narrow[0], uint32_t(seed));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// x -> a -> b -> c with a dead after step 1; c may reuse a's bytes.
static ArtifactBuilder chain(bool share) {
  ArtifactBuilder b;
  Tensor v = b.variable("v", {100});
  Tensor x = b.input("x", {100}), a = b.activation("a", {100}),
         y = b.activation("b", {100}), z = b.activation("c", {100});
  b.copy(x, a);
  b.copy(a, y);
  b.copy(y, z);
  b.copy(z, v);
  b.output("c", z);
  b.finish();
  if (share) {
    auto &buffers = b.entry().buffers;
    buffers[3]->offset = buffers[1]->offset;
    b.entry().peak_bytes = buffers[2]->offset + buffers[2]->size;
    b.entry().max_live_bytes = b.entry().peak_bytes;
  }
  return b;
}

TEST_P(DeviceTest, MeasuresThePeakItPromises) {
  for (bool share : {false, true}) {
    ArtifactBuilder b = chain(share);
    SessionHandle s;
    ASSERT_EQ(s.open(b.seal(), options()).message, "");
    EXPECT_EQ(s.memory().high_water_bytes, b.program.fixed_bytes);
    ASSERT_EQ(s.setInput("x", ramp(100)).message, "");
    ASSERT_EQ(s.run().message, "");
    size_t predicted = 0;
    rp_status_free(rp_program_peak_bytes(s.program, "step", &predicted));
    EXPECT_EQ(s.memory().high_water_bytes, predicted);
    EXPECT_EQ(s.memory().arena_bytes, b.program.arena_bytes);
    std::vector<float> c(100);
    ASSERT_EQ(s.getOutput("c", c).message, "");
    EXPECT_EQ(c, ramp(100));
  }
}

TEST_P(DeviceTest, PoisonLeavesLiveValuesAlone) {
  for (bool share : {false, true}) {
    ArtifactBuilder b = chain(share);
    SessionHandle s;
    ASSERT_EQ(s.open(b.seal(), options(1)).message, "");
    std::vector<float> c(100);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(s.setInput("x", ramp(100)).message, "");
      ASSERT_EQ(s.run().message, "");
      ASSERT_EQ(s.getOutput("c", c).message, "");
      EXPECT_EQ(c, ramp(100));
    }
  }
}

TEST_P(DeviceTest, PoisonShowsReadsOfDeadMemory) {
  // Step 0 writes a; step 1 reads memory at a's address through another
  // buffer, which is legal for the verifier and wrong.
  ArtifactBuilder b;
  Tensor x = b.input("x", {16}), a = b.activation("a", {16}),
         stale = b.activation("stale", {16}), y = b.activation("y", {16});
  b.copy(x, a);
  b.copy(stale, y);
  b.output("y", y);
  b.finish();
  auto &buffers = b.entry().buffers;
  buffers[2]->offset = buffers[1]->offset;
  for (bool poison : {false, true}) {
    SessionHandle s;
    ASSERT_EQ(s.open(b.seal(), options(poison)).message, "");
    ASSERT_EQ(s.setInput("x", ramp(16)).message, "");
    ASSERT_EQ(s.run().message, "");
    std::vector<float> out(16);
    ASSERT_EQ(s.getOutput("y", out).message, "");
    EXPECT_EQ(std::isnan(out[0]), poison);
  }
}

TEST_P(DeviceTest, PoisonsMemoryBeforeTheFirstStep) {
  ArtifactBuilder b;
  Tensor u = b.activation("never written", {16}), y = b.activation("y", {16});
  b.copy(u, y);
  b.output("y", y);
  b.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(b.seal(), options(1)).message, "");
  ASSERT_EQ(s.run().message, "");
  std::vector<float> out(16);
  ASSERT_EQ(s.getOutput("y", out).message, "");
  for (float f : out)
    EXPECT_TRUE(std::isnan(f));
}

/// Resident memory of this process, or 0 where the system does not say.
static size_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * size_t(sysconf(_SC_PAGESIZE));
}

TEST(CpuMemory, ResidentMemoryGrowsByTheArena) {
  // Not a multiple of a huge page, which must not round it up.
  const int64_t n = (100 << 18) + 7;
  ArtifactBuilder b;
  Tensor x = b.activation("x", {n}), y = b.activation("y", {1});
  b.copy({y.buffer, y.type, {1}}, {x.buffer, x.type, {1}});
  b.finish();
  std::vector<uint8_t> bytes = b.seal();
  size_t before = residentBytes();
  SessionHandle s;
  ASSERT_EQ(s.open(bytes, {"cpu", 0, 0, 0}).message, "");
  size_t grown = residentBytes() - before;
  EXPECT_GE(grown, b.program.arena_bytes) << "touched when created";
  // 1 MiB for the session itself.
  EXPECT_LE(grown, b.program.arena_bytes + (1 << 20));
}

TEST_P(DeviceTest, TimesStepsWhenAsked) {
  ArtifactBuilder b = chain(false);
  SessionHandle timed, plain;
  ASSERT_EQ(timed.open(b.seal(), options(0, 1)).message, "");
  ASSERT_EQ(timed.setInput("x", ramp(100)).message, "");
  ASSERT_EQ(timed.run().message, "");
  EXPECT_EQ(rp_session_step_count(timed.session, "step"), 4u);
  double seconds = -1;
  ASSERT_EQ(
      take(rp_session_step_seconds(timed.session, "step", 3, &seconds)).message,
      "");
  EXPECT_GE(seconds, 0);
  EXPECT_EQ(
      take(rp_session_step_seconds(timed.session, "step", 4, &seconds)).message,
      "step 4 of 4");
  ASSERT_EQ(plain.open(b.seal(), options()).message, "");
  EXPECT_EQ(
      take(rp_session_step_seconds(plain.session, "step", 0, &seconds)).code,
      RP_INVALID_ARGUMENT);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_P(DeviceTest, TellsCallersTheirMistakes) {
  ArtifactBuilder b = chain(false);
  SessionHandle s;
  ASSERT_EQ(s.open(b.seal(), options()).message, "");
  std::vector<float> c(100);
  EXPECT_EQ(s.run().message,
            "input 'x' of entry 'step' was not set since the last run");
  EXPECT_EQ(s.setInput("x", ramp(99)).message,
            "input 'x' has 400 bytes, not 396");
  EXPECT_EQ(s.setInput("z", ramp(100)).message,
            "entry 'step' has no input 'z'");
  ASSERT_EQ(s.setInput("x", ramp(100)).message, "");
  EXPECT_EQ(s.getOutput("c", c).message,
            "the outputs of entry 'step' are not there: run it, and read them "
            "before another run or input");
  ASSERT_EQ(s.run().message, "");
  ASSERT_EQ(s.setInput("x", ramp(100)).message, "");
  EXPECT_EQ(s.getOutput("c", c).message.substr(0, 33),
            "the outputs of entry 'step' are n")
      << "an input was written over them";
  ASSERT_EQ(s.run().message, "");
  EXPECT_EQ(s.getOutput("d", c).message, "entry 'step' has no output 'd'");
  std::vector<float> small(3);
  EXPECT_EQ(s.getOutput("c", small).message,
            "output 'c' has 400 bytes, not 12");
  EXPECT_EQ(s.readVariable("nobody", c).message,
            "the program has no variable 'nobody'");
  EXPECT_EQ(s.run().message,
            "input 'x' of entry 'step' was not set since the last run");
  Outcome unknown = take(rp_session_run(s.session, "eval"));
  EXPECT_EQ(unknown.message, "the program has no entry 'eval'; it has: step");
  EXPECT_EQ(unknown.code, RP_INVALID_ARGUMENT);
  EXPECT_NE(unknown.site.find("Program.cpp:"), std::string::npos);
  EXPECT_EQ(take(rp_session_run(nullptr, "step")).message,
            "no session was given");
}

TEST_P(DeviceTest, RefusesArtifactsForOtherMachines) {
  for (const Foreign &foreign : deviceForm().foreign()) {
    SCOPED_TRACE(foreign.what);
    ArtifactBuilder b;
    Tensor y = b.activation("y", {4});
    b.launch("ones", {y}, {0}, 4);
    b.output("y", y);
    b.finish();
    ASSERT_FALSE(b.program.code.empty());
    foreign.change(b.program);
    SessionHandle s;
    Outcome outcome = s.open(b.seal(), options());
    EXPECT_EQ(outcome.code, foreign.code);
    for (const std::string &part : foreign.says)
      EXPECT_NE(outcome.message.find(part), std::string::npos)
          << outcome.message;
  }
}

TEST_P(DeviceTest, RefusesAnotherAlignment) {
  ArtifactBuilder b;
  b.program.alignment = deviceForm().otherAlignment();
  Tensor x = b.input("x", {7}), y = b.activation("y", {7});
  b.copy(x, y);
  b.output("y", y);
  b.finish();
  SessionHandle s;
  Outcome outcome = s.open(b.seal(), options());
  EXPECT_EQ(outcome.code, RP_INCOMPATIBLE);
  EXPECT_NE(outcome.message.find(
                "aligned to " + std::to_string(b.program.alignment) + " bytes"),
            std::string::npos)
      << outcome.message;
}

TEST(Host, FeaturesAreSortedAndKnown) {
  std::vector<std::string> known = rt::knownFeatures();
  EXPECT_TRUE(std::is_sorted(known.begin(), known.end()));
  std::stringstream host(rt::hostTarget());
  for (std::string name; std::getline(host, name, ',');)
    EXPECT_TRUE(std::binary_search(known.begin(), known.end(), name)) << name;
#if defined(__x86_64__)
  if (std::getenv("REPRISE_HIDE_FEATURES"))
    GTEST_SKIP() << "some features are hidden";
  // As the compiler's own runtime sees them.
  auto has = [&](const char *name) {
    return ("," + rt::hostTarget() + ",").find("," + std::string(name) + ",") !=
           std::string::npos;
  };
  EXPECT_EQ(has("sse4.2"), bool(__builtin_cpu_supports("sse4.2")));
  EXPECT_EQ(has("popcnt"), bool(__builtin_cpu_supports("popcnt")));
  EXPECT_EQ(has("avx"), bool(__builtin_cpu_supports("avx")));
  EXPECT_EQ(has("avx2"), bool(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(has("fma"), bool(__builtin_cpu_supports("fma")));
  EXPECT_EQ(has("bmi2"), bool(__builtin_cpu_supports("bmi2")));
  EXPECT_EQ(has("gfni"), bool(__builtin_cpu_supports("gfni")));
  EXPECT_EQ(has("avx512f"), bool(__builtin_cpu_supports("avx512f")));
  EXPECT_EQ(has("avx512vl"), bool(__builtin_cpu_supports("avx512vl")));
  EXPECT_EQ(has("avx512bf16"), bool(__builtin_cpu_supports("avx512bf16")));
  EXPECT_EQ(has("avx512vbmi2"), bool(__builtin_cpu_supports("avx512vbmi2")));
  EXPECT_EQ(has("avx512bitalg"), bool(__builtin_cpu_supports("avx512bitalg")));
#endif
}

TEST_P(DeviceTest, RefusesAnArenaLargerThanMemory) {
  ArtifactBuilder b = chain(false);
  b.program.arena_bytes = uint64_t(1) << 45;
  SessionHandle s;
  Outcome outcome = s.open(b.seal(), options());
  EXPECT_EQ(outcome.code, RP_OUT_OF_MEMORY);
  EXPECT_NE(outcome.message.find("35184372088832 bytes"), std::string::npos);
}

TEST(DeviceRegistry, NamesTheDevicesThereAre) {
  ArtifactBuilder b = chain(false);
  SessionHandle s;
  Outcome outcome = s.open(b.seal(), {"abacus", 0, 0, 0});
  EXPECT_EQ(outcome.code, RP_UNAVAILABLE);
  EXPECT_EQ(outcome.message.find("there is no device 'abacus' here ("), 0u);
  EXPECT_NE(outcome.message.find("; available: cpu"), std::string::npos);
}

TEST(DeviceRegistry, TwoSessionsKeepTheirOwnCodeAndMemory) {
  ArtifactBuilder one, two;
  Tensor a = one.variable("n", {4}, fb::InitKind::Zeros, 0, fb::Role::Counter,
                          fb::ElementType::I32);
  one.launch("count", {a}, {0}, 4);
  one.finish();
  Tensor c = two.variable("n", {4}, fb::InitKind::Zeros, 0, fb::Role::Counter,
                          fb::ElementType::I64);
  two.launch("partition", {c}, {0}, 4);
  two.finish();
  SessionHandle s1, s2;
  ASSERT_EQ(s1.open(one.seal(), {"cpu", 0, 0, 0}).message, "");
  ASSERT_EQ(s2.open(two.seal(), {"cpu", 0, 0, 0}).message, "");
  ASSERT_EQ(s2.run().message, "");
  ASSERT_EQ(s1.run().message, "");
  std::vector<int32_t> n1(4);
  std::vector<int64_t> n2(4);
  ASSERT_EQ(s1.readVariable("n", n1).message, "");
  ASSERT_EQ(s2.readVariable("n", n2).message, "");
  EXPECT_EQ(n1, std::vector<int32_t>(4, 1));
  EXPECT_EQ(n2, std::vector<int64_t>(4, 0));
}
