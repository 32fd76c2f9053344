//===- Scaling.h - The time of a step of several ranks ----------*- C++ -*-===//
//
// The modelled time of a step on each of R ranks. Collective calls run one
// after another, and beside the steps after them up to the first that waits for
// them (rt::collectiveWindows), as the runtime runs them. In one phase
// of a call each rank sends a part to every other rank, all at once, and
// receives as much: it takes the link's latency and the time of the bytes that
// a rank sends. A tensor of B bytes takes, with R ranks,
//
//   all_reduce      two phases of B (R - 1) / R bytes; one phase of
//                   B (R - 1) if rt::isSmallSum
//   reduce_scatter, all_gather, gather_shards   one phase of B (R - 1) / R
//   take_shard      none
//
// The first phase of a large sum is in pieces, each with the link's latency
// (rt::exchangesOfSum).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PROGRAM_SCALING_H
#define REPRISE_PROGRAM_SCALING_H

#include "reprise/Program/ProgramFacts.h"
#include "reprise/Runtime/Link.h"

namespace reprise::driver {

struct ScalingFacts {
  uint64_t calls = 0;     // collective ones, of a step
  uint64_t sent = 0;      // bytes, by each rank
  double computation = 0; // milliseconds
  double communication = 0;
  double waiting = 0; // the part of it beside which no step computes

  double milliseconds() const { return computation + waiting; }
  /// Returns the share of a step that computes.
  double efficiency() const {
    return milliseconds() > 0 ? computation / milliseconds() : 1;
  }
};

/// Returns the time of an entry whose step is that of one of `ranks` ranks.
ScalingFacts scalingOf(const EntryFacts &entry, unsigned ranks,
                       const rt::Link &link);

} // namespace reprise::driver

#endif // REPRISE_PROGRAM_SCALING_H
