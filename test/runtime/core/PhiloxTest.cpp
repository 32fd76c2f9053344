//===- PhiloxTest.cpp - Known answers of the random numbers ---------------===//
//
// From the known-answer tests published with Philox (Random123 1.09) and
// with FNV-1a.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Philox.h"

#include <gtest/gtest.h>

using namespace reprise::rt;

static void expectBlock(const PhiloxBlock &got, const PhiloxBlock &expected) {
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(got.word[i], expected.word[i]) << "word " << i;
}

TEST(Philox, GivesTheKnownAnswers) {
  expectBlock(philox4x32({{0, 0, 0, 0}}, {{0, 0}}),
              {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  const uint32_t ones = 0xffffffff;
  expectBlock(philox4x32({{ones, ones, ones, ones}}, {{ones, ones}}),
              {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  expectBlock(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
                         {{0xa4093822, 0x299f31d0}}),
              {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(Philox, SplitsSeedStreamAndIndexIntoWords) {
  expectBlock(
      philoxBlock(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
      {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(Philox, IsAConstantExpression) {
  static_assert(philoxBlock(0, 0, 0).word[0] == 0x6627e8d5, "");
  static_assert(fnv1a64("a") == 0xAF63DC4C8601EC8C, "");
}

TEST(Philox, HashesTheKnownAnswers) {
  EXPECT_EQ(fnv1a64(""), 0xCBF29CE484222325u);
  EXPECT_EQ(fnv1a64("foobar"), 0x85944171F73967E8u);
}

TEST(Philox, UniformNumbersStayInside) {
  EXPECT_GT(uniformOpen(0), 0.0);
  EXPECT_LT(uniformOpen(0xffffffff), 1.0);
}
