//===- SyntheticTest.cpp - Generated rows ---------------------------------===//

#include "TestFiles.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/Philox.h"
#include <numeric>

using namespace reprise::rt;
using namespace reprise::rt::test;

TEST(Philox, AgreesWithItsPublishedVectors) {
  // Random123's kat_vectors, philox4x32 10.
  EXPECT_EQ(philox4x32(0, 0, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                     0x9b00dbd8}));
  EXPECT_EQ(philox4x32(UINT64_MAX, UINT64_MAX, UINT64_MAX),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
  EXPECT_EQ(
      philox4x32(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
      (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420,
                               0x24126ea1}));
}

TEST(Synthetic, IsAFunctionOfTheIndex) {
  SyntheticOptions options;
  options.shape = {5, 3, 1};
  options.classes = 4;
  options.size = 100;
  options.seed = 9;
  auto data = openSyntheticDataset(options, Split::Train);
  auto test = openSyntheticDataset(options, Split::Test);
  ASSERT_TRUE(data.ok() && test.ok());
  std::vector<uint64_t> forward(100), one = {57};
  std::iota(forward.begin(), forward.end(), 0);
  std::vector<float> all(1500), single(15), other(15);
  std::vector<int32_t> labels(100), label(1), otherLabel(1);
  void *allOut[] = {all.data(), labels.data()};
  void *singleOut[] = {single.data(), label.data()};
  void *otherOut[] = {other.data(), otherLabel.data()};
  ASSERT_TRUE((*data)->fill(forward.data(), 100, allOut).ok());
  ASSERT_TRUE((*data)->fill(one.data(), 1, singleOut).ok());
  ASSERT_TRUE((*test)->fill(one.data(), 1, otherOut).ok());
  EXPECT_TRUE(std::equal(single.begin(), single.end(), &all[57 * 15]));
  EXPECT_NE(single, other);
  EXPECT_EQ(label[0], labels[57]);
  for (int32_t k = 0; k < 4; ++k) // 25 expected, 4.3 deviation
    EXPECT_GT(std::count(labels.begin(), labels.end(), k), 8);
}

TEST(Synthetic, NothingIsRefused) {
  SyntheticOptions options;
  options.shape = {1, 1, 1};
  expectError(openSyntheticDataset(options, Split::Train).status(),
              RP_INVALID_ARGUMENT, {"0 synthetic images"});
}

TEST(Synthetic, EveryColumnHasNumbersOfItsOwn) {
  SyntheticOptions options;
  options.size = 4;
  options.columns = {{"a", RP_BINDING_DATA, RP_F32, {6}},
                     {"b", RP_BINDING_DATA, RP_F32, {3, 2}}};
  auto data = openSyntheticDataset(options, Split::Train);
  ASSERT_TRUE(data.ok()) << data.status().message();
  float a[24], b[24];
  void *out[] = {a, b};
  uint64_t indices[] = {0, 1, 2, 3};
  ASSERT_TRUE((*data)->fill(indices, 4, out).ok());
  for (int i = 0; i < 24; ++i)
    EXPECT_NE(a[i], b[i]);
  options.columns[1].type = RP_BF16;
  expectError(openSyntheticDataset(options, Split::Train).status(),
              RP_INVALID_ARGUMENT, {"'b'", "BF16"});
  options.columns = {labelColumn()};
  expectError(openSyntheticDataset(options, Split::Train).status(),
              RP_INVALID_ARGUMENT, {"cannot make"});
}

TEST(Synthetic, IntegersAreInTheirRanges) {
  SyntheticOptions options;
  options.size = 64;
  options.columns = {{"tokens", RP_BINDING_DATA, RP_I64, {3}},
                     {"classes", RP_BINDING_DATA, RP_I32, {2}}};
  // The last token and the first class have no range.
  options.columns[0].ranges = {{RP_INDEX_ROW, 50, std::nullopt, {{0, 2}}},
                               {RP_INDEX_ROW, 20, std::nullopt, {{1, 2}}}};
  options.columns[1].ranges = {{RP_INDEX_CLASS, 5, -100, {{1, 2}}}};
  auto data = openSyntheticDataset(options, Split::Train);
  ASSERT_TRUE(data.ok()) << data.status().message();
  std::vector<int64_t> tokens(64 * 3);
  std::vector<int32_t> classes(64 * 2);
  void *out[] = {tokens.data(), classes.data()};
  std::vector<uint64_t> indices(64);
  std::iota(indices.begin(), indices.end(), 0);
  ASSERT_TRUE((*data)->fill(indices.data(), 64, out).ok());
  std::vector<int64_t> most(5, 0);
  for (int row = 0; row < 64; ++row)
    for (int k = 0; k < 5; ++k) {
      int64_t value =
          k < 3 ? tokens[row * 3 + k] : int64_t(classes[row * 2 + k - 3]);
      EXPECT_GE(value, 0);
      most[k] = std::max(most[k], value);
    }
  const int64_t limits[] = {50, 20, 2, 2, 5};
  for (int k = 0; k < 5; ++k) {
    EXPECT_LT(most[k], limits[k]) << k;
    EXPECT_GE(most[k], limits[k] / 2) << k;
  }
  // Rows of a class are alike, but not equal.
  size_t equal = 0;
  for (int row = 1; row < 64; ++row)
    equal += tokens[row * 3] == tokens[0];
  EXPECT_GT(equal, 1u);
  EXPECT_LT(equal, 40u);
}
