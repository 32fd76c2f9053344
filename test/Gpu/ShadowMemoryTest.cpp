//===- ShadowMemoryTest.cpp - Races, compared with a full history ---------===//

#include "ShadowMemory.h"
#include "Kernel.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace reprise::gpu_test;

namespace {
struct Access {
  uint64_t block, epoch, warpEpoch, thread;
  bool isStore;
};

/// What a block found when it counted itself.
struct Count {
  uint64_t block = 0, epoch = 0, thread = 0;
  /// By block, the epoch in which it counted itself.
  std::map<uint64_t, uint64_t> counted;
};
} // namespace

/// By the definition: of two blocks without a count between, or of one without
/// a meeting between.
static bool races(const Access &a, const Access &b, const Count &count) {
  if (!a.isStore && !b.isStore)
    return false;
  if (a.block != b.block) {
    auto it = count.counted.find(a.block);
    bool isCounted = it != count.counted.end() && a.epoch < it->second;
    bool knows = b.thread == count.thread || b.epoch > count.epoch;
    return count.block != b.block || !isCounted || !knows;
  }
  bool oneWarp = a.thread / kWarpSize == b.thread / kWarpSize;
  return a.thread != b.thread && a.epoch == b.epoch &&
         !(oneWarp && a.warpEpoch != b.warpEpoch);
}

/// Random accesses of four bytes until one races. Returns how many there were.
static unsigned compare(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](uint64_t n) { return random() % n; };
  alignas(4) char data[4] = {};
  ShadowMemory memory({{data, sizeof data, "data"}}, 4);
  std::vector<Access> history;
  Count count;
  Acquired acquired;
  std::map<uint64_t, uint64_t> counted;
  Moment now = {{1, 0, 0, Thread}, 1, &acquired};
  uint64_t warpEpochs[2] = {}, storesOf = 2 + below(6);
  while (history.size() < 1000) {
    if (below(12) == 0)
      ++now.stamp.epoch;
    if (below(40) == 0) {
      now.blockBegan = uint32_t(++now.stamp.epoch);
      acquired = Acquired();
    }
    if (below(4) == 0)
      ++warpEpochs[below(2)];
    // Few threads, so that they come again.
    now.stamp.thread = below(2) * kWarpSize + below(2);
    now.stamp.warpEpoch = warpEpochs[now.stamp.thread / kWarpSize];
    if (below(20) == 0) {
      count = {now.blockBegan, now.stamp.epoch, now.stamp.thread, counted};
      acquired = {{}, unsigned(now.stamp.thread), uint32_t(now.stamp.epoch)};
      for (auto [block, epoch] : counted)
        acquired.epochs.push_back({uint32_t(block), uint32_t(epoch)});
      counted[now.blockBegan] = now.stamp.epoch;
    }
    Access access = {now.blockBegan, now.stamp.epoch, now.stamp.warpEpoch,
                     now.stamp.thread, below(storesOf) == 0};
    bool isRace = false;
    for (const Access &before : history)
      isRace |= races(before, access, count);
    history.push_back(access);
    Range &range = *memory.find(data);
    EXPECT_EQ(memory.record(range, data, 4, access.isStore, now).isRace, isRace)
        << "seed " << seed << ", access " << history.size();
    if (isRace)
      break;
  }
  return unsigned(history.size());
}

TEST(ShadowMemory, finds_the_first_race_of_any_history) {
  unsigned longest = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed)
    longest = std::max(longest, compare(seed));
  EXPECT_GT(longest, 10u);
}

TEST(ShadowMemory, ranges_are_the_union_of_buffers) {
  char data[64];
  ShadowMemory memory({{data + 32, 8, "c"},
                       {data, 16, "a"},
                       {data + 8, 16, "b"},
                       {data + 40, 0, "empty"}},
                      4);
  EXPECT_EQ(memory.find(data), memory.find(data + 23));
  EXPECT_EQ(memory.find(data)->name, "a/b");
  EXPECT_EQ(memory.find(data + 24), nullptr);
  EXPECT_EQ(memory.find(data + 39)->name, "c");
  EXPECT_EQ(memory.find(data + 40), nullptr);
}
