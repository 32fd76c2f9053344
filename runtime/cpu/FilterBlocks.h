//===- FilterBlocks.h - From blocks of a filter to its rows -----*- C++ -*-===//
//
// oneDNN's gradients of filters for AVX-512 come in blocks of 16 inputs by 16
// outputs. The blocks of 16 outputs are at the place of these outputs' rows, so
// each group of 16 is reordered in place, by a copy of that group alone.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_FILTERBLOCKS_H
#define REPRISE_RUNTIME_CPU_FILTERBLOCKS_H

#include <cstdint>

namespace reprise::rt {

class Team;

/// A filter of f32, first (O/16,I/16,KH*KW,16 inputs,16 outputs), then
/// (O,KH*KW,I). O and I are multiples of 16.
struct FilterBlocks {
  static constexpr int64_t kBlock = 16;
  int64_t outputs = 0, inputs = 0, window = 0;
  float *filter = nullptr;
  /// Room for one group per member of the team.
  float *scratch = nullptr;

  int64_t groups() const { return outputs / kBlock; }
  int64_t groupElements() const { return kBlock * window * inputs; }
  /// Returns the number of members, at most `threads`, that take part, each
  /// with its share of the groups.
  unsigned members(unsigned threads) const;
  uint64_t scratchBytes(unsigned threads) const {
    return members(threads) * uint64_t(groupElements()) * sizeof(float);
  }

  /// Reorders groups [begin, end) through `copy`, which has room for one.
  void run(int64_t begin, int64_t end, float *copy) const;
  void run(Team &team) const;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_FILTERBLOCKS_H
