//===- FilterBlocks.cpp - From blocks of a filter to its rows -------------===//
//
// A block is transposed by four exchanges of lanes between pairs of rows.
//
//===----------------------------------------------------------------------===//
#include "FilterBlocks.h"
#include "Clones.h"
#include "Team.h"
#include "reprise/Fault.h"

#include <algorithm>
#include <cstring>

namespace reprise::rt {

namespace {
using Floats =
    float __attribute__((vector_size(sizeof(float) * FilterBlocks::kBlock)));
} // namespace

/// Rows i and i + 8 of `from`, lane by lane in turn, as rows 2i and 2i + 1: of
/// the numbers of row and lane together, the first bit becomes the last.
static REPRISE_INLINE void exchange(const Floats *from, Floats *to) {
  constexpr int64_t half = FilterBlocks::kBlock / 2;
  for (int64_t i = 0; i < half; ++i) {
    const Floats &a = from[i], &b = from[i + half];
    to[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                        5, 21, 6, 22, 7, 23);
    to[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27,
                                            12, 28, 13, 29, 14, 30, 15, 31);
  }
}

/// The element at (i, j) of `block`, row-major, goes to rows[j * stride + i].
static REPRISE_INLINE void transposeBlock(const float *block, float *rows,
                                          int64_t stride) {
  constexpr int64_t n = FilterBlocks::kBlock;
  Floats x[n], y[n];
  std::memcpy(x, block, sizeof x);
  // Four bits number a row, and four a lane.
  exchange(x, y);
  exchange(y, x);
  exchange(x, y);
  exchange(y, x);
  for (int64_t j = 0; j < n; ++j)
    std::memcpy(rows + j * stride, &x[j], sizeof x[j]);
}

/// A group's blocks, (I/16,window,16,16), as 16 rows (window,I).
REPRISE_CLONES static void unpackGroup(const float *blocks, float *rows,
                                       int64_t window, int64_t inputs) {
  constexpr int64_t n = FilterBlocks::kBlock;
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
