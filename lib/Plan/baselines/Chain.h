//===- Chain.h - A step as a chain of stages --------------------*- C++ -*-===//
//
// Stage i holds the ops of the forward pass between cuts i-1 and i, and the
// part of the backward pass that reads their results.
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
  std::vector<Cut> cuts; // after every stage except the last
};

/// Returns at most `maxStages` stages; if there are more, merges neighbours.
Chain findChain(const DemandTables &tables, uint32_t maxStages);

/// Writes the executions of a chain's schedule.
class ChainRunner {
public:
  ChainRunner(const DemandTables &tables, const Chain &chain,
              OnDemandRunner &runner)
      : tables(tables), chain(chain), runner(runner) {}

  /// Runs a stage's forward part: all of it the first time, afterwards only the
  /// ops that compute `inner` and the values that cross to the next stage.
  void forward(uint32_t stage, const std::vector<ValueId> &inner);
  /// Forgets the stage's results, except those that cross to the next stage and
  /// storages marked in `kept` (by root; empty: none).
  void forgetInner(uint32_t stage, const std::vector<bool> &kept = {});
  /// Forgets the values that cross the cut after a stage.
  void forgetCut(uint32_t stage);
  void backward(uint32_t stage);

private:
  const DemandTables &tables;
  const Chain &chain;
  OnDemandRunner &runner;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_CHAIN_H
