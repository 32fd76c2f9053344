//===- PositionTablesTest.cpp - Position tables of another image size -----===//
//
// The expected tables are those of Debian's PyTorch 1.13.1 and torchvision
// 0.14.1: interpolate_embeddings, and interpolate with mode='bicubic'. They
// compute in f32, hence the tolerance.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/trainer/PositionTables.h"
#include <gtest/gtest.h>

using namespace reprise::rt;

using Numbers = std::vector<float>;

/// Returns ((i * factor) % modulus) / divisor + offset.
static Numbers sequence(int count, int factor, int modulus, float divisor,
                        float offset) {
  Numbers numbers;
  for (int i = 0; i < count; ++i)
    numbers.push_back(float(i * factor % modulus) / divisor + offset);
  return numbers;
}

static void expectNear(const Numbers &found, const Numbers &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 2e-6) << "number " << i;
}

TEST(PositionTables, OfPatchesHaveTheirCornersInCommon) {
  auto resize =
      findTableResize("encoder.pos_embedding", {1, 5, 2}, {1, 10, 2}, 48, 48);
  ASSERT_TRUE(resize);
  expectNear(resizeTable(*resize, sequence(10, 7, 11, 4, -1).data()),
             {-1.0f, 0.75f, -0.25f, 1.5f,    0.125f,  0.5f,    0.5f,
              -0.5f, 0.5f,  0.875f, 0.1875f, 0.5625f, -0.125f, 0.25f,
              1.25f, 0.25f, 0.25f,  0.625f,  -0.75f,  1.0f});
}

TEST(PositionTables, OfPatchesHaveTheProportionsOfImages) {
  auto resize =
      findTableResize("encoder.pos_embedding", {1, 5, 2}, {1, 9, 2}, 32, 64);
  ASSERT_TRUE(resize);
  EXPECT_EQ(resize->toHeight, 2);
  EXPECT_EQ(resize->toWidth, 4);
  expectNear(resizeTable(*resize, sequence(10, 7, 11, 4, -1).data()),
             {-1.0f, 0.75f, -0.25f, 1.5f, -0.013888955116271973f,
              0.8703703880310059f, 0.26388880610466003f, 0.12962999939918518f,
              0.5f, -0.5f, 1.25f, 0.25f, 0.6203703284263611f,
              0.4861109256744385f, -0.1203700453042984f, 0.7638888955116272f,
              -0.75f, 1.0f});
}

TEST(PositionTables, OfPatchesBecomeSmaller) {
  auto resize = findTableResize("pos_embed", {1, 17, 1}, {1, 5, 1}, 32, 32);
  ASSERT_TRUE(resize);
  expectNear(resizeTable(*resize, sequence(17, 5, 13, 8, -0.5f).data()),
             {-0.5f, 0.125f, 0.375f, -0.5f, -0.25f});
}

TEST(PositionTables, OfDistancesHaveTheirEdgesInCommon) {
  auto resize = findTableResize(
      "features.1.0.attn.relative_position_bias_table", {9, 2}, {25, 2}, 0, 0);
  ASSERT_TRUE(resize);
  expectNear(resizeTable(*resize, sequence(18, 7, 11, 4, -1).data()),
             {-1.3133440017700195f,  0.7260001301765442f,
              -0.876567542552948f,   1.2329999208450317f,
              -0.20200002193450928f, 1.5480000972747803f,
              0.33000776171684265f,  0.37800002098083496f,
              0.6200000643730164f,   -0.6440000534057617f,
              -0.04155941307544708f, 0.5199998021125793f,
              -0.3590753972530365f,  1.0412553548812866f,
              -0.6059995889663696f,  1.3419996500015259f,
              -0.0629039779305458f,  0.05082407966256142f,
              0.4330076575279236f,   -1.0670076608657837f,
              1.442000150680542f,    0.1780000478029251f,
              0.4199996590614319f,   0.6849997639656067f,
              -0.7499998807907104f,  1.0f,
              -0.43499964475631714f, -0.17000001668930054f,
              0.0719999223947525f,   -1.191999912261963f,
              1.1554397344589233f,   -0.16399985551834106f,
              0.9733555316925049f,   0.22182431817054749f,
              0.5910000801086426f,   0.6580002903938293f,
              -0.01707572117447853f, 0.5179961323738098f,
              -0.4315679371356964f,  0.3105681538581848f,
              0.6046562790870667f,   -0.37000003457069397f,
              1.2584398984909058f,   -0.08000755310058594f,
              1.7160001993179321f,   0.4520001709461212f,
              0.403439998626709f,    1.1265681982040405f,
              -0.7653440833091736f,  1.5633444786071777f});
}

TEST(PositionTables, OfOtherNamesOrShapesAreRefused) {
  using Shape = std::vector<int64_t>;
  auto isTable = [](const char *name, const Shape &from, const Shape &to) {
    return findTableResize(name, from, to, 0, 0).has_value();
  };
  EXPECT_TRUE(isTable("pos_embed", {5, 2}, {10, 2}));
  EXPECT_FALSE(isTable("positions", {5, 2}, {10, 2}));
  EXPECT_FALSE(isTable("pos_embed", {5, 2}, {10, 3}));
  EXPECT_FALSE(isTable("pos_embed", {2, 5, 2}, {2, 10, 2}));
  EXPECT_FALSE(isTable("pos_embed", {7, 2}, {10, 2}));
  EXPECT_FALSE(isTable("pos_embed", {5, 2}, {8, 2}));
  // A window's distances along a dimension are an odd number.
  EXPECT_FALSE(isTable("relative_position_bias_table", {16, 2}, {25, 2}));
}
