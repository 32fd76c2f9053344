//===- SparedNormsTest.cpp - Norms whose operands are not read again ------===//
//
// Whatever the mode, a model whose batch norms are differentiated without the
// convolutions behind them trains to the same bits, as the reference says of
// the usual gradients.
//
//===----------------------------------------------------------------------===//
#include "../RandomGraphs/Generator.h"
#include "FileModel.h"
#include "TrainingCheck.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Pipelines.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {
class SparedNorms : public FileModel {
protected:
  SparedNorms() : FileModel(REPRISE_INPUTS "/spared.mlir") {}
};
} // namespace

TEST_F(SparedNorms, TrainInEveryModeAsTheReferenceSays) {
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 1, allModes()), "");
}

/// Two micro-batches a step.
TEST_F(SparedNorms, TrainByMicroBatches) {
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 2, allModes()), "");
}

/// Marks at random places, also between convolutions and norms.
TEST_F(SparedNorms, HaveTheirBitsWithMarks) {
  ASSERT_TRUE(model);
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    OwningOpRef<mlir::ModuleOp> marked = model->clone();
    random_graphs::markTensors(*marked, seed);
    EXPECT_EQ(checkTraining(*marked, seed, {"none", "threshold-bytes=0"}), "");
  }
}

TEST_F(SparedNorms, TrainWithinBudgets) {
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 1, budgetModes()), "");
}

/// Three of the five; the backward pass has no gradient of their operands.
TEST_F(SparedNorms, AreThoseOfWideResults) {
  ASSERT_TRUE(model);
  CompileOptions options;
  options.sparedBytes = 0;
  ASSERT_TRUE(succeeded(lowerModel(*model, options, CompileLevel::Train)));
  unsigned spared = 0, usual = 0;
  model->walk(
      [&](sg::BatchNormTrainingOp norm) { spared += norm.getSparesX(); });
  model->walk([&](sg::BatchNormGradOp) { ++usual; });
  EXPECT_EQ(spared, 3u);
  EXPECT_EQ(usual, 2u);
}
