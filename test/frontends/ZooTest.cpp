//===- ZooTest.cpp - The zoo against published networks -------------------===//

#include "reprise/Zoo/Zoo.h"
#include "Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"
#include "reprise/NN/MultiView.h"
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
  module.walk<WalkOrder::PreOrder>([&](sg::SgModuleOp op) {
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

/// Weights of torchvision's models and their operations on an image of the
/// default size, as its documentation lists them.
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
                      Published{"resnet152", 60192808, 11.514},
                      Published{"resnext50_32x4d", 25028904, 4.230},
                      Published{"resnext101_32x8d", 88791336, 16.414},
                      Published{"resnext101_64x4d", 83455272, 15.460},
                      Published{"wide_resnet50_2", 68883240, 11.398},
                      Published{"wide_resnet101_2", 126886696, 22.753}));

INSTANTIATE_TEST_SUITE_P(
    Transformers, PublishedTest,
    ::testing::Values(Published{"vit_b_16", 86567656, 17.564},
                      Published{"vit_b_32", 88224232, 4.409},
                      Published{"vit_l_16", 304326632, 61.555},
                      Published{"vit_l_32", 306535400, 15.378},
                      Published{"vit_h_14", 632045800, 167.295},
                      Published{"maxvit_t", 30919624, 5.558},
                      Published{"swin_v2_t", 28351570, 5.940},
                      Published{"swin_v2_s", 49737442, 11.546},
                      Published{"swin_v2_b", 87930848, 20.325},
                      Published{"swin_t", 28288354, 4.491},
                      Published{"swin_s", 49606258, 8.741},
                      Published{"swin_b", 87768224, 15.431},
                      Published{"swin3d_t", 28158070, 43.882},
                      Published{"swin3d_s", 49816678, 82.841},
                      Published{"swin3d_b", 88048984, 140.667},
                      Published{"convnext_tiny", 28589128, 4.456},
                      Published{"convnext_small", 50223688, 8.684},
                      Published{"convnext_base", 88591464, 15.355},
                      Published{"convnext_large", 197767336, 34.361}));

INSTANTIATE_TEST_SUITE_P(
    Mobile, PublishedTest,
    ::testing::Values(Published{"mobilenet_v2", 3504872, 0.301},
                      Published{"mobilenet_v3_small", 2542856, 0.057},
                      Published{"mobilenet_v3_large", 5483032, 0.217}));

INSTANTIATE_TEST_SUITE_P(
    EfficientNets, PublishedTest,
    ::testing::Values(Published{"efficientnet_b0", 5288548, 0.386},
                      Published{"efficientnet_b1", 7794184, 0.687},
                      Published{"efficientnet_b2", 9109994, 1.088},
                      Published{"efficientnet_b3", 12233232, 1.827},
                      Published{"efficientnet_b4", 19341616, 4.394},
                      Published{"efficientnet_b5", 30389784, 10.266},
                      Published{"efficientnet_b6", 43040704, 19.068},
                      Published{"efficientnet_b7", 66347960, 37.746},
                      Published{"efficientnet_v2_s", 21458488, 8.366},
                      Published{"efficientnet_v2_m", 54139356, 24.582},
                      Published{"efficientnet_v2_l", 118515272, 56.080}));

INSTANTIATE_TEST_SUITE_P(
    RegNets, PublishedTest,
    ::testing::Values(Published{"regnet_y_400mf", 4344144, 0.402},
                      Published{"regnet_y_800mf", 6432512, 0.834},
                      Published{"regnet_y_1_6gf", 11202430, 1.612},
                      Published{"regnet_y_3_2gf", 19436338, 3.176},
                      Published{"regnet_y_8gf", 39381472, 8.473},
                      Published{"regnet_y_16gf", 83590140, 15.912},
                      Published{"regnet_y_32gf", 145046770, 32.280},
                      Published{"regnet_x_400mf", 5495976, 0.414},
                      Published{"regnet_x_800mf", 7259656, 0.800},
                      Published{"regnet_x_1_6gf", 9190136, 1.603},
                      Published{"regnet_x_3_2gf", 15296552, 3.177},
                      Published{"regnet_x_8gf", 39572648, 7.995},
                      Published{"regnet_x_16gf", 54278536, 15.941},
                      Published{"regnet_x_32gf", 107811560, 31.736}));

INSTANTIATE_TEST_SUITE_P(
    Chains, PublishedTest,
    ::testing::Values(Published{"alexnet", 61100840, 0.714},
                      Published{"vgg11", 132863336, 7.609},
                      Published{"vgg13", 133047848, 11.308},
                      Published{"vgg16", 138357544, 15.470},
                      Published{"vgg19", 143667240, 19.632},
                      Published{"vgg11_bn", 132868840, 7.609},
                      Published{"vgg13_bn", 133053736, 11.308},
                      Published{"vgg16_bn", 138365992, 15.470},
                      Published{"vgg19_bn", 143678248, 19.632}));

INSTANTIATE_TEST_SUITE_P(
    SmallNetworks, PublishedTest,
    ::testing::Values(Published{"squeezenet1_0", 1248424, 0.819},
                      Published{"squeezenet1_1", 1235496, 0.349},
                      Published{"densenet121", 7978856, 2.834},
                      Published{"densenet161", 28681000, 7.728},
                      Published{"densenet169", 14149480, 3.360},
                      Published{"densenet201", 20013928, 4.291},
                      Published{"shufflenet_v2_x0_5", 1366792, 0.040},
                      Published{"shufflenet_v2_x1_0", 2278604, 0.145},
                      Published{"shufflenet_v2_x1_5", 3503624, 0.296},
                      Published{"shufflenet_v2_x2_0", 7393996, 0.583},
                      Published{"mnasnet0_5", 2218512, 0.104},
                      Published{"mnasnet0_75", 3170208, 0.215},
                      Published{"mnasnet1_0", 4383312, 0.314},
                      Published{"mnasnet1_3", 6282256, 0.526}));

INSTANTIATE_TEST_SUITE_P(
    Videos, PublishedTest,
    ::testing::Values(Published{"r3d_18", 33371472, 40.697},
                      Published{"mc3_18", 11695440, 43.343},
                      Published{"r2plus1d_18", 31505325, 40.519},
                      Published{"s3d", 8320048, 17.979},
                      Published{"mvit_v1_b", 36610672, 70.599}));

/// Multiply-adds are the published ones (64.224) and those of the positions
/// beside queries and keys: a product for each query, key, head and position
/// along an axis, 8 + h + h of them for keys of h x h. Without the class token:
/// 25089 x 393 x 22 in block 0, 2 x 6273 x (1569 x 36 + 393 x 22) in blocks 1
/// and 2, 4 x 1569 x (1569 x 36 + 10 x 393 x 22) in blocks 3 to 13, and 8 x 393
/// x (1569 x 36 + 393 x 22) in the last two.
INSTANTIATE_TEST_SUITE_P(RelativePositions, PublishedTest,
                         ::testing::Values(Published{"mvit_v2_s", 34537744,
                                                     66.359742}));

/// Parameters are those of torchvision's modules with auxiliary classifiers.
/// Multiply-adds are its published ones (1.498 and 5.713), which leave these
/// out, and those of the auxiliary classifiers: 0.0084 and 0.0057.
INSTANTIATE_TEST_SUITE_P(
    Inceptions, PublishedTest,
    ::testing::Values(Published{"googlenet", 13004888, 1.5064},
                      Published{"inception_v3", 27161264, 5.7187}));

/// Touvron et al. 2021 (arXiv 2012.12877), table 1: of DeiT-Ti and DeiT-S,
/// which differ from ViT-B in their width (their count of heads makes no
/// parameters); to the last digit as timm's vit_tiny_patch16_224 and
/// vit_small_patch16_224.
TEST(Widths, OfVisionTransformersArePublished) {
  MLIRContext context;
  for (auto [width, parameters] : {std::pair{192, 5717416}, {384, 22050664}}) {
    zoo::ModelOptions options = batchOf(1);
    options.baseWidth = width;
    auto module = zoo::buildModel(context, "vit_b_16", options);
    ASSERT_TRUE(module);
    EXPECT_EQ(zoo::modelStatistics(*module).parameters, uint64_t(parameters));
  }
}

/// Files made from torchvision's state_dict(), without num_batches_tracked and
/// relative_position_index, which is a constant here.
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
    // The generator's seed and step are torch's own.
    if (variable.getSymName().starts_with("rng."))
      continue;
    ASSERT_TRUE(std::getline(file, line)) << describe(variable);
    EXPECT_EQ(describe(variable), line);
  }
  EXPECT_FALSE(std::getline(file, line)) << line;
}

INSTANTIATE_TEST_SUITE_P(ResNets, StateTest,
                         ::testing::Values("resnet18", "resnet50",
                                           "resnext50_32x4d"));
INSTANTIATE_TEST_SUITE_P(Chains, StateTest,
                         ::testing::Values("alexnet", "vgg11", "vgg11_bn"));
INSTANTIATE_TEST_SUITE_P(SmallNetworks, StateTest,
                         ::testing::Values("squeezenet1_0", "densenet121",
                                           "shufflenet_v2_x0_5", "mnasnet0_5"));
INSTANTIATE_TEST_SUITE_P(Mobile, StateTest,
                         ::testing::Values("mobilenet_v2", "mobilenet_v3_small",
                                           "efficientnet_b0",
                                           "efficientnet_v2_s"));
INSTANTIATE_TEST_SUITE_P(RegNets, StateTest,
                         ::testing::Values("regnet_y_400mf", "regnet_x_400mf"));
INSTANTIATE_TEST_SUITE_P(Inceptions, StateTest,
                         ::testing::Values("googlenet", "inception_v3"));
INSTANTIATE_TEST_SUITE_P(Videos, StateTest,
                         ::testing::Values("r3d_18", "mc3_18", "r2plus1d_18",
                                           "s3d", "mvit_v1_b", "mvit_v2_s"));
INSTANTIATE_TEST_SUITE_P(Transformers, StateTest,
                         ::testing::Values("vit_b_16", "swin_t", "swin_v2_t",
                                           "convnext_tiny", "maxvit_t"));

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
