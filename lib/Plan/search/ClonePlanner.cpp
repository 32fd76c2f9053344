//===- ClonePlanner.cpp - The clones that recompute a value ---------------===//
//
// Input:   a settled and indexed simulator, a storage, a step that reads it.
// Output:  the clones to insert before the step, and the change of overflow.
// Method:  backwards from the storage's producer: an input that is live there
//          is used, another one is recomputed or lives longer. Overflow changes
//          only over ranges of steps whose live bytes change by a constant, and
//          inside the clones, which are simulated.
// Cost:    the lengths of those ranges.
//
//   step      q               p
//   v     ####|               v' read      v's life ends with its reader q
//   u     ####|+++++++++++++++|            u is read by v' and lives longer
//
//===----------------------------------------------------------------------===//
#include "ClonePlanner.h"

#include <algorithm>

namespace reprise::plan {

bool ClonePlanner::keepsInput(StorageId input) const {
  Rank producer = graph.producer[input];
  bool canRecompute =
      producer != kNone &&
      simulator.nextFirst(step) <= graph.cloneBefore[producer] &&
      graph.canClone(producer) && ops.size() < kMaxClones;
  if (!canRecompute || missing == MissingInput::Extend)
    return true;
  if (missing == MissingInput::Recompute)
    return false;
  return !simulator.overflowsIn(simulator.touchBefore(input, step) + 1, step);
}

bool ClonePlanner::add(Rank op) {
  if (!graph.canClone(op) || simulator.nextFirst(step) > graph.cloneBefore[op])
    return false;
  if (!isCloned[op]) {
    isCloned[op] = 1;
    ops.push_back(op);
    open.push_back(op);
  }
  return true;
}

/// Uses one bit for each op: plans have hundreds of ops of a few thousand.
void ClonePlanner::sortOps() {
  uint64_t first = ranks.size(), last = 0;
  for (Rank op : ops) {
    ranks[op / 64] |= uint64_t(1) << op % 64;
    first = std::min<uint64_t>(first, op / 64);
    last = std::max<uint64_t>(last, op / 64);
  }
  ops.clear();
  for (uint64_t at = first; at <= last; ++at)
    for (; ranks[at] != 0; ranks[at] &= ranks[at] - 1)
      ops.push_back(at * 64 + __builtin_ctzll(ranks[at]));
}

bool ClonePlanner::isLive(StorageId storage) {
  if (liveIn[storage] / 2 != round)
    liveIn[storage] = 2 * round + simulator.isLiveBefore(storage, step);
  return liveIn[storage] % 2;
}

bool ClonePlanner::plan(StorageId storage, uint32_t at, MissingInput mode) {
  for (Rank op : ops)
    isCloned[op] = 0;
  ops.clear();
  open.clear();
  extended.clear();
  ++round;
  wanted = storage;
  step = at;
  missing = mode;
  if (graph.producer[storage] == kNone || !add(graph.producer[storage]))
    return false;
  while (!open.empty()) {
    Rank op = open.back();
    open.pop_back();
    for (StorageId input : graph.inputsOf(op)) {
      Rank producer = graph.producer[input];
      if ((producer != kNone && isCloned[producer]) ||
          extendedIn[input] == round || isLive(input))
        continue;
      if (!keepsInput(input)) {
        add(producer);
        continue;
      }
      extendedIn[input] = round;
      extended.push_back(input);
    }
  }
  // Inputs that were kept before their producer was cloned for another op.
  extended.erase(std::remove_if(extended.begin(), extended.end(),
                                [&](StorageId id) {
                                  Rank producer = graph.producer[id];
                                  return producer != kNone &&
                                         isCloned[producer];
                                }),
                 extended.end());
  sortOps();
  return true;
}

Wide ClonePlanner::costOfClones() const {
  Wide sum = 0;
  for (Rank op : ops)
    sum += graph.cost[op];
  return sum;
}

/// Adds `bytes` from after step `after` up to the clones.
void ClonePlanner::changeRange(uint32_t after, int64_t bytes) {
  uint32_t from = after + 1; // kBeforeAll wraps to 0
  if (from >= step)
    return;
  changes.push_back({from, bytes});
}

Wide ClonePlanner::overflowChange() {
  std::sort(changes.begin(), changes.end(),
            [](Change a, Change b) { return a.step < b.step; });
  Wide sum = 0;
  int64_t bytes = 0;
  for (size_t at = 0; at < changes.size(); ++at) {
    bytes += changes[at].bytes;
    uint32_t from = changes[at].step;
    uint32_t to = at + 1 < changes.size() ? changes[at + 1].step : step;
    if (bytes != 0 && from < to)
      sum += simulator.overflowChange(from, to, bytes);
  }
  return sum;
}

/// Returns the overflow while the clones run, or stops when `enough` is
/// reached: a scan from the last clone, as in settle.
Wide ClonePlanner::overflowOfClones(Wide enough) {
  // 1: needed after the current clone. Storages that live across all clones are
  // already counted in `live`; they are looked up when met.
  std::vector<StorageId> &marked = open;
  marked.clear();
  auto isNeeded = [&](StorageId id) {
    if (isHere[id])
      return isHere[id] == 1;
    bool live = isLive(id);
    isHere[id] = live ? 1 : 2;
    marked.push_back(id);
    return live;
  };
  int64_t live = step < simulator.size() ? simulator.liveBefore[step] : 0;
  if (step == simulator.size())
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      live += graph.livesToEnd[id] ? graph.bytes[id] : 0;
  Wide sum = 0;
  for (size_t at = ops.size(); at-- > 0 && sum < enough;) {
    Rank op = ops[at];
    int64_t during = live + graph.workspace[op];
    for (StorageId output : graph.outputsOf(op))
      during += isNeeded(output) ? 0 : graph.bytes[output];
    for (StorageId input : graph.inputsOf(op))
      during += isNeeded(input) ? 0 : graph.bytes[input];
    sum += std::max<int64_t>(0, during - simulator.budget);
    for (StorageId output : graph.outputsOf(op))
      if (isNeeded(output)) {
        live -= graph.bytes[output];
        isHere[output] = 2;
      }
    for (StorageId input : graph.inputsOf(op))
      if (!isNeeded(input)) {
        live += graph.bytes[input];
        isHere[input] = 1;
      }
  }
  for (StorageId id : marked)
    isHere[id] = 0;
  return sum;
}

Wide ClonePlanner::reduction() {
  changes.clear();
  changeRange(simulator.touchBefore(wanted, step), -graph.bytes[wanted]);
  for (StorageId id : extended)
    changeRange(simulator.touchBefore(id, step), graph.bytes[id]);
  Wide removed = -overflowChange();
  return removed > 0 ? removed - overflowOfClones(removed) : 0;
}

} // namespace reprise::plan
