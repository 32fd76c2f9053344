//===- ChoiceTest.cpp - Why bytes are in memory ---------------------------===//
#include "reprise/Plan/Choice.h"
#include "reprise/Kept.h"
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::plan;

TEST(Choice, the_first_reason_that_holds_counts) {
  Bargain bargain;
  bargain.bytes = 1 << 20;
  bargain.picoseconds = 10;
  EXPECT_EQ(whyKept(bargain), Reason::Free);
  bargain.picosecondsPerMiB = 9;
  EXPECT_EQ(whyKept(bargain), Reason::Dear);
  bargain.picosecondsPerMiB = 10;
  EXPECT_EQ(whyKept(bargain), Reason::SourceGone);
  bargain.isAsked = true;
  EXPECT_EQ(whyKept(bargain), Reason::Asked);
  bargain.runsOnce = true;
  EXPECT_EQ(whyKept(bargain), Reason::RunsOnce);
}

TEST(Choice, worth_does_not_overflow) {
  EXPECT_EQ(worthOf(1 << 20, 7), 7u);
  EXPECT_EQ(worthOf((1 << 20) - 1, 7), 6u);
  EXPECT_EQ(worthOf(uint64_t(1) << 56, uint64_t(1) << 20), uint64_t(1) << 56);
}

TEST(Choice, kept_lives_on_when_the_forward_pass_has_ended) {
  EXPECT_TRUE(isKeptAfter(3, 2, 3));
  EXPECT_TRUE(isKeptAfter(3, 0, 9));
  EXPECT_FALSE(isKeptAfter(3, 2, 2));
  EXPECT_FALSE(isKeptAfter(3, 3, 4));
  EXPECT_FALSE(isKeptAfter(0, 0, 4));
}

TEST(Choice, finds_values_read_after_the_forward_pass) {
  Graph graph;
  graph.values.resize(3);
  graph.values[1].viewOf = 0;
  graph.ops.resize(2);
  graph.ops[0].inputs = {2};
  graph.ops[1].inputs = {1};
  graph.ops[1].backward = true;
  EXPECT_EQ(findReadLater(graph), (std::vector<bool>{true, false, false}));
}

TEST(Choice, whole_picoseconds_come_back) {
  for (uint64_t sum : {0ull, 1ull, 29ull, 290000001ull, 123456789012345ull})
    EXPECT_EQ(wholePicoseconds(double(sum) / 1e9), sum);
}
