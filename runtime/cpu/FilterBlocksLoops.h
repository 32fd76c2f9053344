//===- FilterBlocksLoops.h - Blocks of a filter -----------------*- C++ -*-===//
//
// Included once for each set of vector instructions (EachInstructionSet.h).
//
//===----------------------------------------------------------------------===//

namespace reprise::rt::REPRISE_VERSION {

#include "Lanes.h"

/// Reorders a group's blocks, (I/16,window,16,16), into 16 rows (window,I).
static void unpackGroup(const float *blocks, float *rows, int64_t window,
                        int64_t inputs) {
  constexpr int64_t n = FilterBlocks::kBlock;
  static_assert(n == kLanes);
  for (int64_t position = 0; position < window; ++position)
    for (int64_t input = 0; input < inputs; input += n)
      transposeBlock(blocks + (input / n * window + position) * n * n,
                     rows + position * inputs + input, window * inputs);
}

} // namespace reprise::rt::REPRISE_VERSION
