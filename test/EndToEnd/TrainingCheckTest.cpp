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
    loadDialects(context);
    model = random_graphs::generateGraph(&context, 1);
    std::vector<Bytes> files;
    ASSERT_EQ(compileModes(*model, {"none"}, trainingOptions(1), files), "");
    file = files.front();
  }

  /// Steps with the values that `variables` and `inputs`, seeds, give: of
  /// inputs one whose options are those of seed 1.
  CompiledRun run(uint64_t variables, uint64_t inputs, unsigned steps = 1) {
    CompiledRun result;
    std::string wrong = runArtifact(file, variablesOf(*model, variables),
                                    inputsOf(*model, inputs), steps, result);
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
  std::string wrong = compareBits(run(1, 1), run(1, 4));
  EXPECT_NE(wrong.find("has other bits after step 1"), std::string::npos)
      << wrong;
}

TEST_F(Check, AcceptsWhatTheReferenceGives) {
  EXPECT_EQ(compareWithReference(*model, 1, run(1, 1)), "");
}

TEST_F(Check, SeesADifferenceFromTheReference) {
  EXPECT_NE(compareWithReference(*model, 1, run(1, 4)), "");
  EXPECT_NE(compareWithReference(*model, 1, run(2, 1)), "");
}

TEST_F(Check, SeesOtherBitsOfEachOutput) {
  CompiledRun expected = run(1, 1);
  for (const char *name : {"loss", "logits"}) {
    CompiledRun other = expected;
    other.outputs[0].at(name).back() ^= 1;
    EXPECT_EQ(compareBits(expected, other),
              std::string("output ") + name + " has other bits after step 1");
  }
}

TEST_F(Check, AcceptsEveryStepThatTheReferenceTakes) {
  EXPECT_EQ(compareWithReference(*model, 1, run(1, 1, 3)), "");
}

// In the first step momentum is zero, so that a wrong one shows later.
TEST_F(Check, SeesADifferenceInALaterStep) {
  CompiledRun result = run(1, 1, 3);
  for (auto &[name, bytes] : result.variables[2])
    if (name.find("momentum") != std::string::npos)
      bytes = result.variables[1].at(name);
  std::string wrong = compareWithReference(*model, 1, result);
  EXPECT_NE(wrong.find("differs from the reference"), std::string::npos)
      << wrong;
  EXPECT_NE(wrong.find("in step 3"), std::string::npos) << wrong;
}

TEST_F(Check, SeesWhichBytesChanged) {
  CompiledRun result = run(1, 1);
  EXPECT_GT(result.changedPeak, 0u);
  EXPECT_LE(result.changedPeak, result.predictedPeak);
}
