//===- Choice.h - Reasons that bytes are in memory --------------*- C++ -*-===//
//
// The terms in which plans are explained, each defined once: for remarks, for
// programs, and for their readers.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_CHOICE_H
#define REPRISE_PLAN_CHOICE_H

#include "reprise/Plan/Graph.h"

namespace reprise::plan {

/// Returns, by ValueId, true if an op after the forward pass reads the value's
/// storage.
std::vector<bool> findResiduals(const Graph &graph);

/// Converts milliseconds from costOf to whole picoseconds.
uint64_t wholePicoseconds(double milliseconds);

/// The reason that bytes are in memory. A value that outlives the forward pass
/// because a later op reads it is kept, for one of the last five reasons. The
/// numbers are those of runtime/schemas/program.fbs.
enum class Reason : uint8_t {
  Unknown,   // no reason is recorded
  Input,     // an input of the step, in memory from its start
  Result,    // a result of the step, in memory to its end
  Workspace, // workspace of one op
  Passing,   // its readers come soon
  Again,     // it was recomputed
  RunsOnce,  // kept: its op changes state
  Asked,     // kept: the user requested it
  Free,      // kept: the budget does not require less memory
  Dear,      // kept: recomputing it takes more time than the bytes are worth
  SourceGone // kept: an operand to recompute it from is no longer live
};
constexpr unsigned kReasons = 11;

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
