//===- FilterBlocks.cpp - From blocks of a filter to its rows -------------===//
//
// A block is transposed by four exchanges of lanes between pairs of rows.
//
//===----------------------------------------------------------------------===//
#include "FilterBlocks.h"
#include "Lanes.h"
#include "Team.h"
#include "reprise/Fault.h"

#include <algorithm>
#include <cstring>

namespace reprise::rt {

/// A group's blocks, (I/16,window,16,16), as 16 rows (window,I).
REPRISE_CLONES static void unpackGroup(const float *blocks, float *rows,
                                       int64_t window, int64_t inputs) {
  constexpr int64_t n = FilterBlocks::kBlock;
  static_assert(n == kLanes);
  for (int64_t position = 0; position < window; ++position)
    for (int64_t input = 0; input < inputs; input += n)
      transposeBlock(blocks + (input / n * window + position) * n * n,
                     rows + position * inputs + input, window * inputs);
}

unsigned FilterBlocks::members(unsigned threads) const {
  // Below this, waking the other threads costs more than they save.
  constexpr int64_t kInlineElements = 16 << 10;
  if (outputs * window * inputs <= kInlineElements)
    return 1;
  return unsigned(std::min<int64_t>(threads, groups()));
}

void FilterBlocks::run(int64_t begin, int64_t end, float *copy) const {
  for (int64_t group = begin; group < end; ++group) {
    float *here = filter + group * groupElements();
    std::memcpy(copy, here, size_t(groupElements()) * sizeof(float));
    unpackGroup(copy, here, window, inputs);
  }
}

void FilterBlocks::run(Team &team) const {
  runShares(team, groups(), members(team.size()),
            [&](int64_t begin, int64_t end, unsigned member) {
              REPRISE_FAULT("filter-groups-left-out", ++begin);
              run(begin, end, scratch + member * groupElements());
            });
}

} // namespace reprise::rt
