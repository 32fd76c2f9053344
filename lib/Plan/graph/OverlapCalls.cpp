//===- OverlapCalls.cpp - Ops beside calls between ranks ------------------===//
//
// Input:   a well-formed graph, a valid order of its ops, and its placement.
// Output:  an order in which the graph's calls (Op::runsBeside) have other ops
//          to run beside, with buffers that live as long, no higher.
// Method:  a call that depends on no other begins a group: itself, and what
//          depends on it and on no later one. The other ops keep their order,
//          and a group follows the beginning of the next group but one op:
//
//     before   g1 c1 u1  g2 c2 u2  g3 c3 u3
//     after    g1 c1  g2 c2  u1  g3 c3  u2  u3
//
//          so that c1 takes place beside g2, and c2 beside u1 and g3. Early
//          groups, which are near the peak, stay as they are if need be.
// Cost:    that of a few times liveness and placement.
//
//===----------------------------------------------------------------------===//
#include "Dependences.h"
#include "Storage.h"
#include "reprise/Plan/Schedule.h"

#include <algorithm>

namespace reprise::plan {

namespace {

class Overlap {
public:
  Overlap(const Graph &graph, const Schedule &schedule)
      : graph(graph), before(schedule.order),
        dependences(findDependences(graph)), storages(analyzeStorages(graph)) {
    findGroups();
  }

  uint32_t groups() const { return count; }
  /// Returns the order, and the buffers in it, if the groups from `first` on
  /// run beside others.
  PlacedSchedule from(uint32_t first) const;

private:
  void findGroups();
  Schedule orderFrom(uint32_t first) const;

  const Graph &graph;
  const std::vector<OpId> &before;
  Dependences dependences;
  Storages storages;
  uint32_t count = 0; // of groups
  /// By OpId, the last group that an op depends on or begins, from 1 on; 0:
  /// none.
  std::vector<uint32_t> groupOf;
  std::vector<bool> begins; // by OpId
};

} // namespace

void Overlap::findGroups() {
  groupOf.assign(graph.ops.size(), 0);
  begins.assign(graph.ops.size(), false);
  for (OpId id : before) {
    for (OpId other : dependences.before[id])
      groupOf[id] = std::max(groupOf[id], groupOf[other]);
    if (!graph.ops[id].runsBeside || groupOf[id] > 0)
      continue;
    begins[id] = true;
    groupOf[id] = ++count;
  }
}

Schedule Overlap::orderFrom(uint32_t first) const {
  Schedule after;
  std::vector<OpId> waiting;
  auto release = [&](uint32_t last) {
    auto rest =
        std::stable_partition(waiting.begin(), waiting.end(),
                              [&](OpId id) { return groupOf[id] <= last; });
    after.order.insert(after.order.end(), waiting.begin(), rest);
    waiting.erase(waiting.begin(), rest);
  };
  for (OpId id : before) {
    if (groupOf[id] >= first && !begins[id]) {
      waiting.push_back(id);
      continue;
    }
    after.order.push_back(id);
    if (begins[id])
      release(groupOf[id] - 1);
  }
  release(kNone);
  return after;
}

/// What a call beside others uses lives until its results are read.
PlacedSchedule Overlap::from(uint32_t first) const {
  PlacedSchedule found;
  found.schedule = orderFrom(first);
  const std::vector<OpId> &order = found.schedule.order;
  Liveness &result = found.liveness = computeLiveness(graph, found.schedule);
  std::vector<uint32_t> stepOf(graph.ops.size(), 0);
  for (uint32_t step = 0; step < order.size(); ++step)
    stepOf[order[step]] = step;
  for (OpId id = 0; id < graph.ops.size(); ++id) {
    const Op &op = graph.ops[id];
    if (!op.runsBeside || groupOf[id] < first)
      continue;
    uint32_t last = uint32_t(order.size()) - 1;
    for (ValueId output : op.outputs)
      for (OpId user : storages.users[storages.rootOf[output]])
        last = std::min(last, stepOf[user] - 1);
    auto extend = [&](uint32_t buffer) {
      if (buffer != kNone)
        result.buffers[buffer].lastStep =
            std::max(result.buffers[buffer].lastStep, last);
    };
    extend(result.workspaceOfOp[id]);
    for (ValueId input : op.inputs)
      extend(result.bufferOfValue[input]);
  }
  sumLiveBytes(result);
  return found;
}

std::optional<PlacedSchedule> overlapCalls(const Graph &graph,
                                           const Schedule &schedule,
                                           const Placement &placement) {
  if (std::none_of(graph.ops.begin(), graph.ops.end(),
                   [](const Op &op) { return op.runsBeside; }))
    return std::nullopt;
  Overlap overlap(graph, schedule);
  // Fewer groups beside others take fewer bytes, with rare exceptions.
  uint32_t first = 1, end = overlap.groups() + 1;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    if (overlap.from(middle).liveness.maxLive > placement.height)
      first = middle + 1;
    else
      end = middle;
  }
  for (uint32_t step = 1; first <= overlap.groups(); first += step, step *= 2) {
    PlacedSchedule found = overlap.from(first);
    if (found.liveness.maxLive > placement.height)
      continue;
    found.placement =
        placeBuffers(found.liveness.buffers, found.liveness.maxLive);
    if (found.placement.height <= placement.height)
      return found;
  }
  return std::nullopt;
}

} // namespace reprise::plan
