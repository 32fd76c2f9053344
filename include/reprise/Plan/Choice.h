//===- Choice.h - Reasons that bytes are in memory --------------*- C++ -*-===//
//
// The rule that chooses the reason to keep a value, for remarks and programs.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_CHOICE_H
#define REPRISE_PLAN_CHOICE_H

#include "reprise/Plan/Graph.h"
#include "reprise/ProgramTerms.h"

namespace reprise::plan {

/// Returns, by ValueId, true if the value is read later: an op after the
/// forward pass reads its storage.
std::vector<bool> findReadLater(const Graph &graph);

/// Converts milliseconds from costOf to whole picoseconds.
uint64_t wholePicoseconds(double milliseconds);

/// The picoseconds that bytes are worth at a price: the most picoseconds that
/// one more MiB of budget saves; rounded down.
inline uint64_t worthOf(uint64_t bytes, uint64_t picosecondsPerMiB) {
  return static_cast<uint64_t>(
      static_cast<unsigned __int128>(bytes) * picosecondsPerMiB >> 20);
}

/// The facts that decide whether a value is kept.
struct Bargain {
  bool runsOnce = false, isAsked = false;
  uint64_t picoseconds = 0; // to recompute it once
  uint64_t bytes = 0;
  uint64_t picosecondsPerMiB = 0; // 0: the budget does not require less memory
};

/// The first applicable reason for keeping a value.
inline Reason whyKept(const Bargain &bargain) {
  if (bargain.runsOnce)
    return Reason::RunsOnce;
  if (bargain.isAsked)
    return Reason::Asked;
  if (bargain.picosecondsPerMiB == 0)
    return Reason::Free;
  return bargain.picoseconds > worthOf(bargain.bytes, bargain.picosecondsPerMiB)
             ? Reason::Dear
             : Reason::SourceGone;
}

} // namespace reprise::plan

#endif // REPRISE_PLAN_CHOICE_H
