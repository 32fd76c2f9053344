//===- HiddenHalvesTest.cpp - Hidden units in halves ----------------------===//
//
// Whatever the mode, a model whose hidden units are done in halves trains to
// the same bits, as the reference says of the model as it was written. Each
// mode makes the same sums: where they are cut is no mode's choice.
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
class HiddenHalves : public FileModel {
protected:
  HiddenHalves() : FileModel(REPRISE_INPUTS "/hidden.mlir") {}
};
} // namespace

TEST_F(HiddenHalves, TrainsInEveryModeAsTheReferenceSays) {
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 1, allModes()), "");
}

/// Two micro-batches a step.
TEST_F(HiddenHalves, TrainsByMicroBatches) {
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 2, allModes()), "");
}

/// Marks at random places, also of what goes into halves and comes out of them.
TEST_F(HiddenHalves, HaveTheirBitsWithMarks) {
  ASSERT_TRUE(model);
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    OwningOpRef<mlir::ModuleOp> marked = model->clone();
    random_graphs::markTensors(*marked, seed);
    EXPECT_EQ(checkTraining(*marked, seed, {"none", "per-block"}), "");
  }
}

TEST_F(HiddenHalves, TrainsWithinBudgets) {
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 1, budgetModes()), "");
}

/// Both perceptrons, in training and in evaluation.
TEST_F(HiddenHalves, AreOfBothPerceptrons) {
  ASSERT_TRUE(model);
  CompileOptions options;
  options.halvedBytes = 0;
  ASSERT_TRUE(succeeded(lowerModel(*model, options, CompileLevel::Program)));
  unsigned products = 0;
  uint64_t largest = 0;
  model->walk([&](rt_dialect::CallOp call) {
    for (Attribute view : call.getWrites())
      if (auto type = cast<rt_dialect::ViewAttr>(view).getType();
          type.getRank() == 2 && type.getDimSize(0) == 256) {
        ++products;
        largest = std::max(largest, sg::byteSize(type));
      }
  });
  EXPECT_GT(products, 0u);
  EXPECT_EQ(largest, 256u * 16 * 4);
}
