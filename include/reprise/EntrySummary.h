//===- EntrySummary.h - An entry's memory and work in numbers ---*- C++ -*-===//
//
// The figures of one entry of a program, for the compiler's notes and for the
// readers of artifacts. Depends on the C++ standard library only, so that every
// layer may include it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ENTRYSUMMARY_H
#define REPRISE_ENTRYSUMMARY_H

#include <cstdint>
#include <string>

namespace reprise {

/// Numbers are bytes unless a name states another unit.
struct EntrySummary {
  std::string name;
  uint64_t fixed = 0; // variables and constants
  uint64_t kept = 0;  // live right after the forward pass, without fixed
  uint64_t peak = 0;  // includes fixed, as max-live does
  uint64_t maxLive = 0;
  uint64_t baseFlops = 0, recomputedFlops = 0;
  /// Forward attentions that run by tiles, and the bytes of their scores, which
  /// are not stored.
  uint64_t tiled = 0, unstored = 0;

  /// The placed height divided by the largest sum of live bytes; 1 is the best.
  double placementRatio() const {
    return maxLive == fixed ? 1 : ratio(peak - fixed, maxLive - fixed);
  }
  /// The recomputed arithmetic divided by the base arithmetic.
  double recomputedShare() const { return ratio(recomputedFlops, baseFlops); }

private:
  static double ratio(uint64_t part, uint64_t whole) {
    return whole ? double(part) / double(whole) : 0;
  }
};

} // namespace reprise

#endif // REPRISE_ENTRYSUMMARY_H
