//===- ZooTest.cpp - Blocks, options and refusals of the zoo --------------===//

#include "Diagnostics.h"
#include "ZooModels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/NN/MultiView.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace reprise;
using reprise::test::batchOf;
using reprise::test::CollectedDiagnostics;
using reprise::test::describe;

namespace {

/// The paths of blocks, and "*" after annotated ones.
std::vector<std::string> blocksOf(mlir::ModuleOp module) {
  std::vector<std::string> paths;
  module.walk<WalkOrder::PreOrder>([&](sg::SgModuleOp op) {
    paths.push_back(op.getPath().str() +
                    (op.getActivationCheckpointing() ? "*" : ""));
  });
  return paths;
}

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

/// The first stage of a network of clips is two segments.
TEST_F(ZooTest, AnnotatesSegmentsOfClipsByTheirBytes) {
  auto module = zoo::buildModel(context, "r3d_18");
  ASSERT_TRUE(module);
  std::vector<std::string> expected = {
      "stem*",    "layer1",   "layer1.0*", "layer1.1*", "layer2*",
      "layer2.0", "layer2.1", "layer3*",   "layer3.0",  "layer3.1",
      "layer4",   "layer4.0", "layer4.1"};
  EXPECT_EQ(blocksOf(*module), expected);
}

/// Each block of an MViT but the last is a segment.
TEST_F(ZooTest, AnnotatesTheBlocksOfAnMViT) {
  auto module = zoo::buildModel(context, "mvit_v2_s");
  ASSERT_TRUE(module);
  std::vector<std::string> expected;
  for (int block = 0; block < 16; ++block)
    expected.push_back("blocks." + std::to_string(block) +
                       (block < 15 ? "*" : ""));
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
  std::string names;
  for (const zoo::ModelInfo &info : zoo::listModels())
    names += (names.empty() ? "" : ", ") + info.name;
  EXPECT_TRUE(llvm::StringRef(names).starts_with("mlp, resnet18, resnet34, "));
  EXPECT_EQ(errors.get(),
            "no model is named 'resnet19'; known are " + names + "\n");
}

TEST_F(ZooTest, NamesTheOptionsOfClipsThatAreTooSmall) {
  zoo::ModelOptions options;
  options.frames = 4;
  options.height = options.width = 64;
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "s3d", options));
  EXPECT_EQ(
      errors.get(),
      "features.13: a window of 2 frames does not fit 1; clips have 4 frames "
      "(option 'frames')\n");
  options.frames = 16;
  options.height = 16;
  CollectedDiagnostics others(context);
  EXPECT_FALSE(zoo::buildModel(context, "s3d", options));
  EXPECT_EQ(
      others.get(),
      "features.13: window of extent 2 does not fit an image of extent 1; "
      "images are 16x64 (options 'height' and 'width') in clips of 16 "
      "(option 'frames')\n");
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

/// The least images and volumes that are too large for a Swin's constants.
TEST_F(ZooTest, RefusesMorePatchesThanAConstantNumbers) {
  zoo::ModelOptions options = batchOf(1);
  options.height = 8193;
  options.width = 8192;
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "swin_t", options));
  EXPECT_EQ(errors.get(),
            "an image of 8193x8192 has 4196352 patches of side 4, but model "
            "'swin_t' takes at most 4194304\n");
  options.height = options.width = 256;
  options.frames = 2049;
  EXPECT_FALSE(zoo::buildModel(context, "swin3d_t", options));
  // Other families have no such constant.
  options.frames = std::nullopt;
  options.height = options.width = 16384;
  EXPECT_TRUE(zoo::buildModel(context, "convnext_tiny", options));
}

TEST_F(ZooTest, AnnotatesTheStemAndStagesOfASwinButTheLast) {
  auto module = zoo::buildModel(context, "swin_t", batchOf(1));
  ASSERT_TRUE(module);
  std::vector<std::string> expected = {
      "features.0*",  "features.1*",  "features.1.0", "features.1.1",
      "features.3*",  "features.3.0", "features.3.1", "features.5*",
      "features.5.0", "features.5.1", "features.5.2", "features.5.3",
      "features.5.4", "features.5.5", "features.7",   "features.7.0",
      "features.7.1"};
  EXPECT_EQ(blocksOf(*module), expected);
}

/// A stage is what lies between two reductions of the image.
TEST_F(ZooTest, AnnotatesTheStagesOfAMobileNetButTheLast) {
  auto module = zoo::buildModel(context, "mobilenet_v3_small", batchOf(1));
  ASSERT_TRUE(module);
  std::vector<std::string> expected = {
      "stage1*",    "stage2*",    "features.1",  "stage3*",
      "features.2", "features.3", "stage4*",     "features.4",
      "features.5", "features.6", "features.7",  "features.8",
      "stage5",     "features.9", "features.10", "features.11"};
  EXPECT_EQ(blocksOf(*module), expected);
}

TEST_F(ZooTest, AnnotatesTheStemAndStagesOfARegNetButTheLast) {
  auto module = zoo::buildModel(context, "regnet_x_8gf", batchOf(1));
  ASSERT_TRUE(module);
  std::vector<std::string> blocks = blocksOf(*module);
  EXPECT_EQ(blocks[0], "stem*");
  EXPECT_EQ(blocks[1], "trunk_output.block1*");
  EXPECT_EQ(blocks[2], "trunk_output.block1.block1-0");
  EXPECT_EQ(blocks[blocks.size() - 2], "trunk_output.block4");
  zoo::ModelOptions options = batchOf(1);
  options.annotate = zoo::Annotate::Blocks;
  auto efficient = zoo::buildModel(context, "efficientnet_b0", options);
  ASSERT_TRUE(efficient);
  EXPECT_EQ(blocksOf(*efficient)[1], "features.1");
  EXPECT_EQ(blocksOf(*efficient)[2], "features.1.0*");
}

TEST_F(ZooTest, AnnotatesTheLayersOfAVisionTransformer) {
  zoo::ModelOptions options = batchOf(1);
  options.height = options.width = 32;
  auto stages = zoo::buildModel(context, "vit_b_16", options);
  ASSERT_TRUE(stages);
  EXPECT_EQ(blocksOf(*stages).front(), "encoder.layers.encoder_layer_0*");
  EXPECT_EQ(blocksOf(*stages).back(), "encoder.layers.encoder_layer_11");
}

/// The probability of skipping grows from 0 to that of the last block; the
/// first draws nothing.
TEST_F(ZooTest, SkipsLaterBlocksMoreOften) {
  zoo::ModelOptions options = batchOf(1);
  options.stochasticDepth = 0.34;
  auto module = zoo::buildModel(context, "convnext_tiny", options);
  ASSERT_TRUE(module);
  std::vector<double> probabilities;
  module->walk([&](sg::DropoutOp op) {
    EXPECT_TRUE(op.getPerSample());
    probabilities.push_back(op.getProbability().convertToDouble());
  });
  ASSERT_EQ(probabilities.size(), 17u);
  for (size_t i = 0; i < probabilities.size(); ++i)
    EXPECT_NEAR(probabilities[i], 0.02 * (i + 1), 1e-12);
}

TEST_F(ZooTest, PadsImagesThatWindowsDoNotDivide) {
  zoo::ModelOptions options = batchOf(1);
  options.height = 36;
  options.width = 28;
  options.patch = 2;
  auto module = zoo::buildModel(context, "swin_t", options);
  ASSERT_TRUE(module);
  // 18x14 patches in windows of 7: 18 is padded to 21.
  sg::PadOp first;
  module->walk([&](sg::PadOp op) {
    if (!first)
      first = op;
  });
  ASSERT_TRUE(first);
  EXPECT_EQ(first.getHigh(), (llvm::ArrayRef<int64_t>{0, 3, 0, 0}));
}

/// A table has a row for each distance, whatever window the image leaves.
TEST_F(ZooTest, TakesVolumesOfOneChannel) {
  zoo::ModelOptions options = batchOf(1);
  options.frames = 4;
  options.height = options.width = 32;
  options.channels = 1;
  options.classes = 3;
  auto module = zoo::buildModel(context, "swin3d_t", options);
  ASSERT_TRUE(module);
  std::vector<std::string> lines;
  for (auto variable : module->getOps<sg::VariableOp>())
    lines.push_back(describe(variable));
  EXPECT_EQ(lines[0], "patch_embed.proj.weight 96x1x2x4x4");
  EXPECT_EQ(lines[1], "patch_embed.proj.bias 96");
  EXPECT_EQ(lines[6], "features.0.0.attn.relative_position_bias_table 2535x3");
}

/// What belongs to views stands behind a backbone that is as it was.
TEST_F(ZooTest, PoolsTheViewsOfACaseBehindEveryBackbone) {
  for (const char *name :
       {"resnet18", "vit_b_16", "swin_t", "convnext_tiny", "mobilenet_v2"}) {
    SCOPED_TRACE(name);
    zoo::ModelOptions options = batchOf(2);
    options.height = options.width = 32;
    auto single = zoo::buildModel(context, name, options);
    options.views = 3;
    options.viewPooling = nn::ViewPooling::Attention;
    auto several = zoo::buildModel(context, name, options);
    ASSERT_TRUE(single && several);
    std::vector<std::string> plain, others;
    for (auto variable : single->getOps<sg::VariableOp>())
      plain.push_back(describe(variable));
    for (auto variable : several->getOps<sg::VariableOp>())
      if (std::string line = describe(variable);
          !llvm::StringRef(line).starts_with("view_pool."))
        others.push_back(line);
    EXPECT_EQ(others, plain);
    EXPECT_EQ(blocksOf(*several), blocksOf(*single));
    auto function = *several->getOps<func::FuncOp>().begin();
    EXPECT_EQ(
        function.getArgumentTypes()[0],
        RankedTensorType::get({2, 3, 32, 32, 3}, Float32Type::get(&context)));
  }
}

TEST_F(ZooTest, RefusesImagesThatAMaxVitCannotDivide) {
  zoo::ModelOptions options = batchOf(1);
  options.height = 256;
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "maxvit_t", options));
  EXPECT_EQ(errors.get(),
            "blocks.0.layers.0.layers.window_attention: parts of 7x7 pixels "
            "do not divide 64x56; choose a height and "
            "width of images that are multiples of 224\n");
}

/// A last window of a SqueezeNet's pools may pass the end, and a VGG's windows
/// before its classifier cover images of any size.
TEST_F(ZooTest, TakesImagesThatPoolsDoNotDivide) {
  zoo::ModelOptions options = batchOf(1);
  options.height = 75;
  options.width = 100;
  for (const char *name : {"squeezenet1_1", "vgg11", "alexnet", "densenet121",
                           "efficientnet_b0", "shufflenet_v2_x0_5"})
    EXPECT_TRUE(zoo::buildModel(context, name, options)) << name;
}

/// An image may fit the network and be too small for a classifier beside it.
TEST_F(ZooTest, RefusesImagesTooSmallForAnAuxiliaryClassifier) {
  zoo::ModelOptions options = batchOf(1);
  options.height = options.width = 107;
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "inception_v3", options));
  EXPECT_EQ(errors.get(),
            "AuxLogits.conv1.conv: filter of extent 5 does not fit an image "
            "of extent 1; images are 107x107 (options 'height' and "
            "'width')\n");
}

TEST_F(ZooTest, RefusesPatchesThatDoNotFit) {
  zoo::ModelOptions options = batchOf(1);
  options.height = options.width = 40;
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "vit_b_16", options));
  options.height = 2;
  EXPECT_FALSE(zoo::buildModel(context, "swin_t", options));
  EXPECT_EQ(errors.get(),
            "patches of 16 (option 'patch') do not fit an image of "
            "40x40 (options 'height' and 'width')\n"
            "patches of 4 (option 'patch') do not fit an image of "
            "2x40 (options 'height' and 'width')\n");
}

TEST_F(ZooTest, RefusesAWidthThatHeadsOrGroupsCannotShare) {
  CollectedDiagnostics errors(context);
  for (const char *model : {"vit_l_16", "swin_t", "resnext50_32x4d"}) {
    zoo::ModelOptions options = batchOf(1);
    options.baseWidth = 40;
    EXPECT_FALSE(zoo::buildModel(context, model, options));
  }
  EXPECT_EQ(errors.get(), "option 'base-width' must be a multiple of the 16 "
                          "heads of model 'vit_l_16', but is 40\n"
                          "option 'base-width' must be a multiple of the 3 "
                          "heads of model 'swin_t', but is 40\n"
                          "option 'base-width' must be a multiple of 16 for "
                          "the groups of model 'resnext50_32x4d', but is 40\n");
}

} // namespace
