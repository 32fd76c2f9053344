//===- Choice.h - Why bytes are in memory -----------------------*- C++ -*-===//
//
// The words in which plans are explained, each defined once: by remarks, in
// programs, and by whoever reads these.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_CHOICE_H
#define REPRISE_PLAN_CHOICE_H

#include "reprise/Plan/Graph.h"

namespace reprise::plan {

/// By ValueId: whether an op behind the forward pass reads the value's storage.
std::vector<bool> findResiduals(const Graph &graph);

/// The number of whole picoseconds that milliseconds of costOf are.
uint64_t wholePicoseconds(double milliseconds);

/// Why bytes are in memory. What outlives the forward pass because something
/// behind it reads it is kept, for one of the last five reasons. The numbers
/// are those of runtime/schemas/program.fbs.
enum class Reason : uint8_t {
  Unknown,   // nothing is said of it
  Input,     // of the step, in memory from its start
  Result,    // of the step, in memory to its end
  Workspace, // of one step
  Passing,   // its readers come soon
  Again,     // it was computed again
  RunsOnce,  // kept: its op changes state
  Asked,     // kept: the user asked for that
  Free,      // kept: nothing asks for less memory
  Dear,      // kept: its op takes more time than the bytes are worth
  SourceGone // kept: what it would be computed from is not there any more
};
constexpr unsigned kReasons = 11;

/// Picoseconds that bytes are worth at a price, in picoseconds that one more
/// MiB of budget saves at most; rounded down.
inline uint64_t worthOf(uint64_t bytes, uint64_t picosecondsPerMiB) {
  return static_cast<uint64_t>(
      static_cast<unsigned __int128>(bytes) * picosecondsPerMiB >> 20);
}

/// What is decided by when a value is kept.
struct Bargain {
  bool runsOnce = false, isAsked = false;
  uint64_t picoseconds = 0; // to compute it once more
  uint64_t bytes = 0;
  uint64_t picosecondsPerMiB = 0; // 0: nothing asks for less memory
};

/// The first that holds of the reasons for keeping a value.
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
