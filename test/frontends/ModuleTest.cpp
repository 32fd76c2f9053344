//===- ModuleTest.cpp - What modules become -------------------------------===//

#include "Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/NN/Graph.h"
#include "reprise/NN/Layers.h"
#include "gtest/gtest.h"
#include <functional>

using namespace mlir;
using namespace reprise;
using nn::Tensor;
using nn::Tensors;
using reprise::test::CollectedDiagnostics;

namespace {

/// A graph on one input "image" whose body is a function.
class SmallGraph : public nn::Graph {
public:
  using Body = std::function<Tensor(Tensor)>;

  explicit SmallGraph(llvm::ArrayRef<int64_t> shape) : Graph("small") {
    input("image", shape);
  }
  Body body;

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    return {{"result", body(inputs[0])}};
  }
};

/// Two results, the second of which takes another way than the first.
class Fork : public nn::Module {
public:
  Fork() : left(add<nn::Linear>("left", 4, 3)) {}

protected:
  Tensors forward(llvm::ArrayRef<Tensor> inputs) override {
    return {left(inputs.front()), nn::tanh(inputs.back())};
  }

private:
  nn::Linear &left;
};

/// Adds a tensor that it does not get as an input.
class Capture : public nn::Module {
public:
  std::optional<Tensor> other;

protected:
  Tensor forward(Tensor x) override { return x + *other; }
};

template <typename OpTy> std::vector<OpTy> all(mlir::ModuleOp module) {
  std::vector<OpTy> ops;
  module.walk([&](OpTy op) { ops.push_back(op); });
  return ops;
}

class ModuleTest : public ::testing::Test {
protected:
  MLIRContext context;
};

/// torch.nn.MaxPool2d(3, 2, ceil_mode=True) of 6 and 8 pixels returns 3 and 4,
/// MaxPool2d(2, 2, 1, ceil_mode=True) of 3 pixels 2: a third window would begin
/// behind the padding at the end.
TEST_F(ModuleTest, PoolsPastTheEndWithWindowsThatBeginBeforeIt) {
  struct Case {
    int64_t extent;
    nn::PoolGeometry geometry;
    int64_t result;
  };
  for (Case each : {Case{6, {3, 2, 0, nn::PoolRounding::Down}, 2},
                    Case{6, {3, 2, 0, nn::PoolRounding::Up}, 3},
                    Case{7, {3, 2, 0, nn::PoolRounding::Up}, 3},
                    Case{8, {3, 2, 0, nn::PoolRounding::Up}, 4},
                    Case{2, {2, 2, 1, nn::PoolRounding::Up}, 2},
                    Case{3, {2, 2, 1, nn::PoolRounding::Up}, 2}}) {
    SCOPED_TRACE(each.extent);
    SmallGraph graph({1, each.extent, 9, 2});
    graph.body = [&](Tensor x) { return nn::maxPool2d(x, each.geometry); };
    auto module = graph.emit(context);
    ASSERT_TRUE(module);
    auto pools = all<sg::MaxPool2DOp>(*module);
    ASSERT_EQ(pools.size(), 1u);
    EXPECT_EQ(cast<RankedTensorType>(pools[0].getType()).getDimSize(1),
              each.result);
  }
}

/// The 3 windows of 5 pixels are [0, 2), [1, 4), [3, 5).
TEST_F(ModuleTest, PoolsAdaptivelyByWindowsThatCoverTheImage) {
  SmallGraph graph({1, 5, 3, 2});
  graph.body = [](Tensor x) { return nn::adaptiveAvgPool2d(x, 3); };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  std::vector<std::pair<int64_t, int64_t>> windows;
  for (sg::SliceOp slice : all<sg::SliceOp>(*module))
    windows.push_back({slice.getStarts()[1], slice.getLimits()[1]});
  EXPECT_EQ(windows,
            (std::vector<std::pair<int64_t, int64_t>>{{0, 2}, {1, 4}, {3, 5}}));
}

TEST_F(ModuleTest, NamesVariablesAfterThePath) {
  SmallGraph graph({2, 4});
  auto &stack = graph.add<nn::Sequential>("head");
  stack.append<nn::Linear>(4, 3);
  graph.body = [&](Tensor x) { return stack(x); };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto variables = all<sg::VariableOp>(*module);
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].getSymName(), "head.0.weight");
  EXPECT_EQ(variables[1].getSymName(), "head.0.bias");
  EXPECT_DOUBLE_EQ(variables[0].getInit().getParameter(), 0.5);
  auto products = all<sg::MatMulOp>(*module);
  ASSERT_EQ(products.size(), 1u);
  EXPECT_EQ(cast<NameLoc>(products[0].getLoc()).getName(), "head.0");
}

TEST_F(ModuleTest, SharesTheWeightsOfAModuleCalledTwice) {
  SmallGraph graph({2, 4});
  auto &square = graph.add<nn::Linear>("square", 4, 4);
  square.config().block();
  graph.body = [&](Tensor x) { return square(square(x)); };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  EXPECT_EQ(all<sg::VariableOp>(*module).size(), 2u);
  auto blocks = all<sg::SgModuleOp>(*module);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].getPath(), "square");
  EXPECT_EQ(blocks[1].getPath(), "square");
  for (auto read : all<sg::ReadOp>(*module))
    EXPECT_TRUE(isa<sg::SgModuleOp>(read->getParentOp()));
}

TEST_F(ModuleTest, NamesASharedModuleAfterItsFirstParent) {
  SmallGraph graph({2, 4});
  auto shared = std::make_shared<nn::Linear>(4, 4);
  auto &first = graph.add<nn::Sequential>("first");
  auto &second = graph.add<nn::Sequential>("second");
  first.append(shared);
  second.append(shared);
  graph.body = [&](Tensor x) { return second(first(x)); };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto variables = all<sg::VariableOp>(*module);
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].getSymName(), "first.0.weight");
}

TEST_F(ModuleTest, HandsOutSeveralResultsOfABlock) {
  SmallGraph graph({2, 4});
  auto &fork = graph.add<Fork>("fork");
  fork.config().block();
  graph.body = [&](Tensor x) {
    Tensors results = fork({x, x});
    return nn::concat(results, 1);
  };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto blocks = all<sg::SgModuleOp>(*module);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].getNumResults(), 2u);
  EXPECT_EQ(blocks[0].getInputs().size(), 2u);
}

TEST_F(ModuleTest, MakesCapturedTensorsInputsOfABlock) {
  SmallGraph graph({2, 4});
  auto &outer = graph.add<nn::Sequential>("outer");
  auto &inner = outer.append<Capture>();
  outer.config().block();
  inner.config().block();
  graph.body = [&](Tensor x) {
    inner.other = nn::tanh(x);
    return outer(x);
  };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto blocks = all<sg::SgModuleOp>(*module);
  ASSERT_EQ(blocks.size(), 2u);
  for (sg::SgModuleOp block : blocks)
    EXPECT_EQ(block.getInputs().size(), 2u) << block.getPath().str();
}

TEST_F(ModuleTest, AnnotatesACheckpointedModule) {
  SmallGraph graph({2, 4});
  auto &relu = graph.add<nn::ReLU>("relu");
  relu.config().activation_checkpointing(true);
  graph.body = [&](Tensor x) { return relu(x); };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto blocks = all<sg::SgModuleOp>(*module);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_TRUE(blocks[0].getActivationCheckpointing());
}

TEST_F(ModuleTest, GivesEachDropoutItsStreamAndAdvancesTheStepOnce) {
  SmallGraph graph({2, 4});
  auto &drop = graph.add<nn::Dropout>("drop", 0.25);
  graph.body = [&](Tensor x) { return drop(drop(x)); };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto drops = all<sg::DropoutOp>(*module);
  ASSERT_EQ(drops.size(), 2u);
  EXPECT_EQ(drops[0].getStream(), 0u);
  EXPECT_EQ(drops[1].getStream(), 1u);
  auto writes = all<sg::WriteOp>(*module);
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_EQ(writes[0].getVariable(), "rng.step");
  ASSERT_TRUE(writes[0].getValue().getDefiningOp<sg::AddOp>());
}

TEST_F(ModuleTest, DeclaresNoGeneratorWithoutDropout) {
  SmallGraph graph({2, 4});
  auto &drop = graph.add<nn::Dropout>("drop", 0.0);
  graph.body = [&](Tensor x) { return drop(x); };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(all<sg::VariableOp>(*module).empty());
}

TEST_F(ModuleTest, TakesTheMeanOfTheCrossEntropy) {
  struct Classifier : nn::Graph {
    Classifier() : Graph("classifier"), loss(add<nn::CrossEntropyLoss>("l")) {
      input("image", {5, 3});
      input("label", {5}, ElementType::I32, sg::BindingRole::Label);
    }
    std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
      return {{"loss", loss(inputs).front(), sg::BindingRole::Loss},
              {"logits", inputs[0]}};
    }
    nn::CrossEntropyLoss &loss;
  } graph;
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  EXPECT_EQ(function.getResultTypes()[0],
            RankedTensorType::get({}, Float32Type::get(&context)));
  EXPECT_EQ(function.getResultAttr(0, "sg.name"),
            StringAttr::get(&context, "loss"));
  EXPECT_EQ(function.getArgAttr(1, "sg.name"),
            StringAttr::get(&context, "label"));
  EXPECT_EQ(sg::roleOf(function.getArgAttrDict(0)), sg::BindingRole::Data);
  EXPECT_EQ(sg::roleOf(function.getArgAttrDict(1)), sg::BindingRole::Label);
  EXPECT_EQ(sg::roleOf(function.getResultAttrDict(0)), sg::BindingRole::Loss);
  EXPECT_EQ(sg::roleOf(function.getResultAttrDict(1)), sg::BindingRole::Data);
  auto divisors = all<sg::ConstantOp>(*module);
  ASSERT_EQ(divisors.size(), 1u);
  EXPECT_EQ(
      cast<DenseElementsAttr>(divisors[0].getValue()).getSplatValue<float>(),
      5.0f);
}

TEST_F(ModuleTest, RunsLinearOnEveryRowOfHigherRanks) {
  SmallGraph graph({2, 3, 4});
  auto &linear = graph.add<nn::Linear>("linear", 4, 5);
  graph.body = [&](Tensor x) { return linear(x); };
  auto module = graph.emit(context);
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  EXPECT_EQ(function.getResultTypes()[0],
            RankedTensorType::get({2, 3, 5}, Float32Type::get(&context)));
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

TEST_F(ModuleTest, ReportsShapesThatDoNotFitAtTheModule) {
  SmallGraph graph({2, 4});
  auto &stack = graph.add<nn::Sequential>("stack");
  stack.append<nn::Linear>(5, 3);
  stack.append<nn::ReLU>();
  stack.config().block();
  graph.body = [&](Tensor x) { return stack(x); };
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(), "stack.0: matmul contracts 4 with 5\n");
}

TEST_F(ModuleTest, RefusesABatchNormCalledTwice) {
  SmallGraph graph({2, 4, 4, 3});
  auto &norm = graph.add<nn::BatchNorm2d>("norm", 3);
  graph.body = [&](Tensor x) { return norm(norm(x)); };
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(),
            "norm: batch norm is called twice, but its running statistics can "
            "be written once a step; give each call its own\n");
}

TEST_F(ModuleTest, RefusesAModuleOutsideTheGraph) {
  SmallGraph graph({2, 4});
  nn::BatchNorm2d stray(4);
  graph.body = [&](Tensor x) { return stray(x); };
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(),
            "a module is called that is not registered in the graph\n");
}

TEST_F(ModuleTest, RefusesTwoVariablesOfOneName) {
  SmallGraph graph({2, 4});
  graph.add<nn::Linear>("a", 4, 4, /*bias=*/false);
  graph.add<nn::Linear>("a", 4, 4, /*bias=*/false);
  graph.body = [&](Tensor x) { return x; };
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(), "a.weight: two variables are named 'a.weight'\n");
}

TEST_F(ModuleTest, RefusesTheSumOfDifferentShapes) {
  SmallGraph graph({2, 4});
  auto &linear = graph.add<nn::Linear>("linear", 4, 5);
  graph.body = [&](Tensor x) { return x + linear(x); };
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(), "sg.add of tensor<2x4xf32> and tensor<2x5xf32>\n");
}

TEST_F(ModuleTest, RefusesSeveralResultsWhereOneIsWanted) {
  SmallGraph graph({2, 4});
  auto &fork = graph.add<Fork>("fork");
  graph.body = [&](Tensor x) { return fork(x); };
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(errors.get(),
            "a module of 2 results is used as one of a single result\n");
}

} // namespace
