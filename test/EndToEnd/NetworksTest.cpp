//===- NetworksTest.cpp - Networks of nn, trained -------------------------===//
//
// What the layers of nn promise of checkpointing, on compiled programs; values
// come from the reference evaluator.
//
//===----------------------------------------------------------------------===//

#include "TrainingCheck.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/NN/Graph.h"
#include "reprise/NN/Layers.h"
#include "reprise/NN/MultiView.h"
#include <cmath>
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
    input("label", {512}, ElementType::I32, sg::BindingRole::Label);
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

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

namespace {

/// (N,H,W,C) to (N,F): a convolution in a block, with batch normalization.
struct SmallBackbone : nn::Sequential {
  SmallBackbone() {
    auto &block = append<nn::Sequential>();
    nn::Conv2dOptions convolution;
    convolution.geometry.padding = {1, 1};
    block.append<nn::Conv2d>(2, 6, convolution);
    block.append<nn::BatchNorm2d>(6);
    block.append<nn::ReLU>();
    block.config().activation_checkpointing(true);
    append<nn::GlobalAvgPool>();
  }
};

/// Five cases of three views.
struct ViewClassifier : nn::Graph {
  nn::MultiView &features;
  nn::Linear &head = add<nn::Linear>("head", 6, 4);
  nn::CrossEntropyLoss &loss = add<nn::CrossEntropyLoss>("loss");

  explicit ViewClassifier(nn::ViewPooling pooling)
      : Graph("views"),
        features(add<nn::MultiView>("", std::make_shared<SmallBackbone>(),
                                    pooling,
                                    /*views=*/3, /*features=*/6)) {
    input("image", {5, 3, 8, 7, 2});
    input("label", {5}, ElementType::I32, sg::BindingRole::Label);
  }

  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    Tensor logits = head(features(inputs[0]));
    return {{"loss", loss({logits, inputs[1]}).front(), sg::BindingRole::Loss},
            {"logits", logits, sg::BindingRole::Logits}};
  }
};

/// Pools two cases of three views of four features, as they come.
struct PoolAlone : nn::Graph {
  nn::MultiView &pool;

  explicit PoolAlone(nn::ViewPooling pooling)
      : Graph("pool"),
        pool(add<nn::MultiView>("", std::make_shared<nn::Flatten>(), pooling, 3,
                                4)) {
    input("image", {2, 3, 2, 2});
  }

  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    return {{"result", pool(inputs[0])}};
  }
};

/// Distinct numbers of both signs.
double featureOf(int64_t n, int64_t view, int64_t feature) {
  return std::sin(1.7 * double(12 * n + 4 * view + feature));
}

} // namespace

class Views : public Networks,
              public testing::WithParamInterface<nn::ViewPooling> {};

TEST_P(Views, TrainAsTheReferenceInEveryMode) {
  ViewClassifier classifier(GetParam());
  auto model = classifier.emit(context);
  ASSERT_TRUE(model);
  EXPECT_EQ(
      checkTraining(*model, 11, {"none", "annotated", "nested", "segments=2"}),
      "");
}

/// By the formulas of MultiView.h.
static double pooled(nn::ViewPooling pooling, int64_t n, int64_t feature,
                     llvm::ArrayRef<double> weights) {
  double sum = 0, most = -INFINITY;
  for (int64_t view = 0; view < 3; ++view) {
    double value = featureOf(n, view, feature);
    sum += weights[view] * value;
    most = std::max(most, value);
  }
  return pooling == nn::ViewPooling::Max ? most : sum;
}

/// Of a hidden layer whose every weight is 0.25, a bias of 0 and a score whose
/// weights are 0.5.
static std::vector<double> attentionOf(int64_t n) {
  std::vector<double> weights;
  double sum = 0;
  for (int64_t view = 0; view < 3; ++view) {
    double hidden = 0;
    for (int64_t feature = 0; feature < 4; ++feature)
      hidden += 0.25 * featureOf(n, view, feature);
    weights.push_back(
        std::exp(nn::ViewPool::kHidden * 0.5 * std::tanh(hidden)));
    sum += weights.back();
  }
  for (double &weight : weights)
    weight /= sum;
  return weights;
}

TEST_P(Views, PoolWhatIsOfOneCase) {
  PoolAlone graph(GetParam());
  auto model = graph.emit(context);
  ASSERT_TRUE(model);
  auto function = *model->getOps<func::FuncOp>().begin();
  reference::Tensor image(
      cast<RankedTensorType>(function.getArgumentTypes()[0]));
  for (int64_t k = 0; k < image.size(); ++k)
    image.real(k) = featureOf(k / 12, k / 4 % 3, k % 4);
  reference::VariableStore variables;
  for (auto variable : model->getOps<sg::VariableOp>()) {
    double value = variable.getSymName() == "pool.hidden.weight"  ? 0.25
                   : variable.getSymName() == "pool.score.weight" ? 0.5
                                                                  : 0.0;
    variables[variable.getSymName().str()] =
        reference::Tensor::splat(variable.getTensorType(), value);
  }
  auto results = reference::evaluate(function, image, variables);
  ASSERT_TRUE(succeeded(results));
  const reference::Tensor &result = results->front();
  ASSERT_EQ(result.getShape(), (llvm::ArrayRef<int64_t>{2, 4}));
  for (int64_t n = 0; n < 2; ++n) {
    std::vector<double> weights = GetParam() == nn::ViewPooling::Attention
                                      ? attentionOf(n)
                                      : std::vector<double>(3, 1.0 / 3);
    for (int64_t feature = 0; feature < 4; ++feature)
      // Sums of three to a hundred numbers in double precision.
      EXPECT_NEAR(result.real(4 * n + feature),
                  pooled(GetParam(), n, feature, weights), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Views,
                         testing::Values(nn::ViewPooling::Mean,
                                         nn::ViewPooling::Max,
                                         nn::ViewPooling::Attention));

TEST_F(Networks, RefuseAnotherNumberOfViews) {
  struct Misfit : PoolAlone {
    Misfit() : PoolAlone(nn::ViewPooling::Mean) {}
    std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
      return {{"result", pool(nn::slice(inputs[0], 1, 0, 2))}};
    }
  } graph;
  std::string message;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  EXPECT_FALSE(graph.emit(context));
  EXPECT_EQ(message, "a case has 3 views, but the input has 2");
}
