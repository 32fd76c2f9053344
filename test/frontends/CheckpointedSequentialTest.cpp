//===- CheckpointedSequentialTest.cpp - Sequentials in segments -----------===//
//
// Which children share a segment is what torch.utils.checkpoint says of
// checkpoint_sequential: size = length // segments; the last segment has the
// rest, and is not checkpointed.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "reprise/NN/Graph.h"
#include "reprise/NN/Layers.h"
#include "gtest/gtest.h"
#include <functional>

using namespace mlir;
using namespace reprise;
using nn::Tensor;
using reprise::test::CollectedDiagnostics;

namespace {

/// A graph whose body is a function.
class SmallGraph : public nn::Graph {
public:
  SmallGraph() : Graph("small") { input("image", {2, 4}); }
  std::function<Tensor(Tensor)> body;

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    return {{"result", body(inputs[0])}};
  }
};

class CheckpointedSequentialTest : public ::testing::Test {
protected:
  nn::Sequential &stackOf(unsigned layers) {
    auto &stack = graph.add<nn::Sequential>("stack");
    for (unsigned k = 0; k < layers; ++k)
      stack.append<nn::Linear>(4, 4, /*bias=*/false);
    graph.body = [&](Tensor x) { return stack(x); };
    return stack;
  }

  /// A line a block: path, products within, whether it is annotated.
  std::string blocks() {
    auto module = graph.emit(context);
    if (!module)
      return "no module";
    std::string text;
    module->walk<WalkOrder::PreOrder>([&](sg::SgModuleOp block) {
      unsigned products = 0;
      block.walk([&](sg::MatMulOp) { ++products; });
      text += block.getPath().str() + " " + std::to_string(products) +
              (block.getActivationCheckpointing() ? " again\n" : "\n");
    });
    return text;
  }

  MLIRContext context;
  SmallGraph graph;
};

TEST_F(CheckpointedSequentialTest, LeavesTheLastSegmentAndTheRestPlain) {
  auto &stack = stackOf(7);
  graph.body = [&](Tensor x) { return nn::checkpointSequential(stack, 3, x); };
  EXPECT_EQ(blocks(), "stack.segment1 2 again\n"
                      "stack.segment2 2 again\n");
}

TEST_F(CheckpointedSequentialTest, OneSegmentIsComputedOnce) {
  auto &stack = stackOf(3);
  graph.body = [&](Tensor x) { return nn::checkpointSequential(stack, 1, x); };
  EXPECT_EQ(blocks(), "");
}

TEST_F(CheckpointedSequentialTest, KeepsNamesOfVariablesAndABlockAround) {
  auto &stack = stackOf(2);
  stack.config().block();
  graph.body = [&](Tensor x) { return nn::checkpointSequential(stack, 2, x); };
  EXPECT_EQ(blocks(), "stack 2\n"
                      "stack.segment1 1 again\n");
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto variables = module->getOps<sg::VariableOp>();
  EXPECT_EQ((*variables.begin()).getSymName(), "stack.0.weight");
}

TEST_F(CheckpointedSequentialTest, IsSwitchedOnAndOffBetweenTraces) {
  auto &stack = stackOf(4);
  EXPECT_FALSE(stack.isCheckpointingEnabled());
  EXPECT_EQ(blocks(), "");
  stack.enableCheckpointing(2);
  EXPECT_TRUE(stack.isCheckpointingEnabled());
  EXPECT_TRUE(graph.isCheckpointingEnabled());
  EXPECT_EQ(blocks(), "stack.segment1 2 again\n");
  graph.disableCheckpointing();
  EXPECT_FALSE(stack.isCheckpointingEnabled());
  EXPECT_EQ(blocks(), "");
}

TEST_F(CheckpointedSequentialTest, EnablesTheOutermostSequentialsOfAModel) {
  auto &stack = stackOf(2);
  auto &inner = stack.append<nn::Sequential>();
  inner.append<nn::Linear>(4, 4, /*bias=*/false);
  inner.append<nn::Linear>(4, 4, /*bias=*/false);
  graph.enableCheckpointing(3);
  EXPECT_FALSE(inner.isCheckpointingEnabled());
  EXPECT_EQ(blocks(), "stack.segment1 1 again\n"
                      "stack.segment2 1 again\n");
}

TEST_F(CheckpointedSequentialTest, IsAClassToo) {
  auto &stack = graph.add<nn::CheckpointedSequential>("stack", 2);
  stack.append<nn::ReLU>();
  stack.append<nn::Linear>(4, 4);
  graph.body = [&](Tensor x) { return stack(x); };
  EXPECT_TRUE(stack.isCheckpointingEnabled());
  EXPECT_EQ(blocks(), "stack.segment1 0 again\n");
}

TEST_F(CheckpointedSequentialTest, RefusesMoreSegmentsThanModules) {
  stackOf(2).enableCheckpointing(3);
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(), "stack: a Sequential of 2 modules cannot be "
                          "checkpointed in 3 segments\n");
}

TEST_F(CheckpointedSequentialTest, RefusesNoSegments) {
  stackOf(1).enableCheckpointing(0);
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(), "stack: a Sequential of 1 module cannot be "
                          "checkpointed in 0 segments\n");
}

TEST_F(CheckpointedSequentialTest, RefusesAModuleWithoutASequential) {
  auto &linear = graph.add<nn::Linear>("linear", 4, 4);
  graph.body = [&](Tensor x) { return linear(x); };
  linear.enableCheckpointing(2);
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(),
            "linear: checkpointing in segments is enabled on a module that is "
            "no Sequential and holds none\n");
}

} // namespace
