//===- MemoryScan.h - Plain passes over arrays of steps ---------*- C++ -*-===//
//
// Operations that edits of a sequence apply to every step: they take most of a
// search's time, so the compiler generates a version for each vector width.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_MEMORYSCAN_H
#define REPRISE_LIB_PLAN_MEMORYSCAN_H

#include "Wide.h"

#include <cstdint>
#include <vector>

namespace reprise::plan {

/// The bytes by which each step exceeds a budget. Results for blocks of steps
/// are cached, so that a change costs only the steps that follow it.
class Excess {
public:
  /// Recomputes the steps starting at `from`.
  void update(const std::vector<int64_t> &memory, uint32_t from,
              int64_t budget);

  Wide sum() const { return total; }
  int64_t peak() const { return highest; }
  /// Returns true if a step of [from, to) exceeds the budget.
  bool isIn(uint32_t from, uint32_t to) const;
  /// Returns the last step of [from, to) that does; one must.
  uint32_t lastIn(uint32_t from, uint32_t to) const;
  /// Returns true if a step of [from, to) has more than `most` bytes. `memory`
  /// and, in change(), `budget` must be those of the last update.
  bool isAbove(const std::vector<int64_t> &memory, uint32_t from, uint32_t to,
               int64_t most) const;
  /// Returns by how much the sum grows when each step of [from, to) has `bytes`
  /// more.
  Wide change(const std::vector<int64_t> &memory, uint32_t from, uint32_t to,
              int64_t budget, int64_t bytes) const;

private:
  /// A block of 64 steps, so that sums of at most 2^56 bytes each are below
  /// 2^63.
  struct Block {
    uint64_t exceeds; // a bit a step
    int64_t sum;
  };
  struct Range {
    int64_t least, peak; // bytes of a step
  };
  Wide changeInBlocks(const std::vector<int64_t> &memory, uint32_t from,
                      uint32_t to, int64_t budget, int64_t bytes) const;
  uint64_t bitsOf(uint32_t block, uint32_t from, uint32_t to) const;
  bool isAnyBlock(uint32_t from, uint32_t to) const;

  std::vector<Block> blocks;
  std::vector<Range> ranges;       // by block
  std::vector<Range> groups;       // by 64 blocks
  std::vector<uint64_t> exceeding; // a bit a block with a step that does
  Wide total = 0;
  int64_t highest = 0;
};

/// Adds `bytes` to each of `count` steps.
void addToSteps(int64_t *memory, uint32_t count, int64_t bytes);

/// Adds `by` to each of `count` numbers whose signed value is at least `least`.
void shiftFrom(uint32_t *numbers, uint32_t count, int32_t least, uint32_t by);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_MEMORYSCAN_H
