//===- MemoryScanTest.cpp - Passes over steps against plain loops ---------===//
#include "graph/MemoryScan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace reprise::plan;

namespace {
constexpr int64_t kBudget = 100;
} // namespace

static std::vector<int64_t> randomMemory(std::mt19937_64 &random) {
  // Often no step exceeds the budget, and seldom many, or all; of thousands,
  // few.
  int64_t most = random() % 2 ? kBudget : kBudget + random() % 20;
  bool isLong = random() % 16 == 0;
  std::vector<int64_t> memory(1 + random() % (isLong ? 20000 : 300));
  int64_t least = random() % 4 ? 0 : kBudget - 5 + random() % 30;
  for (int64_t &bytes : memory)
    bytes =
        least + random() % ((isLong && random() % 1000 ? kBudget : most) + 1);
  return memory;
}

static void expectExcess(const Excess &excess,
                         const std::vector<int64_t> &memory,
                         std::mt19937_64 &random) {
  int64_t sum = 0;
  for (int64_t bytes : memory)
    sum += std::max<int64_t>(0, bytes - kBudget);
  EXPECT_TRUE(excess.sum() == sum);
  EXPECT_EQ(excess.peak(), *std::max_element(memory.begin(), memory.end()));
  for (int query = 0; query < 20; ++query) {
    uint32_t from = random() % (memory.size() + 1);
    uint32_t to = random() % (memory.size() + 1);
    uint32_t last = to;
    while (last > from && memory[last - 1] <= kBudget)
      --last;
    bool isIn = from < to && last > from;
    EXPECT_EQ(excess.isIn(from, to), isIn) << from << " to " << to;
    if (isIn) {
      EXPECT_EQ(excess.lastIn(from, to), last - 1) << from << " to " << to;
    }
  }
}

/// After changes from some step on, and with more steps or fewer.
TEST(MemoryScan, ExcessIsThatOfEachStep) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    std::vector<int64_t> memory = randomMemory(random);
    Excess excess;
    excess.update(memory, 0, kBudget);
    expectExcess(excess, memory, random);
    uint32_t from = random() % memory.size();
    std::vector<int64_t> other = randomMemory(random);
    memory.resize(from);
    memory.insert(memory.end(), other.begin(), other.end());
    excess.update(memory, from, kBudget);
    expectExcess(excess, memory, random);
  }
}

/// Ranges of a few steps and of many blocks, in which few steps or all exceed.
TEST(MemoryScan, RangesAreThoseOfPlainLoops) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    std::vector<int64_t> memory = randomMemory(random), more = memory;
    int64_t bytes = int64_t(random() % 41) - 20;
    uint32_t from = random() % 4 ? random() % memory.size() : 0;
    uint32_t to = from + random() % (memory.size() - from + 1);
    addToSteps(more.data() + from, to - from, bytes);
    int64_t change = 0;
    bool isAbove = false;
    for (size_t at = 0; at < memory.size(); ++at) {
      bool isInside = from <= at && at < to;
      EXPECT_EQ(more[at], memory[at] + (isInside ? bytes : 0));
      change += std::max<int64_t>(0, more[at] - kBudget) -
                std::max<int64_t>(0, memory[at] - kBudget);
      isAbove |= isInside && memory[at] > kBudget - 3;
    }
    Excess excess;
    excess.update(memory, 0, kBudget);
    EXPECT_TRUE(excess.change(memory, from, to, kBudget, bytes) == change);
    EXPECT_EQ(excess.isAbove(memory, from, to, kBudget - 3), isAbove);
  }
}

/// What is below the least stays, and so do unused entries, which are -1.
TEST(MemoryScan, ShiftsWhatIsBehind) {
  std::vector<uint32_t> numbers = {3, 4, 5, UINT32_MAX, 90};
  shiftFrom(numbers.data(), numbers.size(), 4, 6);
  EXPECT_EQ(numbers, (std::vector<uint32_t>{3, 10, 11, UINT32_MAX, 96}));
  shiftFrom(numbers.data(), numbers.size(), 10, -2);
  EXPECT_EQ(numbers, (std::vector<uint32_t>{3, 8, 9, UINT32_MAX, 94}));
}
