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
                      Published{"resnet152", 60192808, 11.514}));

INSTANTIATE_TEST_SUITE_P(
    Transformers, PublishedTest,
    ::testing::Values(Published{"vit_b_16", 86567656, 17.564},
                      Published{"vit_b_32", 88224232, 4.409},
                      Published{"vit_l_16", 304326632, 61.555},
                      Published{"vit_l_32", 306535400, 15.378},
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
    ::testing::Values(Published{"mobilenet_v2", 3504872, 0.301}));

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
                         ::testing::Values("resnet18", "resnet50"));
INSTANTIATE_TEST_SUITE_P(Mobile, StateTest, ::testing::Values("mobilenet_v2"));
INSTANTIATE_TEST_SUITE_P(Transformers, StateTest,
                         ::testing::Values("vit_b_16", "swin_t",
                                           "convnext_tiny"));

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
  std::string names;
  for (const zoo::ModelInfo &info : zoo::listModels())
    names += (names.empty() ? "" : ", ") + info.name;
  EXPECT_TRUE(llvm::StringRef(names).starts_with("mlp, resnet18, resnet34, "));
  EXPECT_EQ(errors.get(),
            "no model is named 'resnet19'; known are " + names + "\n");
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
  for (const char *name : {"resnet18", "vit_b_16", "swin_t", "convnext_tiny",
                           "mobilenet_v2"}) {
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

TEST_F(ZooTest, RefusesPatchesThatDoNotFit) {
  zoo::ModelOptions options = batchOf(1);
  options.height = options.width = 40;
  CollectedDiagnostics errors(context);
  EXPECT_FALSE(zoo::buildModel(context, "vit_b_16", options));
  options.height = 2;
  EXPECT_FALSE(zoo::buildModel(context, "swin_t", options));
  EXPECT_EQ(errors.get(), "patches of 16 do not fit an image of 40x40\n"
                          "patches of 4 do not fit an image of 2x40\n");
}

TEST_F(ZooTest, RefusesAWidthThatHeadsCannotShare) {
  CollectedDiagnostics errors(context);
  for (const char *model : {"vit_l_16", "swin_t"}) {
    zoo::ModelOptions options = batchOf(1);
    options.baseWidth = 40;
    EXPECT_FALSE(zoo::buildModel(context, model, options));
  }
  EXPECT_EQ(errors.get(), "option 'base-width' must be a multiple of the 16 "
                          "heads of model 'vit_l_16', but is 40\n"
                          "option 'base-width' must be a multiple of the 3 "
                          "heads of model 'swin_t', but is 40\n");
}

} // namespace
