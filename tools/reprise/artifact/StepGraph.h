//===- StepGraph.h - A program's step as the planner sees it ----*- C++ -*-===//
//
// From the steps of a program alone, so that whoever asks what a plan could
// have done otherwise gets one answer, whether the program was just made or lay
// in a file. A step that computes again what another one did is an execution of
// the same op; a buffer holds a new value from each step that writes it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_ARTIFACT_STEPGRAPH_H
#define REPRISE_TOOLS_ARTIFACT_STEPGRAPH_H

#include "ProgramFacts.h"
#include "reprise/Plan/Recompute.h"

namespace reprise::tools {

struct StepGraph {
  plan::Graph graph;
  plan::Executions executions;     // by step
  std::vector<uint32_t> firstStep; // by OpId
  /// By step: the entry's buffer of each value that it writes; plan::kNone: one
  /// of the program's.
  std::vector<std::vector<uint32_t>> written;
  std::vector<uint32_t> inputBuffers; // by ValueId; plan::kNone: no input
};

/// `fixedBuffers` is the number of the program's buffers, which come first.
/// Fails where the steps are no schedule of any graph, as a file may say that a
/// step repeats one that computes something else: what a run does depends on
/// nothing of this, so that the loader does not look.
rt::Expected<StepGraph> buildStepGraph(const EntryFacts &entry,
                                       size_t fixedBuffers);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_ARTIFACT_STEPGRAPH_H
