//===- Chain.h - A step as a chain of stages --------------------*- C++ -*-===//
//
// Stage i holds the ops of the forward pass between cuts i-1 and i, and the
// part of the backward pass that reads what they made.
//
//   forward    stage 0 | cut 0 | stage 1 | cut 1 | stage 2
//   backward   stage 0         | stage 1         | stage 2
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_CHAIN_H
#define REPRISE_LIB_PLAN_CHAIN_H

#include "Segments.h"

namespace reprise::plan {

/// Ranks in the order, half open. The backward part of a stage comes after
/// that of the next stage.
struct Stage {
  uint32_t firstForward = 0, endForward = 0;
  uint32_t firstBackward = 0, endBackward = 0;
};

struct Chain {
  std::vector<Stage> stages;
  std::vector<Cut> cuts; // behind every stage but the last
};

/// At most `maxStages` stages; where there are more, neighbours are merged.
Chain findChain(const DemandTables &tables, uint32_t maxStages);

/// Writes the executions of a chain's schedule.
class ChainRunner {
public:
  ChainRunner(const DemandTables &tables, const Chain &chain,
              OnDemandRunner &runner)
      : tables(tables), chain(chain), runner(runner) {}

  /// Runs a stage's forward part: all of it the first time, then only what
  /// makes the values that cross to the next stage and `inner`.
  void forward(uint32_t stage, const std::vector<ValueId> &inner);
  /// Forgets what the stage made, except what crosses to the next one and
  /// storages marked in `kept` (by root; empty: none).
  void forgetInner(uint32_t stage, const std::vector<bool> &kept = {});
  /// Forgets what crosses the cut behind a stage.
  void forgetCut(uint32_t stage);
  void backward(uint32_t stage);

private:
  const DemandTables &tables;
  const Chain &chain;
  OnDemandRunner &runner;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_CHAIN_H
