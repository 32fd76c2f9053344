//===- FilterBlocksTest.cpp - Filters in blocks of 16 by 16 ---------------===//
//
// Against the definition: whole numbers as elements, on teams that have fewer
// and more members than there are groups.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/cpu/FilterBlocks.h"
#include "../../../runtime/cpu/Team.h"

#include <gtest/gtest.h>
#include <vector>

using namespace reprise::rt;

static void check(int64_t outputs, int64_t inputs, int64_t window,
                  unsigned threads) {
  SCOPED_TRACE(testing::Message() << outputs << " " << inputs << " " << window
                                  << " on " << threads);
  auto team = Team::create(threads);
  ASSERT_TRUE(team.ok());
  FilterBlocks blocks;
  blocks.outputs = outputs;
  blocks.inputs = inputs;
  blocks.window = window;
  constexpr size_t kGuard = 64;
  size_t copies = blocks.scratchBytes(threads) / sizeof(float);
  std::vector<float> filter(size_t(outputs * inputs * window) + kGuard, -1);
  std::vector<float> scratch(copies + kGuard, -1);
  blocks.filter = filter.data();
  blocks.scratch = scratch.data();
  auto numberOf = [&](int64_t o, int64_t w, int64_t i) {
    return float((o * window + w) * inputs + i);
  };
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t w = 0; w < window; ++w)
      for (int64_t i = 0; i < inputs; ++i)
        filter[size_t(((o / 16 * (inputs / 16) + i / 16) * window + w) * 256 +
                      i % 16 * 16 + o % 16)] = numberOf(o, w, i);
  blocks.run(**team);
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t w = 0; w < window; ++w)
      for (int64_t i = 0; i < inputs; ++i)
        ASSERT_EQ(filter[size_t((o * window + w) * inputs + i)],
                  numberOf(o, w, i))
            << o << " " << w << " " << i;
  for (size_t i = 0; i < kGuard; ++i) {
    EXPECT_EQ(filter[filter.size() - 1 - i], -1);
    EXPECT_EQ(scratch[scratch.size() - 1 - i], -1);
  }
}

TEST(FilterBlocks, BecomeRows) {
  for (unsigned threads : {1u, 2u, 3u, 5u, 9u}) {
    check(16, 16, 1, threads);
    check(32, 48, 9, threads);  // one thread, being small
    check(112, 32, 9, threads); // seven groups
    check(64, 256, 4, threads);
  }
}

TEST(FilterBlocks, TakeACopyOfAGroupForEachMember) {
  FilterBlocks blocks;
  blocks.outputs = 64;
  blocks.inputs = 256;
  blocks.window = 4;
  constexpr uint64_t kGroup = 16 * 256 * 4 * 4;
  EXPECT_EQ(blocks.scratchBytes(1), kGroup);
  EXPECT_EQ(blocks.scratchBytes(3), 3 * kGroup);
  EXPECT_EQ(blocks.scratchBytes(1000), 4 * kGroup);
}
