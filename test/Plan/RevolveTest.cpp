//===- RevolveTest.cpp - Two ways to count Revolve's steps ----------------===//
#include "baselines/Revolve.h"

#include <gtest/gtest.h>

using namespace reprise::plan;

TEST(Revolve, DynamicProgramEqualsClosedForm) {
  RevolveTable table(200, 20);
  for (uint32_t slots = 1; slots <= 20; ++slots)
    for (uint32_t length = 1; length <= 200; ++length)
      ASSERT_EQ(table.steps(length, slots), revolveClosedForm(length, slots))
          << length << " steps, " << slots << " slots";
}

// t(10,3) = 15 is the example of Griewank and Walther 2000. The others are
// where the number of repetitions is whole: C(s+r, s) steps take
// r*C(s+r, s) - C(s+r, s+1), with binomials written out.
TEST(Revolve, KnownValues) {
  EXPECT_EQ(revolveClosedForm(10, 3), 15u);
  EXPECT_EQ(revolveClosedForm(1, 5), 0u);
  EXPECT_EQ(revolveClosedForm(7, 1), 21u);           // 7*6/2
  EXPECT_EQ(revolveClosedForm(6, 5), 5u);            // every state has a slot
  EXPECT_EQ(revolveClosedForm(56, 5), 3u * 56 - 28); // C(8,5), C(8,6)
  EXPECT_EQ(revolveClosedForm(1001, 10), 4u * 1001 - 364); // C(14,10), C(14,11)
}

TEST(Revolve, ClosedFormRefusesOverflow) {
  EXPECT_EQ(revolveClosedForm(0, 3), std::nullopt);
  EXPECT_EQ(revolveClosedForm(3, 0), std::nullopt);
  // With as many slots as steps, each but the last runs twice.
  EXPECT_EQ(revolveClosedForm(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
  EXPECT_EQ(revolveClosedForm(uint64_t(1) << 32, 1),
            (uint64_t(1) << 31) * ((uint64_t(1) << 32) - 1));
  EXPECT_EQ(revolveClosedForm(UINT64_MAX, 2), std::nullopt);
}

TEST(Revolve, AdvanceIsAMinimum) {
  RevolveTable table(60, 6);
  for (uint32_t slots = 2; slots <= 6; ++slots)
    for (uint32_t length = 2; length <= 60; ++length) {
      uint32_t k = table.advance(length, slots);
      ASSERT_GT(k, 0u);
      ASSERT_LT(k, length);
      EXPECT_EQ(table.steps(length, slots),
                k + table.steps(length - k, slots - 1) + table.steps(k, slots));
    }
}
