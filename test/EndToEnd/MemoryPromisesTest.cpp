//===- MemoryPromisesTest.cpp - What plans of the ResNets promise ---------===//
//
// Plans at 224x224, batch 8, against published sizes and against a peer:
// PyTorch 1.13.1 in Debian 12, channels_last, two threads, f32, cross-entropy
// and SGD with momentum. Its memory is the largest number of live bytes in a
// step above parameters, momentum and buffers; without checkpointing, with
// torch.utils.checkpoint on each stage, and on each block.
// test/benchmark/compare_pytorch measures it where it is installed.
//
// That plans keep what they promise when they run is in TrainingModesTest.cpp;
// here, that the whole process does.
//
//===----------------------------------------------------------------------===//

#include "../runtime/trainer/TestFiles.h"
#include "ZooTraining.h"
#include "reprise/Analysis/PlanSummary.h"
#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

constexpr uint64_t kMiB = uint64_t(1) << 20;

/// torchvision's documentation of its models' weights.
struct Published {
  const char *model;
  uint64_t parameters;
};

std::ostream &operator<<(std::ostream &stream, const Published &published) {
  return stream << published.model;
}

constexpr Published kResNets[] = {{"resnet18", 11689512},
                                  {"resnet34", 21797672},
                                  {"resnet50", 25557032},
                                  {"resnet101", 44549160},
                                  {"resnet152", 60192808}};

class Plans : public testing::TestWithParam<Published> {
protected:
  void SetUp() override { loadEverything(context); }
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

using ResNet50 = Plans;
using Transformers = Plans;
using ResNet152 = Plans;
using Resident = Plans;

} // namespace

/// The training step of a model of the zoo in a mode. An error fails the test.
static EntrySummary planOf(MLIRContext &context, const char *name,
                           const std::string &mode) {
  OwningOpRef<mlir::ModuleOp> model = zoo::buildModel(context, name);
  CompileOptions options;
  options.checkpointing = *parseCheckpointing(mode);
  options.evaluation = false;
  if (!model || failed(lowerModel(*model, options, CompileLevel::Program))) {
    ADD_FAILURE() << name << " does not compile in mode " << mode;
    return {};
  }
  auto program = *model->getOps<rt_dialect::ProgramOp>().begin();
  return summarizePlan(program).entries.front();
}

TEST_P(Plans, HoldThePublishedParameters) {
  auto model = zoo::buildModel(context, GetParam().model);
  ASSERT_TRUE(model);
  EXPECT_EQ(zoo::modelStatistics(*model).parameters, GetParam().parameters);
}

TEST_P(Plans, LieWithinTwoPercentOfTheLiveBytes) {
  for (const char *mode : {"none", "annotated", "per-block"}) {
    EntrySummary step = planOf(context, GetParam().model, mode);
    EXPECT_GT(step.maxLive, step.fixed) << mode;
    EXPECT_GE(step.peak, step.maxLive) << mode;
    EXPECT_LE(step.placementRatio(), 1.02) << mode;
    // Parameters and momentum, and little besides: running statistics and the
    // gaps that align them.
    EXPECT_GE(step.fixed, 8 * GetParam().parameters) << mode;
    EXPECT_LE(step.fixed, 8.2 * GetParam().parameters) << mode;
  }
}

INSTANTIATE_TEST_SUITE_P(ResNets, Plans, testing::ValuesIn(kResNets),
                         [](const auto &info) { return info.param.model; });

TEST_F(ResNet50, KeepsLittleAndNeedsNoMoreThanThePeer) {
  EntrySummary none = planOf(context, "resnet50", "none");
  EntrySummary stages = planOf(context, "resnet50", "annotated");
  EntrySummary blocks = planOf(context, "resnet50", "per-block");
  EXPECT_EQ(none.recomputedFlops, 0u);
  EXPECT_LE(stages.kept, 0.25 * none.kept);
  EXPECT_LE(blocks.kept, 0.55 * none.kept);
  // The peer's: 713, 507 and 385 MiB.
  EXPECT_LE(none.peak - none.fixed, 355 * kMiB);
  EXPECT_LE(stages.peak - stages.fixed, 145 * kMiB);
  EXPECT_LE(blocks.peak - blocks.fixed, 205 * kMiB);
}

TEST_F(Transformers, NeedLessThanThePeer) {
  EntrySummary none = planOf(context, "swin_t", "none");
  EntrySummary blocks = planOf(context, "swin_t", "per-block");
  // The peer's: 839 and 343 MiB.
  EXPECT_LE(none.peak - none.fixed, 545 * kMiB);
  EXPECT_LE(blocks.peak - blocks.fixed, 200 * kMiB);
  EntrySummary convNeXt = planOf(context, "convnext_tiny", "none");
  EXPECT_LE(convNeXt.peak - convNeXt.fixed, 475 * kMiB);
}

TEST_F(ResNet152, CompilesWithABatchOf32) {
  zoo::ModelOptions options;
  options.batch = 32;
  ZooCase zooCase{"ResNet152", "resnet152", options};
  auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(compileCase(context, zooCase, "annotated").empty());
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("resnet152, batch 32, to an artifact: %.1f s\n", time.count());
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

/// Bytes that `resident_memory` prints for an artifact.
static uint64_t measureGrowth(const std::string &artifact) {
  std::string command =
      std::string(REPRISE_RESIDENT_MEMORY) + " '" + artifact + "'";
  FILE *pipe = ::popen(command.c_str(), "r");
  if (!pipe)
    return 0;
  unsigned long long bytes = 0;
  int fields = std::fscanf(pipe, "%llu", &bytes);
  return ::pclose(pipe) == 0 && fields == 1 ? bytes : 0;
}

// Above the arena are oneDNN's generated code and its descriptors, the
// artifact, stacks, and batches that are loaded ahead.
TEST_F(Resident, MemoryGrowsByThePredictionAndAConstant) {
  constexpr uint64_t constant = 32 * kMiB;
  rt::test::Folder folder;
  ZooCase zooCase{"ResNet18", "resnet18", {}};
  zooCase.options.height = zooCase.options.width = 128;
  for (const char *mode : {"none", "per-block"}) {
    SCOPED_TRACE(mode);
    Bytes file = compileCase(context, zooCase, mode);
    std::string path = folder / "model.rpx";
    rt::test::writeFile(path, std::string(file.begin(), file.end()));
    uint64_t peak = 0;
    {
      OpenProgram program(file);
      ASSERT_TRUE(program);
      peak = program.backend().entry("train_step")->peakBytes;
    }
    uint64_t growth = measureGrowth(path);
    std::printf("%s: predicted %.1f MiB, grew by %.1f MiB\n", mode,
                double(peak) / kMiB, double(growth) / kMiB);
    // The arena is touched as a whole, so less would be a broken measurement.
    EXPECT_GE(growth, peak);
    // AddressSanitizer keeps what was freed, and shadows what is in use.
    if (!REPRISE_IS_SANITIZED) {
      EXPECT_LE(growth, peak + constant);
    }
  }
}
