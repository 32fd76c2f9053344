//===- FilterBlocks.cpp - From blocks of a filter to its rows -------------===//
//
// A block is transposed by four exchanges of lanes between pairs of rows.
//
//===----------------------------------------------------------------------===//
#include "FilterBlocks.h"
#include "InstructionSets.h"
#include "Team.h"

#include <algorithm>
#include <cstring>

#define REPRISE_LOOPS "FilterBlocksLoops.h"
#include "EachInstructionSet.h"

namespace reprise::rt {

static void unpackGroup(const float *blocks, float *rows, int64_t window,
                        int64_t inputs) {
  REPRISE_DISPATCH(unpackGroup, blocks, rows, window, inputs);
}

unsigned FilterBlocks::members(unsigned threads) const {
  // Below this size, waking the other threads costs more than they save.
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
              run(begin, end, scratch + member * groupElements());
            });
}

} // namespace reprise::rt
