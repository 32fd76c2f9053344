//===- ShadowMemory.h - Who touched which byte, and when --------*- C++ -*-===//
//
// Time is counted in meetings: an epoch ends with every barrier of a block, a
// warp's epoch with every barrier of the warp. Two accesses of a block are in
// order if their epochs differ, or if they are of one warp and its epochs
// differ, or of one thread; accesses of two blocks are if the first counted
// itself behind a barrier and the second, by the same counter, found that.
//
// A cell remembers the last writer, and of its readers the last one and how far
// the others were from it, which is all that a later writer must know:
//
//   readers since the last order         spread     a writer is in order if
//   t                                    Thread     t is before it
//   lanes of one warp, one warp epoch    Lanes      the warp met since
//   several warps, one epoch             Warps      the block met since
//   several blocks                       Blocks     never
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_SHADOWMEMORY_H
#define REPRISE_TEST_GPU_SHADOWMEMORY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reprise::gpu_test {

enum Spread : unsigned { Thread = 0, Lanes = 1, Warps = 2, Blocks = 3 };

/// An access, or several; epoch 0 is before the launch.
struct Stamp {
  uint64_t epoch : 32;
  uint64_t warpEpoch : 20;
  uint64_t thread : 10;
  uint64_t spread : 2;
};

/// Epochs of other blocks that a block knows to be over.
struct Acquired {
  /// Each from a first one to before another.
  std::vector<std::pair<uint32_t, uint32_t>> epochs;
  /// Who found that, and when: other threads know it behind a barrier.
  unsigned thread = 0;
  uint32_t epoch = 0;

  bool orders(Stamp before, Stamp now) const;
};

/// The time of an access, and the epoch that its block began with.
struct Moment {
  Stamp stamp;
  uint32_t blockBegan;
  const Acquired *acquired;
};

struct Cell {
  Stamp writer, reader;
};

/// Bytes of one or several overlapping buffers, in cells of some bytes each.
struct Range {
  char *begin = nullptr, *end = nullptr;
  std::string name;
  bool isShared = false;
  /// What the code says that it begins at multiples of; 0: it says nothing.
  size_t alignment = 0;
  std::vector<Cell> cells;
};

/// Bytes that a launch knows.
struct MemoryBlock {
  char *data = nullptr;
  size_t bytes = 0;
  std::string name;
  bool isInitialized = true;
  bool isShared = false;
  size_t alignment = 0; // as of Range
};

class ShadowMemory {
public:
  /// No aligned access may be smaller than a cell, a power of two.
  ShadowMemory(std::vector<MemoryBlock> blocks, unsigned cellBytes);

  /// The range that holds an address, or null.
  Range *find(const char *at);

  /// Takes what a block left in shared memory away: nothing is written, and the
  /// bytes are not a number in any floating-point type.
  void forgetShared();

  /// What an access within `range` did wrong.
  struct Finding {
    bool isRace = false;
    /// The other access of the race.
    Stamp other = {};
    bool isUnwritten = false;
  };
  Finding record(Range &range, const char *at, unsigned bytes, bool isStore,
                 const Moment &now);

private:
  void fill(const MemoryBlock &block, Stamp writer);

  unsigned cellShift = 0;
  /// By address, disjoint.
  std::vector<Range> ranges;
};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_SHADOWMEMORY_H
