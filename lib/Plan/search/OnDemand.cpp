//===- OnDemand.cpp - Executions that rebuild forgotten storages ----------===//
//
// Input:   a well-formed graph, a valid order, and the storages to forget at
//          each point.
// Output:  executions that pass checkExecutions, each with a reader.
// Method:  a flag a value: should its newest instance be available? A reader
//          that misses values collects their producers, and those of the values
//          they miss, and runs them in the graph's order. A view with an op is
//          missing whenever its base is. Lifetimes need no bookkeeping: an
//          instance lives to its last reader before the next execution.
// Cost:    linear in the uses of the executions, times the runs.
//
// An op that reads a fixed value can't be executed once that value was
// overwritten. If a script would need it, the storage is pinned and the script
// starts over; each run pins at least one more storage, so it ends.
//
//===----------------------------------------------------------------------===//
#include "OnDemand.h"

#include <algorithm>

namespace reprise::plan {

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

ValueId DemandTables::madeValue(ValueId value) const {
  while (graph.values[value].producer == kNone &&
         graph.values[value].viewOf != kNone)
    value = graph.values[value].viewOf;
  return value;
}

static std::vector<ValueId> findNeeds(const DemandTables &tables, OpId id) {
  const Op &op = tables.graph.ops[id];
  std::vector<ValueId> needs;
  auto add = [&](ValueId value) {
    value = tables.madeValue(value);
    OpId producer = tables.graph.values[value].producer;
    if (producer != kNone && producer != id)
      needs.push_back(value);
  };
  for (ValueId input : op.inputs)
    add(input);
  for (ValueId output : op.outputs)
    if (tables.graph.values[output].viewOf != kNone)
      add(tables.graph.values[output].viewOf);
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  return needs;
}

static std::vector<std::vector<OpId>> findChangers(const Graph &graph) {
  std::vector<std::vector<OpId>> changersOf(graph.values.size());
  for (OpId id = 0; id < graph.ops.size(); ++id)
    for (ValueId value : graph.ops[id].overwrites)
      changersOf[value].push_back(id);
  std::vector<std::vector<OpId>> result(graph.ops.size());
  for (OpId id = 0; id < graph.ops.size(); ++id)
    for (ValueId input : graph.ops[id].inputs)
      for (ValueId at = input; at != kNone; at = graph.values[at].viewOf)
        result[id].insert(result[id].end(), changersOf[at].begin(),
                          changersOf[at].end());
  return result;
}

DemandTables::DemandTables(const Graph &graph, const std::vector<OpId> &order)
    : graph(graph), order(order), storages(analyzeStorages(graph)),
      rankOf(graph.ops.size(), kNone), changers(findChangers(graph)),
      members(graph.values.size()), canRebuild(graph.values.size(), false) {
  for (uint32_t rank = 0; rank < order.size(); ++rank)
    rankOf[order[rank]] = rank;
  while (forwardOps < order.size() && !graph.ops[order[forwardOps]].backward)
    ++forwardOps;
  for (OpId id = 0; id < graph.ops.size(); ++id)
    needs.push_back(findNeeds(*this, id));
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].producer != kNone)
      members[storages.rootOf[id]].push_back(id);
  for (ValueId id = 0; id < graph.values.size(); ++id)
    canRebuild[id] = storages.rootOf[id] == id && storages.bytes[id] &&
                     graph.values[id].producer != kNone && !storages.toEnd[id];
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].producer != kNone &&
        graph.ops[graph.values[id].producer].runsOnce)
      canRebuild[storages.rootOf[id]] = false;
}

//===----------------------------------------------------------------------===//
// Runner
//===----------------------------------------------------------------------===//

OnDemandRunner::OnDemandRunner(const DemandTables &tables,
                               const std::vector<bool> &pinned)
    : tables(tables), pinned(pinned),
      available(tables.graph.values.size(), false),
      ran(tables.graph.ops.size(), false),
      marked(tables.graph.ops.size(), false) {}

void OnDemandRunner::runFirst(OpId op) {
  require(tables.needs[op]);
  executions.push_back(op);
  ran[op] = true;
  for (ValueId output : tables.graph.ops[op].outputs)
    available[output] = true;
}

/// Returns true if an operand of `op` has been overwritten.
bool OnDemandRunner::isLate(OpId op) const {
  for (OpId changer : tables.changers[op])
    if (ran[changer])
      return true;
  return false;
}

void OnDemandRunner::require(const std::vector<ValueId> &values) {
  std::vector<ValueId> work;
  for (ValueId value : values)
    work.push_back(tables.madeValue(value));
  std::vector<OpId> again;
  while (!work.empty()) {
    ValueId value = work.back();
    work.pop_back();
    OpId producer = tables.graph.values[value].producer;
    if (producer == kNone || available[value] || marked[producer])
      continue;
    if (isLate(producer)) {
      missed.push_back(tables.storages.rootOf[value]);
      available[value] = true;
      continue;
    }
    marked[producer] = true;
    again.push_back(producer);
    work.insert(work.end(), tables.needs[producer].begin(),
                tables.needs[producer].end());
  }
  std::sort(again.begin(), again.end(), [&](OpId a, OpId b) {
    return tables.rankOf[a] < tables.rankOf[b];
  });
  for (OpId op : again)
    runAgain(op);
}

void OnDemandRunner::runAgain(OpId op) {
  marked[op] = false;
  executions.push_back(op);
  for (ValueId output : tables.graph.ops[op].outputs) {
    // A new base needs its views to be recomputed, unless they can't be: they
    // then stay with the old one.
    if (tables.canRebuild[output] && !pinned[output])
      for (ValueId member : tables.members[output])
        available[member] = false;
  }
  for (ValueId output : tables.graph.ops[op].outputs)
    available[output] = true;
}

void OnDemandRunner::forget(ValueId root) {
  if (tables.canRebuild[root] && !pinned[root])
    for (ValueId member : tables.members[root])
      available[member] = false;
}

//===----------------------------------------------------------------------===//
// Scripts
//===----------------------------------------------------------------------===//

/// Removes repeated executions of which no result is read before the next one
/// of the same op.
static Executions removeUnread(const DemandTables &tables,
                               const Executions &executions) {
  std::vector<uint32_t> times(tables.graph.ops.size(), 0);
  for (OpId op : executions)
    ++times[op];
  std::vector<bool> pending(tables.graph.values.size(), false);
  Executions kept;
  for (size_t i = executions.size(); i-- > 0;) {
    OpId op = executions[i];
    bool isRead = false;
    for (ValueId output : tables.graph.ops[op].outputs)
      isRead = isRead || pending[output];
    if (times[op]-- > 1 && !isRead)
      continue;
    kept.push_back(op);
    for (ValueId output : tables.graph.ops[op].outputs)
      pending[output] = false;
    for (ValueId need : tables.needs[op])
      pending[need] = true;
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

Executions runScript(const DemandTables &tables,
                     const std::function<void(OnDemandRunner &)> &script) {
  std::vector<bool> pinned(tables.graph.values.size(), false);
  for (;;) {
    OnDemandRunner runner(tables, pinned);
    script(runner);
    if (runner.missed.empty())
      return removeUnread(tables, runner.executions);
    for (ValueId root : runner.missed)
      pinned[root] = true;
  }
}

Executions recomputeOnDemand(const DemandTables &tables,
                             const std::vector<bool> &kept) {
  const std::vector<ValueId> &rootOf = tables.storages.rootOf;
  std::vector<bool> keptStorage(kept.size(), false);
  for (ValueId id = 0; id < kept.size(); ++id)
    if (kept[id])
      keptStorage[rootOf[id]] = true;
  return runScript(tables, [&](OnDemandRunner &runner) {
    for (uint32_t rank = 0; rank < tables.order.size(); ++rank) {
      if (rank == tables.forwardOps)
        for (uint32_t past = 0; past < rank; ++past)
          for (ValueId id : tables.graph.ops[tables.order[past]].outputs)
            if (!keptStorage[rootOf[id]])
              runner.forget(rootOf[id]);
      runner.runFirst(tables.order[rank]);
    }
  });
}

Executions recomputeOnDemand(const Graph &graph, const std::vector<OpId> &order,
                             const std::vector<bool> &kept) {
  return recomputeOnDemand(DemandTables(graph, order), kept);
}

Solution makeSolution(const Graph &graph, Executions executions,
                      uint64_t budgetBytes, const std::string &solver) {
  Solution solution;
  solution.solver = solver;
  solution.maxLive = maxLiveOf(graph, executions);
  if (solution.maxLive > budgetBytes)
    return {{}, 0, 0, solver};
  solution.milliseconds = costOf(graph, executions);
  solution.executions = std::move(executions);
  return solution;
}

} // namespace reprise::plan
