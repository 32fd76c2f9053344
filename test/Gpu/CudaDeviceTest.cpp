//===- CudaDeviceTest.cpp - The device "cuda" on a driver without a GPU ---===//
//
// What the device refuses and how it says so, that it waits where it must, and
// that it takes nothing once it is prepared.
//
//===----------------------------------------------------------------------===//

#include "../../runtime/core/Views.h"
#include "../EndToEnd/ZooTraining.h"
#include "../runtime/conformance/SessionHandle.h"
#include "CodeWith.h"
#include "SimulatedTarget.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/Cuda/Cuda.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/program_generated.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;
namespace fb = reprise::rt::fb;

namespace {

class CudaDevice : public testing::Test {
protected:
  static void SetUpTestSuite() {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    loadEverything(context);
    gpu_test::registerSimulatedGpu();
    artifact = compileCase(context, smallModels().front(), "none",
                           /*fuse=*/true, "cuda:");
    perBlock = compileCase(context, smallModels().front(), "per-block",
                           /*fuse=*/true, "cuda:");
    ASSERT_FALSE(artifact.empty() || perBlock.empty());
  }
  void SetUp() override { gpu_test::simulatedGpu() = {}; }
  void TearDown() override {
    EXPECT_EQ(gpu_test::simulatedGpu().problems, std::vector<std::string>());
  }

  /// The artifact with a change that its checks do not look at.
  static Bytes changed(const std::function<void(fb::ProgramT &)> &change);
  /// What opening a session says; "" if it opens.
  static std::string open(const Bytes &file, const char *device = nullptr);

  static Bytes artifact, perBlock;
};

Bytes CudaDevice::artifact, CudaDevice::perBlock;

} // namespace

Bytes CudaDevice::changed(const std::function<void(fb::ProgramT &)> &change) {
  const uint8_t *payload = nullptr;
  size_t size = 0;
  EXPECT_TRUE(
      rt::openContainer(artifact.data(), artifact.size(), &payload, &size)
          .ok());
  fb::ProgramT program;
  fb::GetProgram(payload)->UnPackTo(&program);
  change(program);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Program::Pack(builder, &program), fb::ProgramIdentifier());
  return rt::sealArtifact(builder.GetBufferPointer(), builder.GetSize());
}

static std::string take(rp_status *status) {
  if (!status)
    return "";
  std::string message = rp_status_message(status);
  rp_status_free(status);
  return message;
}

std::string CudaDevice::open(const Bytes &file, const char *device) {
  rp_program *program = nullptr;
  std::string wrong =
      take(rp_program_from_memory(file.data(), file.size(), &program));
  if (!wrong.empty())
    return "not loaded: " + wrong;
  rp_session *session = nullptr;
  rp_session_options options = {device, 0, 0, 0};
  wrong = take(rp_session_create(program, &options, &session));
  if (session)
    rp_session_destroy(session);
  rp_program_close(program);
  return wrong;
}

TEST_F(CudaDevice, OpensWhatWasCompiledForIt) { EXPECT_EQ(open(artifact), ""); }

TEST_F(CudaDevice, RefusesAnOlderDevice) {
  gpu_test::simulatedGpu().facts.architecture = "sm_80";
  EXPECT_EQ(open(artifact),
            "the artifact was compiled for devices of sm_90 or newer, this one "
            "is of sm_80; compile the model again with --target cuda:sm_80");
}

// PTX is for all newer ones, here the same text.
TEST_F(CudaDevice, TakesANewerDevice) {
  gpu_test::simulatedGpu().facts.architecture = "sm_100";
  EXPECT_EQ(open(artifact), "");
  Bytes cubinOnly = changed([](fb::ProgramT &program) {
    program.code =
        gpu_test::codeWith(program.code, [](auto &code) { code.ptx.clear(); });
  });
  gpu_test::simulatedGpu().facts.architecture = "sm_90";
  EXPECT_EQ(open(cubinOnly), "");
}

TEST_F(CudaDevice, RefusesOtherLibraries) {
  gpu_test::simulatedGpu().facts.libraries = "simulated library 2";
  EXPECT_EQ(
      open(artifact),
      "the artifact's calls were planned for simulated library 1, here "
      "is simulated library 2; compile the model again with these, or let "
      "calls run as they can in the planned bytes (--device "
      "cuda:0,adapt)");
  EXPECT_EQ(open(artifact, "cuda:0,adapt"), "");
}

TEST_F(CudaDevice, SaysWhatMemoryThePlanTakes) {
  gpu_test::simulatedGpu().facts.freeBytes = 1000;
  std::string said = open(artifact);
  EXPECT_NE(said.find("the plan takes "), std::string::npos) << said;
  EXPECT_NE(said.find("which has 1000 of 17179869184 bytes free"),
            std::string::npos)
      << said;
}

TEST_F(CudaDevice, RefusesCodeThatIsNone) {
  EXPECT_EQ(
      open(changed([](fb::ProgramT &program) { program.code.assign(100, 7); })),
      "the artifact's code is none for device 'cuda'");
  EXPECT_EQ(open(changed([](fb::ProgramT &program) {
              program.code.resize(program.code.size() / 2);
            })),
            "the artifact's code is none for device 'cuda'");
  std::string said = open(changed([](fb::ProgramT &program) {
    program.code = gpu_test::codeWith(program.code, [](auto &code) {
      code.kernels.front()->name = "another";
    });
  }));
  EXPECT_NE(said.find("the artifact's code has no kernel '"), std::string::npos)
      << said;
  said = open(changed([](fb::ProgramT &program) {
    program.code = gpu_test::codeWith(
        program.code, [](auto &code) { code.kernels.front()->threads = 4096; });
  }));
  EXPECT_NE(said.find("has blocks of 4096 threads"), std::string::npos) << said;
}

// Every byte that may be wrong in the code is looked at before it is used.
TEST_F(CudaDevice, SurvivesDamagedCode) {
  for (size_t at = 0; at < 400; ++at)
    (void)open(changed([&](fb::ProgramT &program) {
      program.code[at % program.code.size()] ^= uint8_t(1 + at % 255);
    }));
  // Blocks of another size than the code's are noted, and may run.
  gpu_test::simulatedGpu().problems.clear();
}

TEST_F(CudaDevice, RefusesCallsOfOtherKernels) {
  std::string said = open(changed([](fb::ProgramT &program) {
    for (auto &entry : program.entries)
      for (auto &step : entry->steps)
        if (fb::LibraryCallT *call = step->action.AsLibraryCall())
          call->implementation = "another";
  }));
  EXPECT_NE(said.find("'another'"), std::string::npos) << said;
  EXPECT_NE(said.find("step "), std::string::npos) << said;
}

TEST_F(CudaDevice, TakesTheArenaAndNothingElse) {
  OpenProgram program(artifact, /*poison=*/false);
  ASSERT_TRUE(program);
  auto memory = program.backend().memory();
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(gpu_test::simulatedGpu().allocatedBytes, memory->arena_bytes);
  ASSERT_TRUE(rt::train(program.backend(), trainOptions(3)).ok());
  EXPECT_EQ(gpu_test::simulatedGpu().allocatedBytes, memory->arena_bytes);
}

//===----------------------------------------------------------------------===//
// Inputs beside steps
//===----------------------------------------------------------------------===//

/// Sets every input of a training step to numbers that follow from `seed`.
static void setInputs(rt::Backend &backend, uint8_t seed) {
  for (const rt::TensorInfo &input : backend.entry("train_step")->inputs) {
    Bytes bytes(input.bytes);
    // Classes and counters are small, f32 below 1.
    for (size_t i = 0; i < bytes.size(); i += 4)
      bytes[i] = input.type == RP_F32 ? 0 : uint8_t((i / 4 + seed) % 2);
    for (size_t i = 3; input.type == RP_F32 && i < bytes.size(); i += 4)
      bytes[i] = uint8_t(0x3C + (i / 4 * 7 + seed) % 3);
    rt::Status status =
        backend.setInput("train_step", input.name, bytes.data(), bytes.size());
    ASSERT_TRUE(status.ok()) << status.message();
  }
}

static float lossOf(rt::Backend &backend) {
  float loss = NAN;
  const rt::TensorInfo *info =
      backend.entry("train_step")->output(RP_BINDING_LOSS);
  rt::Status status =
      backend.getOutput("train_step", info->name, &loss, sizeof loss);
  EXPECT_TRUE(status.ok()) << status.message();
  return loss;
}

// A run is launched and not waited for; the inputs of the next one neither
// disturb it nor what it left.
TEST_F(CudaDevice, TakesInputsWhileAStepIsRunning) {
  constexpr uint8_t steps = 4;
  std::vector<float> losses[2];
  for (bool isAhead : {false, true}) {
    OpenProgram program(artifact, /*poison=*/false);
    ASSERT_TRUE(program);
    rt::Backend &backend = program.backend();
    EXPECT_TRUE(backend.stagesInputs());
    ASSERT_TRUE(backend.initialize(1).ok());
    setInputs(backend, 0);
    for (uint8_t step = 1; step <= steps; ++step) {
      size_t before = gpu_test::simulatedGpu().launches;
      ASSERT_TRUE(backend.run("train_step").ok());
      if (isAhead)
        setInputs(backend, step);
      // The fake does what somebody waits for.
      EXPECT_EQ(gpu_test::simulatedGpu().launches, before);
      losses[isAhead].push_back(lossOf(backend));
      EXPECT_GT(gpu_test::simulatedGpu().launches, before);
      if (!isAhead)
        setInputs(backend, step);
    }
    auto memory = backend.memory();
    ASSERT_TRUE(memory.ok());
    EXPECT_EQ(memory->high_water_bytes, backend.entry("train_step")->peakBytes);
  }
  EXPECT_EQ(losses[1], losses[0]);
  // Else it would not matter which inputs a step had.
  EXPECT_NE(losses[0][0], losses[0][1]);
}

//===----------------------------------------------------------------------===//
// Programs that take turns
//===----------------------------------------------------------------------===//

namespace {
/// A session of the one with the larger arena may run the other.
class TwoPrograms {
public:
  TwoPrograms(const Bytes &a, const Bytes &b)
      : first(a, /*poison=*/false), second(b, /*poison=*/false) {}
  explicit operator bool() const { return bool(first) && bool(second); }
  OpenProgram &large() { return isFirst() ? first : second; }
  OpenProgram &small() { return isFirst() ? second : first; }

private:
  bool isFirst() {
    return rp_program_arena_bytes(first.handle()) >=
           rp_program_arena_bytes(second.handle());
  }

  OpenProgram first, second;
};
} // namespace

// Nobody waits between the steps: whoever's turn begins has to.
TEST_F(CudaDevice, SharesItsMemoryWithAnotherProgram) {
  constexpr uint8_t steps = 6;
  OpenProgram plain(artifact, /*poison=*/false);
  ASSERT_TRUE(plain && plain.backend().initialize(1).ok());
  for (uint8_t step = 0; step < steps; ++step) {
    setInputs(plain.backend(), step);
    ASSERT_TRUE(plain.backend().run("train_step").ok());
  }

  TwoPrograms two(artifact, perBlock);
  ASSERT_TRUE(two);
  OpenProgram &large = two.large(), &small = two.small();
  gpu_test::simulatedGpu().allocatedBytes = 0;
  rt::Backend &backend = large.backend();
  ASSERT_TRUE(backend.initialize(1).ok());
  // Prepared now, so that its first turn begins while work runs.
  ASSERT_TRUE(backend.switchTo(small.handle()).ok());
  for (uint8_t step = 0; step < steps; ++step) {
    // One after another, twice, once, so that turns of either length are met.
    bool isSmall = step == 1 || step == 2 || step == 4;
    rt::Status status = backend.switchTo((isSmall ? small : large).handle());
    ASSERT_TRUE(status.ok()) << status.message();
    setInputs(backend, step);
    ASSERT_TRUE(backend.run("train_step").ok());
  }
  EXPECT_EQ(lossOf(backend), lossOf(plain.backend()));
  EXPECT_TRUE(large.variables() == plain.variables());
  EXPECT_EQ(gpu_test::simulatedGpu().allocatedBytes, 0u);
}

// Work that is not recorded leaves the program that prepares another as it was.
TEST_F(CudaDevice, GoesOnWhereAnotherProgramIsRefused) {
  gpu_test::FakeGpu &gpu = gpu_test::simulatedGpu();
  OpenProgram plain(artifact, /*poison=*/false);
  ASSERT_TRUE(plain && plain.backend().initialize(1).ok());
  TwoPrograms two(artifact, perBlock);
  ASSERT_TRUE(two);
  OpenProgram &large = two.large(), &small = two.small();
  rt::Backend &backend = large.backend();
  ASSERT_TRUE(backend.initialize(1).ok());
  size_t pinned = gpu.pinned;
  for (uint8_t step = 0; step < 3; ++step) {
    gpu.refusesAt = gpu.recorded + 3;
    rt::Status status = backend.switchTo(small.handle());
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find("this is not recorded"), std::string::npos)
        << status.message();
    for (rt::Backend *each : {&backend, &plain.backend()}) {
      setInputs(*each, step);
      ASSERT_TRUE(each->run("train_step").ok());
    }
  }
  EXPECT_EQ(gpu.pinned, pinned);
  EXPECT_EQ(lossOf(backend), lossOf(plain.backend()));
  EXPECT_TRUE(large.variables() == plain.variables());
  gpu.refusesAt = 0;
  EXPECT_TRUE(backend.switchTo(small.handle()).ok());
}

// A device that is lost takes the variables with it.
TEST_F(CudaDevice, SaysThatVariablesAreLost) {
  gpu_test::FakeGpu &gpu = gpu_test::simulatedGpu();
  TwoPrograms two(artifact, perBlock);
  ASSERT_TRUE(two);
  rt::Backend &backend = two.large().backend();
  ASSERT_TRUE(backend.initialize(1).ok());
  gpu.failsAt = gpu.launches + 2;
  for (int attempt = 0; attempt < 2; ++attempt) {
    rt::Status status = backend.switchTo(two.small().handle());
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.message().rfind("the variables are lost: ", 0), 0u)
        << status.message();
    EXPECT_NE(status.message().find("an illegal address was touched"),
              std::string::npos);
  }
  const rt::TensorInfo &input = backend.entry("train_step")->inputs[0];
  Bytes bytes(input.bytes);
  rt::Status status =
      backend.setInput("train_step", input.name, bytes.data(), bytes.size());
  EXPECT_EQ(status.message().rfind("the variables are lost: ", 0), 0u)
      << status.message();
}

// An error that comes late says of what it is.
TEST_F(CudaDevice, NamesTheRunThatFailed) {
  OpenProgram program(artifact, /*poison=*/false);
  ASSERT_TRUE(program);
  gpu_test::FakeGpu &gpu = gpu_test::simulatedGpu();
  size_t prepared = gpu.launches;
  rt::TrainOptions options = trainOptions(1);
  ASSERT_TRUE(rt::train(program.backend(), options).ok());
  gpu.failsAt = gpu.launches + (gpu.launches - prepared) / 2;
  options = trainOptions(3);
  auto result = rt::train(program.backend(), options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(),
            "training step 1: entry 'train_step', run as one graph (run 2 "
            "since it was prepared): an illegal address was touched");
}

// One by one, the step itself is named.
TEST_F(CudaDevice, NamesTheStepThatFailed) {
  OpenProgram program(artifact, /*poison=*/true);
  ASSERT_TRUE(program);
  gpu_test::simulatedGpu().failsAt = gpu_test::simulatedGpu().launches + 2;
  auto result = rt::train(program.backend(), trainOptions(1));
  ASSERT_FALSE(result.ok());
  std::string said = result.status().message();
  EXPECT_EQ(said.rfind("training step 1: step ", 0), 0u) << said;
  EXPECT_NE(said.find(" of 'train_step', "), std::string::npos) << said;
}

TEST_F(CudaDevice, RefusesTooLittleRoomForInputs) {
  Bytes small = changed([](fb::ProgramT &program) {
    for (auto &buffer : program.buffers)
      if (buffer->kind == fb::BufferKind::Input)
        buffer->size -= 1;
  });
  std::string said = open(small);
  EXPECT_NE(said.find("bytes for inputs of the next run, entry '"),
            std::string::npos)
      << said;
}

// Preparing runs the steps once, of which nothing may be left.
TEST_F(CudaDevice, BeginsWithZeros) {
  OpenProgram program(artifact, /*poison=*/false);
  ASSERT_TRUE(program);
  for (const auto &[name, bytes] : program.variables())
    EXPECT_EQ(bytes, Bytes(bytes.size())) << name;
}

// The host may reuse its memory when a write returns, and what is read is what
// was made before. Larger than both pieces of staging, so that each is filled
// while it is under way.
TEST_F(CudaDevice, CopiesMoreThanItsStagingHolds) {
  auto opened = rt::openDevice("cuda");
  ASSERT_TRUE(opened.ok());
  const uint8_t *payload = nullptr;
  size_t size = 0;
  constexpr size_t bytes = 40 << 20;
  Bytes large =
      changed([](fb::ProgramT &program) { program.arena_bytes += bytes; });
  ASSERT_TRUE(
      rt::openContainer(large.data(), large.size(), &payload, &size).ok());
  auto program = (*opened)->prepare(*fb::GetProgram(payload), 0);
  ASSERT_TRUE(program.ok()) << program.status().message();
  std::vector<uint32_t> numbers(bytes / 4), read(bytes / 4);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = uint32_t(i * 2654435761u);
  std::vector<uint32_t> given = numbers;
  ASSERT_TRUE((*program)->write(0, given.data(), bytes).ok());
  std::fill(given.begin(), given.end(), 0);
  ASSERT_TRUE((*program)->read(0, read.data(), bytes).ok());
  EXPECT_EQ(read, numbers);
  EXPECT_FALSE((*program)->write(bytes, given.data(), bytes).ok());
}
// A graph is all of an entry: what it computes is what its steps do one by one.
TEST_F(CudaDevice, RunsAnEntryAsItsSteps) {
  ByteStore after[2];
  for (bool poison : {false, true}) {
    OpenProgram program(artifact, poison);
    ASSERT_TRUE(program);
    ASSERT_TRUE(rt::train(program.backend(), trainOptions(3)).ok());
    after[poison] = program.variables();
    auto memory = program.backend().memory();
    ASSERT_TRUE(memory.ok());
    EXPECT_EQ(memory->high_water_bytes,
              program.backend().entry("train_step")->peakBytes);
  }
  EXPECT_TRUE(after[0] == after[1]);
}

//===----------------------------------------------------------------------===//
// What it says of itself
//===----------------------------------------------------------------------===//

TEST_F(CudaDevice, SumsItselfUp) {
  auto device = rt::openDevice("cuda");
  ASSERT_TRUE(device.ok());
  auto summary = (*device)->summary();
  ASSERT_TRUE(summary.ok()) << summary.status().message();
  EXPECT_EQ(summary->name, "simulated GPU");
  EXPECT_EQ(summary->features, "sm_90");
  EXPECT_EQ(summary->library, "simulated library 1");
  EXPECT_EQ(summary->totalBytes, uint64_t(1) << 34);
  // The first that is described of its architecture, and the one of its name.
  EXPECT_EQ(summary->target, "cuda:h100");
  gpu_test::simulatedGpu().facts.name = "NVIDIA H200";
  EXPECT_EQ((*device)->summary()->target, "cuda:h200");
  gpu_test::simulatedGpu().facts = {"another", "sm_77", "", "{}", 1, 1};
  EXPECT_EQ((*device)->summary()->target, "");
}

TEST_F(CudaDevice, DescribesItselfForTargets) {
  auto device = rt::openDevice("cuda");
  ASSERT_TRUE(device.ok());
  gpu_test::simulatedGpu().facts.name = "NVIDIA A100-SXM4-80GB";
  auto text = (*device)->description({});
  ASSERT_TRUE(text.ok()) << text.status().message();
  auto read = rt::cuda::readDescription(*text);
  ASSERT_TRUE(read.ok()) << read.status().message() << *text;
  EXPECT_EQ(read->key, "a100-sxm4-80gb");
  EXPECT_EQ(read->name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(read->architecture, "sm_90");
  EXPECT_EQ(read->memoryBytes, uint64_t(1) << 34);
  EXPECT_EQ(read->properties, "{\"deviceVer\":900}");
  EXPECT_NE(read->source.find("measured on the device by copies"),
            std::string::npos);
  EXPECT_NE(read->source.find("32x32"), std::string::npos);
  EXPECT_NE(read->source.find("simulated library 1"), std::string::npos);
  EXPECT_EQ(gpu_test::simulatedGpu().calls, 6u); // three of each type
}

// Of those ways the slow one needs no workspace, and the other more than is
// allowed, or there is.
TEST_F(CudaDevice, MeasuresTheCallsOfPrograms) {
  auto device = rt::openDevice("cuda");
  ASSERT_TRUE(device.ok());
  gpu_test::simulatedGpu().slowWays = {{0, "slow"},
                                       {uint64_t(1) << 40, "huge"}};
  const uint8_t *payload = nullptr;
  size_t size = 0;
  ASSERT_TRUE(
      rt::openContainer(artifact.data(), artifact.size(), &payload, &size)
          .ok());
  const fb::Program *program = fb::GetProgram(payload);
  auto text = (*device)->description({program, program});
  ASSERT_TRUE(text.ok()) << text.status().message();
  auto read = rt::cuda::readDescription(*text);
  ASSERT_TRUE(read.ok()) << read.status().message() << *text;
  EXPECT_EQ(read->callLibraries, "simulated library 1");
  std::set<std::string> expected;
  for (const fb::Entry *entry : *program->entries())
    for (const fb::Step *step : *entry->steps())
      if (const fb::LibraryCall *call = step->action_as_LibraryCall()) {
        std::string label = rt::cuda::callText(rt::describe(*call));
        expected.insert(label);
        ASSERT_TRUE(read->calls.count(label)) << label;
        const rt::LibraryCallInfo &measured = read->calls[label];
        EXPECT_EQ(measured.implementation, call->implementation()->str());
        EXPECT_GT(measured.seconds, 0);
      }
  EXPECT_GT(expected.size(), 2u);
  EXPECT_EQ(read->calls.size(), expected.size());
}

TEST_F(CudaDevice, MeasuresNoCallsOfOtherDevices) {
  auto device = rt::openDevice("cuda");
  ASSERT_TRUE(device.ok());
  Bytes other = changed([](auto &program) { program.device = "cpu"; });
  const uint8_t *payload = nullptr;
  size_t size = 0;
  ASSERT_TRUE(
      rt::openContainer(other.data(), other.size(), &payload, &size).ok());
  auto text = (*device)->description({fb::GetProgram(payload)});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), RP_INCOMPATIBLE);
  EXPECT_NE(text.status().message().find("a program for 'cpu'"),
            std::string::npos)
      << text.status().message();
}

TEST_F(CudaDevice, SaysWhyItCannotBeDescribed) {
  auto device = rt::openDevice("cuda");
  ASSERT_TRUE(device.ok());
  gpu_test::simulatedGpu().facts.freeBytes = 1000;
  auto text = (*device)->description({});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), RP_OUT_OF_MEMORY);
}

TEST_F(CudaDevice, IsOneOfSeveral) {
  for (const char *which : {"", "1", "12", "adapt", "1,adapt"})
    EXPECT_TRUE(rt::openDevice(std::string("cuda:") + which).ok()) << which;
  for (const char *which : {"x", "-1", "1.5", "1000", "1,adap", "adapt,1"}) {
    auto device = rt::openDevice(std::string("cuda:") + which);
    ASSERT_FALSE(device.ok()) << which;
    EXPECT_EQ(device.status().message(),
              std::string("there is no GPU '") + which +
                  "'; write cuda:0, cuda:1, ... or cuda:0,adapt");
  }
}
