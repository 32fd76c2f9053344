//===- FamiliesTest.cpp - Families of the zoo in every mode ---------------===//
//
// Three steps of small members of families that have ops, or blocks of several
// inputs, which the models of TrainingModesTest do not have. Expected values
// are those of mode `none`; compare_gradients compares that mode with PyTorch.
//
//===----------------------------------------------------------------------===//

#include "ZooTraining.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

class Families : public testing::TestWithParam<const char *> {};

struct Trained {
  ByteStore variables;
  double loss = NAN;
  uint64_t predictedPeak = 0, measuredPeak = 0;
};

} // namespace

static Trained train(const Bytes &file) {
  Trained trained;
  OpenProgram program(file);
  if (!program)
    return trained;
  rt::Backend &backend = program.backend();
  rt::TrainOptions options = trainOptions(3);
  EXPECT_TRUE(backend.initialize(options.seed).ok());
  auto result = rt::train(backend, options);
  if (!result.ok()) {
    ADD_FAILURE() << result.status().message();
    return trained;
  }
  auto memory = backend.memory();
  EXPECT_TRUE(memory.ok());
  trained.variables = program.variables();
  trained.loss = result->loss;
  trained.measuredPeak = memory->high_water_bytes;
  trained.predictedPeak = backend.entry("train_step")->peakBytes;
  return trained;
}

TEST_P(Families, TrainToTheSameBitsInEveryModeAndBudget) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadEverything(context);
  zoo::ModelOptions options;
  options.batch = 4;
  options.height = options.width = 64;
  options.classes = 10;
  for (const zoo::ModelInfo &info : zoo::listModels())
    if (info.name == GetParam() && info.defaults.frames) {
      options.batch = 2;
      options.frames = 8;
      if (info.defaults.baseWidth)
        options.baseWidth = 8;
    }
  OwningOpRef<mlir::ModuleOp> model =
      zoo::buildModel(context, GetParam(), options);
  ASSERT_TRUE(model);
  const std::vector<std::string> modes = {
      "none",   "annotated",  "segments=4", "sqrt",    "per-block",
      "nested", "budget=1/4", "budget=2/4", "host=1/4"};
  CompileOptions compile = trainingOptions();
  compile.evaluation = false;
  std::vector<Bytes> files;
  ASSERT_EQ(compileModes(*model, modes, compile, files), "");
  Trained none = train(files[0]);
  ASSERT_TRUE(std::isfinite(none.loss));
  for (auto [mode, file] : llvm::zip(modes, files)) {
    SCOPED_TRACE(mode);
    Trained other = train(file);
    EXPECT_EQ(other.loss, none.loss);
    EXPECT_TRUE(other.variables == none.variables);
    EXPECT_EQ(other.predictedPeak, other.measuredPeak);
  }
  // A plan copies nothing if recomputing takes less time, as for r3d_18.
  RecordProperty("offloads", int(countOffloads(files.back())));
  // Small models have a smallest budget that both may meet.
  EXPECT_LE(train(files[6]).measuredPeak, train(files[7]).measuredPeak);
  // GoogLeNet's kernels for AVX2 alone include a filter gradient whose
  // workspace (24 MB) is both the peak without recomputation and the smallest
  // budget.
  if (std::string(GetParam()) == "googlenet")
    EXPECT_LE(train(files[6]).measuredPeak, none.measuredPeak);
  else
    EXPECT_LT(train(files[6]).measuredPeak, none.measuredPeak);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Families,
                         testing::Values("mobilenet_v3_small",
                                         "shufflenet_v2_x0_5", "densenet121",
                                         "googlenet", "r3d_18", "s3d",
                                         "mvit_v2_s"),
                         [](const auto &info) { return info.param; });
