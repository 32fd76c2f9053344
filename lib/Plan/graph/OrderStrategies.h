//===- OrderStrategies.h - Candidate orders of a graph ----------*- C++ -*-===//
//
// Every strategy returns a valid permutation of the ops; ties go to program
// order. They don't promise a low peak: chooseOrder simulates them all.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_ORDERSTRATEGIES_H
#define REPRISE_LIB_PLAN_ORDERSTRATEGIES_H

#include "Dependences.h"
#include "Storage.h"
#include "reprise/Plan/Schedule.h"

namespace reprise::plan {

/// The input of a strategy.
struct OrderProblem {
  const Graph &graph;
  Storages storages;
  Dependences dependences;
};

enum class ListDirection {
  Forward, // builds the order from its start: frees as early as possible
  Backward // builds it from its end: defines as late as possible
};

/// The rule that chooses among ready ops. The gain of an op is the bytes it
/// frees minus the bytes it defines in the direction of the walk.
enum class ListRule {
  LargestGain, // by gain; ties by rank in the base order
  GainFirst,   // ops with a gain jump the queue; the rest by rank
  NoLossFirst  // as GainFirst, for ops without a loss
};

/// List scheduling around `base`, in O(E log V).
std::vector<OpId> listSchedule(const OrderProblem &problem,
                               const std::vector<OpId> &base,
                               ListDirection direction, ListRule rule);

enum class OperandOrder {
  AsListed,   // plain post-order
  LargestNeed // the operand whose subtree needs most runs first
};

/// Post-order walk from the ops without dependents (Sethi and Ullman 1970 on
/// trees; a heuristic on graphs), in O(E log E).
std::vector<OpId> depthFirst(const OrderProblem &problem,
                             OperandOrder operands);

/// Returns `order` with every op that takes no bytes, such as an update of a
/// variable, moved to where its last operand is computed. No other op has more
/// live bytes around it than before, and none of the moved ones more than the
/// op before it.
std::vector<OpId> moveFreeOpsEarly(const OrderProblem &problem,
                                   const std::vector<OpId> &order);

/// Hill climbing from a valid order: moves buffers that are live at the peak
/// after or before it. Returns an order with at most the max-live of `start`.
std::vector<OpId> movePeakBuffers(const OrderProblem &problem,
                                  std::vector<OpId> start);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_ORDERSTRATEGIES_H
