//===- MemoryScan.cpp - Plain passes over arrays of steps -----------------===//
//
// Input:   bytes by step.
// Output:  see MemoryScan.h.
// Method:  loops without branches that compilers turn into vectors.
// Cost:    linear, some steps a cycle.
//
//===----------------------------------------------------------------------===//
#include "MemoryScan.h"

#include <algorithm>

// A sanitizer may not be ready when the loader chooses a version.
#if defined(__x86_64__) && defined(__ELF__) &&                                 \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define REPRISE_VECTORS                                                        \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define REPRISE_VECTORS
#endif

namespace reprise::plan {

static constexpr uint32_t kBlock = 64, kGroup = kBlock * kBlock; // steps

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
struct Summary {
  int64_t sum, least, peak;
};
} // namespace

REPRISE_VECTORS
static Summary sumUp(const int64_t *memory, uint32_t count, int64_t budget) {
  int64_t sum = 0, least = INT64_MAX, peak = 0;
  for (uint32_t at = 0; at < count; ++at) {
    sum += std::max<int64_t>(0, memory[at] - budget);
    least = std::min(least, memory[at]);
    peak = std::max(peak, memory[at]);
  }
  return {sum, least, peak};
}

REPRISE_VECTORS
void addToSteps(int64_t *memory, uint32_t count, int64_t bytes) {
  for (uint32_t at = 0; at < count; ++at)
    memory[at] += bytes;
}

REPRISE_VECTORS
static bool isAnyAbove(const int64_t *memory, uint32_t count, int64_t most) {
  int64_t highest = INT64_MIN;
  for (uint32_t at = 0; at < count; ++at)
    highest = std::max(highest, memory[at]);
  return highest > most;
}

REPRISE_VECTORS
void shiftFrom(uint32_t *numbers, uint32_t count, int32_t least, uint32_t by) {
  for (uint32_t at = 0; at < count; ++at)
    numbers[at] += static_cast<int32_t>(numbers[at]) >= least ? by : 0;
}

REPRISE_VECTORS
static int64_t excessChange(const int64_t *memory, uint32_t count,
                            int64_t budget, int64_t bytes) {
  int64_t sum = 0;
  for (uint32_t at = 0; at < count; ++at) {
    int64_t excess = memory[at] - budget;
    sum += std::max<int64_t>(0, excess + bytes) - std::max<int64_t>(0, excess);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Excess
//===----------------------------------------------------------------------===//

void Excess::update(const std::vector<int64_t> &memory, uint32_t from,
                    int64_t budget) {
  uint32_t steps = memory.size();
  blocks.resize((steps + kBlock - 1) / kBlock);
  ranges.resize(blocks.size());
  groups.resize((blocks.size() + kBlock - 1) / kBlock);
  for (uint32_t block = from / kBlock; block < blocks.size(); ++block) {
    const int64_t *first = memory.data() + block * kBlock;
    uint32_t count = std::min(kBlock, steps - block * kBlock);
    Summary found = sumUp(first, count, budget);
    uint64_t exceeds = 0;
    for (uint32_t at = 0; found.peak > budget && at < count; ++at)
      exceeds |= uint64_t(first[at] > budget) << at;
    blocks[block] = {exceeds, found.sum};
    ranges[block] = {found.least, found.peak};
  }
  for (uint32_t group = from / kGroup; group < groups.size(); ++group) {
    auto first = ranges.begin() + group * kBlock;
    auto last =
        ranges.begin() + std::min<size_t>(ranges.size(), (group + 1) * kBlock);
    groups[group] = *first;
    for (; first != last; ++first) {
      groups[group].least = std::min(groups[group].least, first->least);
      groups[group].peak = std::max(groups[group].peak, first->peak);
    }
  }
  total = highest = 0;
  exceeding.assign((blocks.size() + kBlock - 1) / kBlock, 0);
  for (uint32_t at = 0; at < blocks.size(); ++at) {
    const Block &block = blocks[at];
    total += block.sum;
    highest = std::max(highest, ranges[at].peak);
    exceeding[at / kBlock] |= uint64_t(block.exceeds != 0) << at % kBlock;
  }
}

/// Returns the mask of [from, to) within the 64 steps that begin at `first`.
static uint64_t maskOf(uint32_t first, uint32_t from, uint32_t to) {
  uint64_t bits = ~uint64_t(0);
  if (from > first)
    bits &= ~uint64_t(0) << (from - first);
  if (to < first + kBlock)
    bits &= ~(~uint64_t(0) << (to - first));
  return bits;
}

/// Returns a block's bits that are in [from, to).
uint64_t Excess::bitsOf(uint32_t block, uint32_t from, uint32_t to) const {
  return blocks[block].exceeds & maskOf(block * kBlock, from, to);
}

/// Returns true if a block of [from, to) has a step that exceeds.
bool Excess::isAnyBlock(uint32_t from, uint32_t to) const {
  for (uint32_t at = from / kBlock; from < to && at * kBlock < to; ++at)
    if (exceeding[at] & maskOf(at * kBlock, from, to))
      return true;
  return false;
}

bool Excess::isIn(uint32_t from, uint32_t to) const {
  if (from >= to)
    return false;
  uint32_t first = from / kBlock, last = (to - 1) / kBlock;
  return bitsOf(first, from, to) != 0 || bitsOf(last, from, to) != 0 ||
         isAnyBlock(first + 1, last);
}

uint32_t Excess::lastIn(uint32_t from, uint32_t to) const {
  for (uint32_t block = (to - 1) / kBlock;; --block)
    if (uint64_t bits = bitsOf(block, from, to))
      return block * kBlock + 63 - __builtin_clzll(bits);
}

bool Excess::isAbove(const std::vector<int64_t> &memory, uint32_t from,
                     uint32_t to, int64_t most) const {
  for (uint32_t block = from / kBlock; from < to; ++block) {
    uint32_t end = std::min(to, (block + 1) * kBlock);
    if (ranges[block].peak > most &&
        isAnyAbove(memory.data() + from, end - from, most))
      return true;
    from = end;
  }
  return false;
}

/// Returns true if each step with bytes in a range exceeds the budget, both as
/// it is and with `bytes` more.
static bool allExceed(int64_t least, int64_t budget, int64_t bytes) {
  return least >= budget - std::min<int64_t>(0, bytes);
}

/// Returns by how much the excess of steps [from, to) grows with `bytes` more
/// in each, by parts of `size` steps whose ranges are known. `within` computes
/// the growth of a part in which only some steps exceed the budget.
template <typename Range, typename Within>
static Wide changeOfParts(const std::vector<Range> &parts, uint32_t size,
                          uint32_t from, uint32_t to, int64_t budget,
                          int64_t bytes, Within within) {
  Wide sum = 0;
  // A part whose peak stays within the budget changes nothing.
  const int64_t most = budget - std::max<int64_t>(0, bytes);
  for (uint32_t part = from / size; from < to; ++part) {
    uint32_t end = std::min(to, (part + 1) * size);
    if (allExceed(parts[part].least, budget, bytes))
      sum += Wide(bytes) * (end - from);
    else if (parts[part].peak > most)
      sum += within(from, end);
    from = end;
  }
  return sum;
}

Wide Excess::changeInBlocks(const std::vector<int64_t> &memory, uint32_t from,
                            uint32_t to, int64_t budget, int64_t bytes) const {
  return changeOfParts(
      ranges, kBlock, from, to, budget, bytes, [&](uint32_t from, uint32_t to) {
        return excessChange(memory.data() + from, to - from, budget, bytes);
      });
}

Wide Excess::change(const std::vector<int64_t> &memory, uint32_t from,
                    uint32_t to, int64_t budget, int64_t bytes) const {
  return changeOfParts(groups, kGroup, from, to, budget, bytes,
                       [&](uint32_t from, uint32_t to) {
                         return changeInBlocks(memory, from, to, budget, bytes);
                       });
}

} // namespace reprise::plan
