//===- StepGraph.h - A program's step as a planner's graph ------*- C++ -*-===//
//
// Built only from the steps of a program, so that questions about alternatives
// to a plan have the same answer for a program just compiled and for one from a
// file. A step that recomputes another one is an execution of the same op; a
// buffer holds a new value from each step that writes it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PROGRAM_STEPGRAPH_H
#define REPRISE_PROGRAM_STEPGRAPH_H

#include "reprise/Plan/Recompute.h"
#include "reprise/Program/ProgramFacts.h"

namespace reprise::driver {

struct StepGraph {
  plan::Graph graph;
  plan::Executions executions;     // by step
  std::vector<uint32_t> firstStep; // by OpId
  /// The entry's buffer of each value that a step writes, by step; plan::kNone
  /// for one of the program's buffers.
  std::vector<std::vector<uint32_t>> written;
  std::vector<uint32_t> inputBuffers; // by ValueId; plan::kNone: not an input
};

/// `fixedBuffers` is the number of the program's buffers, which come first.
/// Fails if the steps are not a schedule of any graph. A file may claim that a
/// step repeats one that computes something else: runs do not depend on this,
/// so the loader does not check it.
rt::Expected<StepGraph> buildStepGraph(const EntryFacts &entry,
                                       size_t fixedBuffers);

} // namespace reprise::driver

#endif // REPRISE_PROGRAM_STEPGRAPH_H
