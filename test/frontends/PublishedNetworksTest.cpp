//===- PublishedNetworksTest.cpp - The zoo against published networks -----===//

#include "ZooModels.h"
#include "gtest/gtest.h"
#include <fstream>

using namespace mlir;
using namespace reprise;
using reprise::test::batchOf;
using reprise::test::describe;

namespace {

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

} // namespace
