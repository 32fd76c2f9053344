//===- Simulator.cpp - Memory of a sequence of executions -----------------===//
//
// Input:   a sequence with every op's first execution in the order of ranks.
// Output:  memory by step, as computeLiveness on the unrolled graph counts it.
// Method:  one scan from the end that tracks which storages a later step needs.
//          A clone whose outputs are not needed is removed.
// Cost:    linear in the uses: some microseconds for a thousand ops.
//
//===----------------------------------------------------------------------===//
#include "Simulator.h"

#include <algorithm>

namespace reprise::plan {

Sequence plainSequence(const CompactGraph &graph) {
  Sequence sequence;
  for (Rank op = 0; op < graph.opCount(); ++op)
    sequence.push_back({op, false, op});
  return sequence;
}

Executions executionsOf(const Graph &graph, const CompactGraph &compact,
                        const Sequence &sequence) {
  struct Step {
    OpId op;
    bool isView;
  };
  std::vector<Step> all;
  Rank next = 0; // first execution
  for (const Execution &step : sequence) {
    all.push_back({compact.opOf[step.op], false});
    if (!step.isClone)
      next = step.op + 1;
    for (auto *view = compact.views.begin(step.op);
         view != compact.views.end(step.op); ++view) {
      if (step.isClone && *view < next)
        all.push_back({compact.opOf[*view], true});
    }
  }
  // From the end: a view without a reader before the next one is removed.
  std::vector<bool> isNeeded;
  for (const Value &value : graph.values)
    isNeeded.push_back(value.storage == StorageClass::Output);
  Executions executions;
  for (size_t at = all.size(); at-- > 0;) {
    const Op &op = graph.ops[all[at].op];
    if (all[at].isView &&
        std::none_of(op.outputs.begin(), op.outputs.end(),
                     [&](ValueId id) { return isNeeded[id]; }))
      continue;
    executions.push_back(all[at].op);
    for (ValueId output : op.outputs)
      isNeeded[output] = false;
    for (ValueId input : op.inputs)
      for (ValueId id = input; id != kNone;) {
        isNeeded[id] = true;
        bool isMade = graph.values[id].producer != kNone;
        id = isMade ? kNone : graph.values[id].viewOf;
      }
  }
  std::reverse(executions.begin(), executions.end());
  return executions;
}

std::vector<OpId> firstExecutions(const Graph &graph,
                                  const Executions &executions) {
  std::vector<bool> seen(graph.ops.size(), false);
  std::vector<OpId> order;
  for (OpId op : executions)
    if (!seen[op]) {
      seen[op] = true;
      order.push_back(op);
    }
  return order;
}

Sequence sequenceOf(const CompactGraph &compact, const Executions &executions) {
  std::vector<Rank> rankOf(compact.opCount());
  std::vector<bool> isView(compact.opCount(), false);
  for (Rank rank = 0; rank < compact.opCount(); ++rank) {
    rankOf[compact.opOf[rank]] = rank;
    for (auto *view = compact.views.begin(rank);
         view != compact.views.end(rank); ++view)
      isView[*view] = true;
  }
  Sequence sequence;
  std::vector<bool> seen(compact.opCount(), false);
  for (OpId op : executions) {
    Rank rank = rankOf[op];
    bool isClone = seen[rank];
    seen[rank] = true;
    if (!isClone || !isView[rank])
      sequence.push_back({rank, isClone, 0});
  }
  return sequence;
}

/// Returns the bytes while `step` runs; updates `live` from the storages needed
/// after it to those needed before it.
int64_t Simulator::run(const Execution &step, int64_t &live) {
  int64_t during = live;
  during += graph.workspace[step.op];
  for (StorageId output : graph.outputsOf(step.op))
    if (!isPending[output])
      during += graph.bytes[output];
  for (StorageId input : graph.inputsOf(step.op))
    if (!isPending[input])
      during += graph.bytes[input];
  if (graph.inPlace.size(step.op)) {
    taken.clear();
    StorageId served = kNone;
    for (auto *pair = graph.inPlace.begin(step.op);
         pair != graph.inPlace.end(step.op); ++pair) {
      auto [output, input] = *pair;
      bool isReadLater = isPending[input];
      if (output == served || isReadLater ||
          std::find(taken.begin(), taken.end(), input) != taken.end())
        continue;
      served = output;
      taken.push_back(input);
      during -= graph.bytes[input];
    }
  }
  for (StorageId output : graph.outputsOf(step.op))
    if (isPending[output]) {
      isPending[output] = 0;
      live -= graph.bytes[output];
    }
  for (StorageId input : graph.inputsOf(step.op))
    if (!isPending[input]) {
      isPending[input] = 1;
      live += graph.bytes[input];
    }
  return during;
}

void Simulator::settle(const Sequence &sequence) {
  std::fill(isPending.begin(), isPending.end(), 0);
  int64_t live = 0, unread = 0;
  for (StorageId id = 0; id < graph.storageCount(); ++id) {
    if (graph.livesToEnd[id]) {
      isPending[id] = 1;
      live += graph.bytes[id];
    } else if (graph.producer[id] == kNone && graph.readers[id].empty()) {
      unread += graph.bytes[id];
    }
  }
  kept.clear();
  memory.clear();
  liveBefore.clear();
  cost = over = peak = 0;
  for (size_t at = sequence.size(); at-- > 0;) {
    const Execution &step = sequence[at];
    if (step.isClone) {
      bool needed = false;
      for (StorageId output : graph.outputsOf(step.op))
        needed |= isPending[output];
      if (!needed)
        continue;
    }
    kept.push_back(step);
    int64_t during = run(step, live);
    // An input without readers is live when the step begins.
    if (at == 0)
      during += unread;
    memory.push_back(during);
    liveBefore.push_back(live);
    cost += graph.cost[step.op];
    over += std::max<int64_t>(0, during - budget);
    peak = std::max(peak, during);
  }
  steps.assign(kept.rbegin(), kept.rend());
  std::reverse(memory.begin(), memory.end());
  std::reverse(liveBefore.begin(), liveBefore.end());
}

void Simulator::index() {
  // Space between the lists for touches that insert() adds.
  constexpr uint32_t room = 4;
  touchCount.assign(graph.storageCount(), 0);
  for (const Execution &step : steps) {
    for (StorageId id : graph.inputsOf(step.op))
      ++touchCount[id];
    for (StorageId id : graph.outputsOf(step.op))
      ++touchCount[id];
  }
  touchStart.resize(graph.storageCount() + 1);
  uint32_t start = 0;
  for (StorageId id = 0; id < graph.storageCount(); ++id) {
    touchStart[id] = start;
    start += touchCount[id] + graph.livesToEnd[id] + room;
    touchCount[id] = 0;
  }
  touchStart.back() = start;
  touches.assign(start, kNone);
  auto add = [&](StorageId id, uint32_t touch) {
    touches[touchStart[id] + touchCount[id]++] = touch;
  };
  for (uint32_t at = 0; at < steps.size(); ++at) {
    for (StorageId id : graph.inputsOf(steps[at].op))
      add(id, 2 * at);
    for (StorageId id : graph.outputsOf(steps[at].op))
      add(id, 2 * at + 1);
  }
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    if (graph.livesToEnd[id])
      add(id, 2 * steps.size());
  nextRank.resize(steps.size() + 1);
  nextRank[steps.size()] = graph.opCount();
  for (uint32_t at = steps.size(); at-- > 0;)
    nextRank[at] = steps[at].isClone ? nextRank[at + 1] : steps[at].op;
  stepById.assign(nextId, kNone);
  sumUp(0, 0);
}

/// Computes overflow from memory, which changed starting at one step, and
/// positions, which changed starting at another.
void Simulator::sumUp(uint32_t changed, uint32_t moved) {
  for (uint32_t at = moved; at < steps.size(); ++at)
    stepById[steps[at].id] = at;
  excess.update(memory, changed, budget);
  over = excess.sum();
  peak = excess.peak();
}

void Simulator::renumber() {
  for (uint32_t at = 0; at < steps.size(); ++at)
    steps[at].id = at;
  nextId = steps.size();
}

uint32_t Simulator::touchBefore(StorageId storage, uint32_t step) const {
  Touches all = touchesOf(storage);
  const uint32_t *next = std::lower_bound(all.begin(), all.end(), 2 * step);
  return next == all.begin() ? kBeforeAll : *(next - 1) / 2;
}

bool Simulator::isLiveBefore(StorageId storage, uint32_t step) const {
  Touches all = touchesOf(storage);
  const uint32_t *next = std::lower_bound(all.begin(), all.end(), 2 * step);
  return next != all.end() && *next % 2 == 0;
}

} // namespace reprise::plan
