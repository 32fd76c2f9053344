//===- CudaDeviceTest.cpp - The device "cuda" on a driver without a GPU ---===//
//
// What the device refuses and how it says so, that it waits where it must, and
// that it takes nothing once it is prepared.
//
//===----------------------------------------------------------------------===//

#include "../EndToEnd/ZooTraining.h"
#include "../runtime/conformance/SessionHandle.h"
#include "SimulatedTarget.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/Cuda/cuda_code_generated.h"
#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/program_generated.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

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
    ASSERT_FALSE(artifact.empty());
  }
  void SetUp() override { gpu_test::simulatedGpu() = {}; }

  /// The artifact with a change that its checks do not look at.
  static Bytes changed(const std::function<void(fb::ProgramT &)> &change);
  /// What opening a session says; "" if it opens.
  static std::string open(const Bytes &file, const char *device = nullptr);

  static Bytes artifact;
};

Bytes CudaDevice::artifact;

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

static Bytes codeWith(const fb::ProgramT &program,
                      const std::function<void(rt::cuda_fb::CodeT &)> &change) {
  rt::cuda_fb::CodeT code;
  rt::cuda_fb::GetCode(program.code.data())->UnPackTo(&code);
  change(code);
  flatbuffers::FlatBufferBuilder builder;
  rt::cuda_fb::FinishCodeBuffer(builder,
                                rt::cuda_fb::Code::Pack(builder, &code));
  return Bytes(builder.GetBufferPointer(),
               builder.GetBufferPointer() + builder.GetSize());
}

TEST_F(CudaDevice, OpensWhatWasCompiledForIt) {
  EXPECT_EQ(open(artifact), "");
  EXPECT_EQ(gpu_test::simulatedGpu().problems, std::vector<std::string>());
}

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
    program.code = codeWith(program, [](auto &code) { code.ptx.clear(); });
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
    program.code = codeWith(
        program, [](auto &code) { code.kernels.front()->name = "another"; });
  }));
  EXPECT_NE(said.find("the artifact's code has no kernel '"), std::string::npos)
      << said;
  said = open(changed([](fb::ProgramT &program) {
    program.code = codeWith(
        program, [](auto &code) { code.kernels.front()->threads = 4096; });
  }));
  EXPECT_NE(said.find("has blocks of 4096 threads"), std::string::npos) << said;
}

// Every byte that may be wrong in the code is looked at before it is used.
TEST_F(CudaDevice, SurvivesDamagedCode) {
  for (size_t at = 0; at < 400; ++at)
    (void)open(changed([&](fb::ProgramT &program) {
      program.code[at % program.code.size()] ^= uint8_t(1 + at % 255);
    }));
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
  EXPECT_EQ(gpu_test::simulatedGpu().problems, std::vector<std::string>());
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
