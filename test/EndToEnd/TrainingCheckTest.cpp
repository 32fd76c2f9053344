//===- TrainingCheckTest.cpp - The check of random graphs can fail --------===//

#include "TrainingCheck.h"
#include "../RandomGraphs/Generator.h"
#include "CompiledRun.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

class Check : public testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerPipelineDialects(registry);
    reference::registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    model = random_graphs::generateGraph(&context, 1);
    std::vector<Bytes> files;
    ASSERT_EQ(compileModes(*model, {"none"}, files), "");
    file = files.front();
  }

  /// One step with the values that `variables` and `inputs`, seeds, give.
  CompiledRun run(uint64_t variables, uint64_t inputs) {
    CompiledRun result;
    std::string wrong =
        runArtifact(file, variablesOf(*model, variables),
                    inputsOf(*model, inputs), /*steps=*/1, result);
    EXPECT_EQ(wrong, "");
    return result;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<mlir::ModuleOp> model;
  Bytes file;
};

} // namespace

TEST_F(Check, AcceptsARepeatedRun) {
  EXPECT_EQ(compareBits(run(1, 1), run(1, 1)), "");
}

TEST_F(Check, SeesOtherBits) {
  std::string wrong = compareBits(run(1, 1), run(1, 2));
  EXPECT_NE(wrong.find("has other bits after step 1"), std::string::npos)
      << wrong;
}

TEST_F(Check, AcceptsWhatTheReferenceGives) {
  EXPECT_EQ(compareWithReference(*model, 1, run(1, 1)), "");
}

TEST_F(Check, SeesADifferenceFromTheReference) {
  EXPECT_NE(compareWithReference(*model, 1, run(1, 2)), "");
  EXPECT_NE(compareWithReference(*model, 1, run(2, 1)), "");
}
