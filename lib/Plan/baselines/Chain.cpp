//===- Chain.cpp - A step as a chain of stages ----------------------------===//
//
// Input:   a graph, an order, and the cuts of its forward pass.
// Output:  stages in order.
// Method:  the backward pass is walked in order. Reading a value from inside a
//          stage advances to that stage; reading a value that crosses a cut
//          advances to the stage after it. The walk never returns: an op that
//          reads a later stage's values stays at its place, and obtains them by
//          recomputation if needed.
// Cost:    linear in the uses.
//
//===----------------------------------------------------------------------===//
#include "Chain.h"

#include <algorithm>

namespace reprise::plan {

static void thinCuts(std::vector<Cut> &cuts, uint32_t most) {
  if (cuts.size() <= most)
    return;
  std::vector<Cut> thinned;
  for (uint32_t i = 0; i < most; ++i)
    thinned.push_back(cuts[uint64_t(i + 1) * cuts.size() / (most + 1)]);
  cuts = std::move(thinned);
}

/// By root: the earliest stage that the backward pass may have reached when it
/// reads the storage; kNone if the storage does not determine one.
static std::vector<uint32_t> findReachedStage(const DemandTables &tables,
                                              const Chain &chain) {
  std::vector<uint32_t> reached(tables.graph.values.size(), kNone);
  for (uint32_t stage = 0; stage < chain.stages.size(); ++stage) {
    const Stage &at = chain.stages[stage];
    for (uint32_t rank = at.firstForward; rank < at.endForward; ++rank)
      for (ValueId id : tables.graph.ops[tables.order[rank]].outputs)
        reached[tables.storages.rootOf[id]] = stage;
  }
  for (uint32_t stage = 0; stage < chain.cuts.size(); ++stage)
    for (ValueId id : chain.cuts[stage].crossing)
      reached[id] = std::max(reached[id], stage + 1);
  return reached;
}

Chain findChain(const DemandTables &tables, uint32_t maxStages) {
  Chain chain;
  chain.cuts = findCuts(tables);
  thinCuts(chain.cuts, std::max(1u, maxStages) - 1);
  uint32_t from = 0;
  for (const Cut &cut : chain.cuts) {
    chain.stages.push_back({from, cut.after + 1, 0, 0});
    from = cut.after + 1;
  }
  chain.stages.push_back({from, tables.forwardOps, 0, 0});
  std::vector<uint32_t> reached = findReachedStage(tables, chain);
  uint32_t stage = chain.stages.size() - 1;
  chain.stages[stage].firstBackward = tables.forwardOps;
  for (uint32_t rank = tables.forwardOps; rank < tables.order.size(); ++rank) {
    uint32_t to = stage;
    for (ValueId input : tables.graph.ops[tables.order[rank]].inputs)
      to = std::min(to, reached[tables.storages.rootOf[input]]);
    for (; stage > to; --stage)
      chain.stages[stage].endBackward = chain.stages[stage - 1].firstBackward =
          rank;
  }
  for (;; --stage) {
    chain.stages[stage].endBackward = tables.order.size();
    if (stage == 0)
      break;
    chain.stages[stage - 1].firstBackward = tables.order.size();
  }
  return chain;
}

void ChainRunner::forward(uint32_t stage, const std::vector<ValueId> &inner) {
  const Stage &at = chain.stages[stage];
  bool isFirst = at.firstForward < at.endForward &&
                 !runner.hasRun(tables.order[at.firstForward]);
  if (isFirst) {
    for (uint32_t rank = at.firstForward; rank < at.endForward; ++rank)
      runner.runFirst(tables.order[rank]);
    return;
  }
  if (stage < chain.cuts.size())
    runner.require(chain.cuts[stage].crossing);
  runner.require(inner);
}

void ChainRunner::forgetInner(uint32_t stage, const std::vector<bool> &kept) {
  const Stage &at = chain.stages[stage];
  std::vector<ValueId> none;
  const std::vector<ValueId> &crossing =
      stage < chain.cuts.size() ? chain.cuts[stage].crossing : none;
  for (uint32_t rank = at.firstForward; rank < at.endForward; ++rank)
    for (ValueId id : tables.graph.ops[tables.order[rank]].outputs) {
      ValueId root = tables.storages.rootOf[id];
      bool crosses =
          std::find(crossing.begin(), crossing.end(), root) != crossing.end();
      if (!crosses && (kept.empty() || !kept[root]))
        runner.forget(root);
    }
}

void ChainRunner::forgetCut(uint32_t stage) {
  for (ValueId root : chain.cuts[stage].crossing)
    runner.forget(root);
}

void ChainRunner::backward(uint32_t stage) {
  const Stage &at = chain.stages[stage];
  for (uint32_t rank = at.firstBackward; rank < at.endBackward; ++rank)
    runner.runFirst(tables.order[rank]);
}

} // namespace reprise::plan
