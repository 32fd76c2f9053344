//===- OnDemand.h - Executions that rebuild forgotten storages --*- C++ -*-===//
//
// A writer of executions: it runs ops for the first time, forgets storages on
// request, and executes again whatever a reader misses, right before it. Rules
// for forgetting (segments, Revolve, rotor) are scripts over it.
//
//   forget x      a b c | d        d reads b's result, computed from x by a
//                 a b c | a' b' d  both are gone: rerun in their order
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_ONDEMAND_H
#define REPRISE_LIB_PLAN_ONDEMAND_H

#include "../graph/Storage.h"
#include "reprise/Plan/Recompute.h"

#include <functional>

namespace reprise::plan {

/// The runner's tables; one for a graph and an order.
struct DemandTables {
  DemandTables(const Graph &graph, const std::vector<OpId> &order);

  const Graph &graph;
  const std::vector<OpId> &order;
  Storages storages;
  std::vector<uint32_t> rankOf; // by op, in `order`
  std::vector<std::vector<ValueId>>
      needs; // by op: operands that ops compute, distinct
  std::vector<std::vector<OpId>> changers; // by op: overwrite its operands
  std::vector<std::vector<ValueId>>
      members; // by root: values in it that ops compute
  /// By root: can be recomputed. False for inputs, fixed values, outputs of the
  /// step and results of ops that run once.
  std::vector<bool> canRebuild;
  uint32_t forwardOps = 0; // ops of `order` before the first of backward

  /// Returns the value whose op must have run for `value` to exist.
  ValueId madeValue(ValueId value) const;
};

class OnDemandRunner {
public:
  OnDemandRunner(const DemandTables &tables, const std::vector<bool> &pinned);

  /// Runs `op` for the first time, after the values it misses.
  void runFirst(OpId op);
  bool hasRun(OpId op) const { return ran[op]; }
  /// Makes the values available, by executing ops again where needed.
  void require(const std::vector<ValueId> &values);
  /// Forgets the storage; does nothing if it can't be rebuilt.
  void forget(ValueId root);

private:
  friend Executions runScript(const DemandTables &,
                              const std::function<void(OnDemandRunner &)> &);
  bool isLate(OpId op) const;
  void runAgain(OpId op);

  const DemandTables &tables;
  const std::vector<bool> &pinned; // by root: forget() leaves it
  std::vector<bool> available;     // by value
  std::vector<bool> ran;           // by op
  std::vector<bool> marked;        // by op, while gathering
  std::vector<ValueId> missed;     // roots that only a late op could rebuild
  Executions executions;
};

/// Runs the script, again with more storages pinned if it needed an op whose
/// operand had been overwritten; removes executions without readers.
Executions runScript(const DemandTables &tables,
                     const std::function<void(OnDemandRunner &)> &script);

/// The same as recomputeOnDemand, for many choices on one graph.
Executions recomputeOnDemand(const DemandTables &tables,
                             const std::vector<bool> &kept);

/// Returns a solution with cost and peak filled in; without executions if they
/// don't fit in the budget.
Solution makeSolution(const Graph &graph, Executions executions,
                      uint64_t budgetBytes, const std::string &solver);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_ONDEMAND_H
