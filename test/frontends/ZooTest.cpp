//===- ZooTest.cpp - The zoo against published networks -------------------===//

#include "reprise/Zoo/Zoo.h"
#include "Diagnostics.h"
#include "reprise/IR/Sg.h"
#include "gtest/gtest.h"
#include <fstream>

using namespace mlir;
using namespace reprise;
using reprise::test::CollectedDiagnostics;

namespace {

zoo::ModelOptions batchOf(int64_t images) {
  zoo::ModelOptions options;
  options.batch = images;
  return options;
}

/// A variable as files hold it: "NAME 64x3x7x7".
std::string describe(sg::VariableOp variable) {
  llvm::ArrayRef<int64_t> shape = variable.getTensorType().getShape();
  std::string line = (variable.getSymName() + " ").str();
  llvm::raw_string_ostream stream(line);
  for (size_t d = 0; d < shape.size(); ++d) {
    auto permutation = variable.getFilePermutation();
    stream << (d ? "x" : "") << shape[permutation ? (*permutation)[d] : d];
  }
  return line;
}

/// The paths of blocks, and "*" after annotated ones.
std::vector<std::string> blocksOf(mlir::ModuleOp module) {
  std::vector<std::string> paths;
  module.walk<WalkOrder::PreOrder>([&](sg::BlockOp op) {
    paths.push_back(op.getPath().str() +
                    (op.getActivationCheckpointing() ? "*" : ""));
  });
  return paths;
}

struct Published {
  const char *model;
  uint64_t parameters;
  double gigaMultiplyAdds;
};

void PrintTo(const Published &published, std::ostream *stream) {
  *stream << published.model;
}

/// Weights of torchvision's models and their operations at 224x224, as its
/// documentation lists them.
class PublishedTest : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedTest, HasThePublishedSize) {
  MLIRContext context;
  auto module = zoo::buildModel(context, GetParam().model, batchOf(1));
  ASSERT_TRUE(module);
  zoo::ModelStatistics statistics = zoo::modelStatistics(*module);
  EXPECT_EQ(statistics.parameters, GetParam().parameters);
  // Published with three decimals.
  EXPECT_NEAR(statistics.multiplyAdds / 1e9, GetParam().gigaMultiplyAdds,
              0.0005);
}

INSTANTIATE_TEST_SUITE_P(
    ResNets, PublishedTest,
    ::testing::Values(Published{"resnet18", 11689512, 1.814},
                      Published{"resnet34", 21797672, 3.664},
                      Published{"resnet50", 25557032, 4.089},
                      Published{"resnet101", 44549160, 7.801},
                      Published{"resnet152", 60192808, 11.514}));

/// Files made from torchvision's state_dict(), without num_batches_tracked.
class StateTest : public ::testing::TestWithParam<const char *> {};

TEST_P(StateTest, HasTorchvisionsVariablesInItsOrder) {
  MLIRContext context;
  auto module = zoo::buildModel(context, GetParam(), batchOf(1));
  ASSERT_TRUE(module);
  std::ifstream file(std::string(REPRISE_STATE_DIR) + "/" + GetParam() +
                     ".txt");
  ASSERT_TRUE(file);
  std::string line;
  for (auto variable : module->getOps<sg::VariableOp>()) {
    ASSERT_TRUE(std::getline(file, line)) << describe(variable);
    EXPECT_EQ(describe(variable), line);
  }
  EXPECT_FALSE(std::getline(file, line)) << line;
}

INSTANTIATE_TEST_SUITE_P(ResNets, StateTest,
                         ::testing::Values("resnet18", "resnet50"));

class ZooTest : public ::testing::Test {
protected:
  MLIRContext context;
};

TEST_F(ZooTest, BuildsEveryModelItLists) {
  for (const zoo::ModelInfo &info : zoo::listModels())
    EXPECT_TRUE(zoo::buildModel(context, info.name)) << info.name;
}

TEST_F(ZooTest, AnnotatesTheStagesOfAResNetButTheLast) {
  auto module = zoo::buildModel(context, "resnet18");
  ASSERT_TRUE(module);
  std::vector<std::string> expected = {
      "stem*",    "layer1*",  "layer1.0", "layer1.1", "layer2*",
      "layer2.0", "layer2.1", "layer3*",  "layer3.0", "layer3.1",
      "layer4",   "layer4.0", "layer4.1"};
  EXPECT_EQ(blocksOf(*module), expected);
}

TEST_F(ZooTest, AnnotatesBlocksOrNothingWhenAsked) {
  zoo::ModelOptions options;
  options.annotate = zoo::Annotate::Blocks;
  auto blocks = zoo::buildModel(context, "resnet18", options);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocksOf(*blocks)[1], "layer1");
  EXPECT_EQ(blocksOf(*blocks)[2], "layer1.0*");
  options.annotate = zoo::Annotate::None;
  auto none = zoo::buildModel(context, "resnet18", options);
  ASSERT_TRUE(none);
  for (const std::string &path : blocksOf(*none))
    EXPECT_NE(path.back(), '*') << path;
}

TEST_F(ZooTest, AnnotatesBothPartsOfTheMlp) {
  auto module = zoo::buildModel(context, "mlp");
  ASSERT_TRUE(module);
  std::vector<std::string> expected = {"part1*", "part2*"};
  EXPECT_EQ(blocksOf(*module), expected);
  // 256-128-64 and 64-32-10 with biases.
  EXPECT_EQ(zoo::modelStatistics(*module).parameters,
            uint64_t(257 * 128 + 129 * 64 + 65 * 32 + 33 * 10));
}

TEST_F(ZooTest, TakesSmallImages) {
  zoo::ModelOptions options;
  options.batch = 2;
  options.height = options.width = 28;
  options.channels = 1;
  options.classes = 10;
  options.baseWidth = 16;
  options.stem = zoo::Stem::Cifar;
  auto module = zoo::buildModel(context, "resnet18", options);
  ASSERT_TRUE(module);
  auto stem = *module->getOps<sg::VariableOp>().begin();
  EXPECT_EQ(describe(stem), "conv1.weight 16x1x3x3");
  module->walk([](sg::MaxPool2DOp) { ADD_FAILURE() << "a stem with a pool"; });
}

TEST_F(ZooTest, DropsOutBeforeTheLastLayer) {
  zoo::ModelOptions options;
  options.dropout = 0.5;
  auto module = zoo::buildModel(context, "resnet18", options);
  ASSERT_TRUE(module);
  int drops = 0;
  module->walk([&](sg::DropoutOp op) {
    ++drops;
    EXPECT_TRUE(op.getX().getDefiningOp<sg::GlobalAvgPoolOp>());
  });
  EXPECT_EQ(drops, 1);
}

TEST_F(ZooTest, NamesTheKnownModels) {
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "resnet19"));
  EXPECT_EQ(errors.get(),
            "no model is named 'resnet19'; known are mlp, resnet18, resnet34, "
            "resnet50, resnet101, resnet152\n");
}

TEST_F(ZooTest, RefusesAnOptionTheModelDoesNotHave) {
  zoo::ModelOptions options;
  options.stem = zoo::Stem::Cifar;
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "mlp", options));
  EXPECT_EQ(errors.get(), "model 'mlp' has no option 'stem'\n");
}

TEST_F(ZooTest, RefusesValuesThatDoNotFit) {
  zoo::ModelOptions options = batchOf(0);
  options.dropout = 1.0;
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "resnet18", options));
  EXPECT_EQ(errors.get(),
            "option 'batch' must be between 1 and 65536, but is 0\n"
            "option 'dropout' must be in [0, 1), but is 1.000000e+00\n");
}

} // namespace
