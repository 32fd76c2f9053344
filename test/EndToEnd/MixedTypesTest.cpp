//===- MixedTypesTest.cpp - bf16 activations, f32 parameters --------------===//
//
// A model as people write it: activations of bf16, parameters of f32 that
// products cast where they read them, normalization with parameters and
// statistics of f32, and a loss of f32.
//
//===----------------------------------------------------------------------===//
#include "FileModel.h"
#include "TrainingCheck.h"
#include "reprise/Passes/Pipelines.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {
class MixedTypes : public FileModel {
protected:
  MixedTypes() : FileModel(REPRISE_INPUTS "/mixed.mlir") {}
};
} // namespace

TEST_F(MixedTypes, TrainsInEveryModeAsTheReferenceSays) {
  ASSERT_TRUE(model);
  widenCalls(*model);
  EXPECT_EQ(checkTraining(*model, 1, allModes()), "");
}

TEST_F(MixedTypes, TrainsWithinBudgets) {
  ASSERT_TRUE(model);
  widenCalls(*model);
  EXPECT_EQ(checkTraining(*model, 1, budgetModes()), "");
}

/// What is kept between passes is in the activations' type: no f32 copy of an
/// activation lives as long as one.
TEST_F(MixedTypes, KeepsActivationsNarrow) {
  ASSERT_TRUE(model);
  CompileOptions options;
  options.checkpointing = {};
  ASSERT_TRUE(succeeded(lowerModel(*model, options, CompileLevel::Train)));
  unsigned kept = 0;
  model->walk([&](sg::BackwardOp backward) {
    for (Operation &op : backward.getBody().front())
      for (Value operand : op.getOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.getType());
        if (operand.getParentBlock() == op.getBlock() || !type ||
            type.getRank() != 4 || operand.getDefiningOp<sg::ReadOp>())
          continue;
        ++kept;
        EXPECT_TRUE(type.getElementType().isBF16()) << "an f32 image is kept";
      }
  });
  EXPECT_GT(kept, 0u);
}
