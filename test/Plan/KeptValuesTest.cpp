//===- KeptValuesTest.cpp - Kept values against all choices ---------------===//
#include "reprise/Plan/KeptValues.h"

#include <gtest/gtest.h>

#include <random>

using namespace reprise::plan;

namespace {

using Values = std::vector<PassedValue>;

/// What one choice of kept values, a bit each, comes to.
struct Outcome {
  bool isEnough = true;
  uint64_t bytes = 0;
  uint32_t again = 0; // values computed again, a bit each
};

/// Marks what is computed again for value `v`; false where that can't be.
bool obtain(const Values &values, uint32_t kept, uint32_t v, Outcome &outcome) {
  if (kept >> v & 1 || outcome.again >> v & 1)
    return true;
  if (!values[v].canRecompute)
    return false;
  outcome.again |= 1u << v;
  for (uint32_t operand : values[v].operands)
    if (!obtain(values, kept, operand, outcome))
      return false;
  return true;
}

Outcome outcomeOf(const Values &values, uint32_t kept) {
  Outcome outcome;
  for (uint32_t v = 0; v < values.size(); ++v) {
    if (kept >> v & 1)
      outcome.bytes += values[v].bytes;
    if (values[v].isReadLater && !obtain(values, kept, v, outcome))
      outcome.isEnough = false;
  }
  return outcome;
}

uint32_t bitsOf(const std::vector<bool> &kept) {
  uint32_t bits = 0;
  for (uint32_t v = 0; v < kept.size(); ++v)
    bits |= uint32_t(kept[v]) << v;
  return bits;
}

Values randomValues(std::mt19937_64 &random) {
  Values values(1 + random() % 9);
  for (uint32_t v = 0; v < values.size(); ++v) {
    values[v].bytes = random() % 4;
    values[v].isReadLater = random() % 3 == 0;
    values[v].canRecompute = random() % 4 != 0;
    for (uint32_t count = random() % 3; count && v; --count)
      values[v].operands.push_back(random() % v);
  }
  return values;
}

} // namespace

TEST(KeptValues, AreTheFewestBytesAndComputeLeastAgain) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    Values values = randomValues(random);
    Outcome ours = outcomeOf(values, bitsOf(chooseKeptValues(values)));
    ASSERT_TRUE(ours.isEnough) << round;
    for (uint32_t kept = 0; kept < 1u << values.size(); ++kept) {
      Outcome other = outcomeOf(values, kept);
      if (!other.isEnough)
        continue;
      ASSERT_LE(ours.bytes, other.bytes) << round;
      // What ours computes again, every choice of as few bytes does too.
      if (other.bytes == ours.bytes) {
        ASSERT_EQ(ours.again & ~other.again, 0u) << round;
      }
    }
  }
}

TEST(KeptValues, OfAnActivationAreItsOperand) {
  // A product of 4 bytes, what an activation makes of it, both needed.
  Values values(2);
  values[0] = {4, false, {}, true};
  values[1] = {4, true, {0}, true};
  EXPECT_EQ(chooseKeptValues(values), (std::vector<bool>{true, false}));
  // The activation alone: it is kept, nothing is computed again.
  values[0].isReadLater = false;
  EXPECT_EQ(chooseKeptValues(values), (std::vector<bool>{false, true}));
  // A wide one of a narrow product.
  values[1].bytes = 16;
  EXPECT_EQ(chooseKeptValues(values), (std::vector<bool>{true, false}));
}

TEST(KeptValues, OfNothingAreNone) {
  EXPECT_TRUE(chooseKeptValues({}).empty());
}
