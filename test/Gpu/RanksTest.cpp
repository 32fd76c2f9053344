//===- RanksTest.cpp - Several simulated GPUs -----------------------------===//
//
// Ranks are threads, each with a simulated GPU of its own. Expected bits are
// those of one GPU that runs as many micro-batches.
//
//===----------------------------------------------------------------------===//

#include "../EndToEnd/ZooTraining.h"
#include "../runtime/cpu/ThreadRanks.h"
#include "SimulatedTarget.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

struct RanksCase {
  const char *label, *model;
  unsigned ranks;
  uint64_t bucketBytes = 1 << 20;
  bool shardsOptimizer = false;
  const char *mode = "none";
};

std::ostream &operator<<(std::ostream &stream, const RanksCase &each) {
  return stream << each.label;
}

class GpuRanks : public testing::TestWithParam<RanksCase> {
protected:
  void SetUp() override {
    loadEverything(context);
    gpu_test::registerSimulatedGpu();
    gpu_test::simulatedGpu() = {};
  }
  /// The artifact of one of so many ranks.
  Bytes compile(unsigned ranks);

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

struct Trained {
  double loss = NAN;
  ByteStore variables; // those that no other rank has a part of
};

} // namespace

constexpr uint64_t kSteps = 3;

Bytes GpuRanks::compile(unsigned ranks) {
  const RanksCase &its = GetParam();
  ZooCase zooCase{its.label, its.model, {}};
  zooCase.options.batch = 4;
  zooCase.microBatches = its.ranks;
  if (its.model != llvm::StringRef("mlp")) {
    zooCase.options.height = zooCase.options.width = 32;
    zooCase.options.baseWidth = 8;
    zooCase.options.classes = 10;
    zooCase.options.dropout = 0.25;
  }
  CompileOptions options = optionsOf(zooCase, "none", /*fuse=*/true, "cuda:");
  options.optimizer.kind = OptimizerKind::AdamW;
  options.ranks = ranks;
  options.bucketBytes = its.bucketBytes;
  options.shardOptimizer = its.shardsOptimizer && ranks > 1;
  std::vector<Bytes> files;
  OwningOpRef<mlir::ModuleOp> model = buildCase(context, zooCase);
  EXPECT_EQ(compileModes(*model, {its.mode}, options, files), "");
  return files.empty() ? Bytes() : files.front();
}

static Trained train(const Bytes &file, rt::Communicator *ranks) {
  Trained trained;
  OpenProgram program(file, /*poison=*/false);
  if (!program)
    return trained;
  rt::TrainOptions options = trainOptions(kSteps);
  options.ranks = ranks;
  auto result = rt::train(program.backend(), options);
  if (!result.ok()) {
    ADD_FAILURE() << result.status().message();
    return trained;
  }
  trained.loss = result->loss;
  for (const rt::TensorInfo &each : program.backend().variables())
    if (!each.shardBytes) {
      Bytes &bytes = trained.variables[each.name];
      bytes.resize(each.bytes);
      rt::Status read =
          program.backend().readVariable(each.name, bytes.data(), bytes.size());
      EXPECT_TRUE(read.ok()) << read.message();
    }
  const gpu_test::FakeGpu &gpu = gpu_test::simulatedGpu();
  for (const std::string &problem : gpu.problems)
    ADD_FAILURE() << problem;
  EXPECT_EQ(gpu.graphLaunches, kSteps);
  EXPECT_EQ(gpu.ofRanks > 0, ranks != nullptr);
  return trained;
}

TEST_P(GpuRanks, TrainToTheBitsOfMicroBatches) {
  const RanksCase &its = GetParam();
  Trained alone = train(compile(1), nullptr);
  ASSERT_TRUE(std::isfinite(alone.loss));
  Bytes file = compile(its.ranks);
  ThreadRanks(its.ranks).run([&](rt::Communicator &rank) {
    Trained together = train(file, &rank);
    EXPECT_EQ(together.loss, alone.loss);
    EXPECT_EQ(together.variables.size() < alone.variables.size(),
              its.shardsOptimizer);
    // Each draws the random numbers of its own micro-batch.
    if (rank.rank() > 0)
      together.variables.erase("rng.step");
    for (const auto &[name, bytes] : together.variables)
      EXPECT_TRUE(alone.variables.at(name) == bytes) << name;
  });
}

static std::string labelOf(const testing::TestParamInfo<RanksCase> &info) {
  return info.param.label;
}

INSTANTIATE_TEST_SUITE_P(
    Small, GpuRanks,
    testing::Values(RanksCase{"Mlp", "mlp", 2},
                    RanksCase{"MlpOfThree", "mlp", 3},
                    RanksCase{"MlpOneByOne", "mlp", 2, /*bucketBytes=*/0},
                    RanksCase{"MlpInShards", "mlp", 2, 4096, true},
                    RanksCase{"ResNet18", "resnet18", 2},
                    RanksCase{"ResNet18PerBlock", "resnet18", 3, 1 << 14, false,
                              "per-block"},
                    RanksCase{"ResNet18OnHost", "resnet18", 2, 1 << 20, false,
                              "host=1/2"}),
    labelOf);

TEST(GpuRanksAlone, AProgramOfRanksDoesNotRunAlone) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadEverything(context);
  gpu_test::registerSimulatedGpu();
  gpu_test::simulatedGpu() = {};
  ZooCase zooCase{"Mlp", "mlp", {}};
  zooCase.options.batch = 4;
  zooCase.microBatches = 2;
  CompileOptions options = optionsOf(zooCase, "none", /*fuse=*/true, "cuda:");
  options.ranks = 2;
  auto file = compileModel(*buildCase(context, zooCase), options);
  ASSERT_TRUE(succeeded(file));
  OpenProgram program(*file, /*poison=*/false);
  ASSERT_TRUE(program);
  auto result = rt::train(program.backend(), trainOptions(1));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("the program's step is one of 2 "
                                           "ranks, but the session has 1"),
            std::string::npos)
      << result.status().message();
  EXPECT_EQ(gpu_test::simulatedGpu().ofRanks, 0u);
}
