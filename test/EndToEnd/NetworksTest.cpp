//===- NetworksTest.cpp - Networks of nn, trained -------------------------===//
//
// What the layers of nn promise of checkpointing, on compiled programs; values
// come from the reference evaluator.
//
//===----------------------------------------------------------------------===//

#include "TrainingCheck.h"
#include "reprise/NN/Graph.h"
#include "reprise/NN/Layers.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;
using nn::Tensor;

namespace {

class Networks : public testing::Test {
protected:
  void SetUp() override {
    loadDialects(context);
    hideWarnings(context);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

/// Layers that are wider than what goes in: segments have something to save.
struct Tower : nn::Graph {
  nn::Sequential &stack = add<nn::Sequential>("stack");
  nn::CrossEntropyLoss &loss = add<nn::CrossEntropyLoss>("loss");

  Tower() : Graph("tower") {
    input("image", {512, 16});
    input("label", {512}, nn::DataType::I32, sg::BindingRole::Label);
    stack.append<nn::Linear>(16, 128);
    stack.append<nn::ReLU>();
    stack.append<nn::Linear>(128, 16);
    stack.append<nn::Dropout>(0.25);
    stack.append<nn::Linear>(16, 128);
    stack.append<nn::ReLU>();
    stack.append<nn::Linear>(128, 10);
  }

  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    Tensor logits = stack(inputs[0]);
    return {{"loss", loss({logits, inputs[1]}).front(), sg::BindingRole::Loss},
            {"logits", logits, sg::BindingRole::Logits}};
  }
};

} // namespace

// Without segments, with them, and with them ignored.
TEST_F(Networks, SegmentsOfASequentialTrainToTheSameBits) {
  Tower tower;
  auto plain = tower.emit(context);
  tower.enableCheckpointing(2);
  auto split = tower.emit(context);
  ASSERT_TRUE(plain && split);
  EXPECT_EQ(checkTraining(*split, 7, {"none", "annotated", "nested"}), "");

  ByteStore variables = variablesOf(*plain, 7), inputs = inputsOf(*plain, 7);
  CompiledRun runs[2];
  for (unsigned k = 0; k < 2; ++k) {
    std::vector<Bytes> file;
    ASSERT_EQ(compileModes(k ? *split : *plain, {"annotated"},
                           trainingOptions(), file),
              "");
    ASSERT_EQ(runArtifact(file.front(), variables, inputs, 3, runs[k]), "");
  }
  EXPECT_EQ(compareBits(runs[0], runs[1]), "");
  EXPECT_LT(runs[1].measuredPeak, runs[0].measuredPeak);
}
