//===- BruteForce.cpp - Exact optima of tiny graphs -----------------------===//
//
// Method:  Dijkstra's algorithm over states: how often each op has run (or,
//          without a limit, whether it has), and which values are there. A step
//          runs an op and guesses which of the storages it touches are dead
//          from here on; a storage that is dead can be made again. A guess that
//          was wrong leads nowhere (the value is missed) or costs bytes that a
//          right guess saves, so the best path is exact. The guess also says
//          which inputs an in-place result may take over.
//
// An execution whose result is there already is not looked at: its dead twin
// is. So a value made together with one that is made again, and held through a
// view, counts once where the real schedule would hold two copies; that never
// happens in an optimal schedule of ops with one result.
//
//===----------------------------------------------------------------------===//
#include "BruteForce.h"

#include <algorithm>
#include <climits>
#include <map>
#include <queue>
#include <unordered_map>

namespace reprise::plan::test {

namespace {

struct State {
  uint64_t counts = 0;    // two bits an op
  uint64_t available = 0; // a bit a value
  bool operator==(const State &other) const {
    return counts == other.counts && available == other.available;
  }
};

struct HashState {
  size_t operator()(const State &state) const {
    return (state.counts * 0x9e3779b97f4a7c15) ^
           (state.available * 0xc2b2ae3d27d4eb4f);
  }
};

class Explorer {
public:
  Explorer(const Graph &graph, const BruteForceOptions &options)
      : graph(graph), options(options) {
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      ValueId root = id;
      while (graph.values[root].viewOf != kNone)
        root = graph.values[root].viewOf;
      rootOf.push_back(root);
      members.push_back(0);
    }
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const Value &value = graph.values[rootOf[id]];
      bool counts = value.storage != StorageClass::Fixed && value.bytes;
      bytes.push_back(counts ? (value.bytes + 63) / 64 * 64 : 0);
      members[rootOf[id]] |= bit(id);
    }
    for (const Op &op : graph.ops)
      touched.push_back(findTouched(op));
  }

  /// Least cost within a budget, or (byPeak) least peak.
  std::optional<double> search(uint64_t budget, bool byPeak) {
    State start;
    uint64_t unread = 0;
    addInputs(start, unread);
    push({0, start});
    while (!queue.empty()) {
      auto [key, state] = queue.top();
      queue.pop();
      if (best[state] < key)
        continue;
      if (isEnd(state))
        return key;
      uint64_t extra = state.counts ? 0 : unread;
      for (OpId op = 0; op < graph.ops.size(); ++op)
        if (canRun(state, op))
          expand({key, state}, op, {budget, extra, byPeak});
    }
    return std::nullopt;
  }

private:
  using Entry = std::pair<double, State>;
  struct Limits {
    uint64_t budget, extra;
    bool byPeak;
  };
  struct Later {
    bool operator()(const Entry &a, const Entry &b) const {
      return a.first > b.first;
    }
  };

  static uint64_t bit(ValueId id) { return uint64_t(1) << id; }
  unsigned count(const State &state, OpId op) const {
    return state.counts >> (2 * op) & 3;
  }

  std::vector<ValueId> findTouched(const Op &op) const {
    std::vector<ValueId> roots;
    for (const std::vector<ValueId> *list : {&op.inputs, &op.outputs})
      for (ValueId id : *list)
        if (bytes[id] &&
            std::find(roots.begin(), roots.end(), rootOf[id]) == roots.end())
          roots.push_back(rootOf[id]);
    return roots;
  }

  /// Inputs are there from the start; one that no op touches only at the first
  /// step.
  void addInputs(State &state, uint64_t &unread) const {
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      if (graph.values[id].storage != StorageClass::Input || rootOf[id] != id)
        continue;
      bool isRead = isOutput(id);
      for (const std::vector<ValueId> &roots : touched)
        isRead |= std::count(roots.begin(), roots.end(), id) != 0;
      if (isRead)
        state.available |= bit(id);
      else
        unread += bytes[id];
    }
  }

  bool isOutput(ValueId root) const {
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (rootOf[id] == root &&
          graph.values[id].storage == StorageClass::Output)
        return true;
    return false;
  }

  bool isThere(const State &state, ValueId id) const {
    if (graph.values[id].producer == kNone && graph.values[id].viewOf != kNone)
      return isThere(state, graph.values[id].viewOf);
    if (bytes[id])
      return state.available & bit(id);
    OpId producer = graph.values[id].producer;
    return producer == kNone || count(state, producer);
  }

  bool canRun(const State &state, OpId id) const {
    const Op &op = graph.ops[id];
    unsigned times = count(state, id);
    unsigned most = options.maxExecutions ? options.maxExecutions : UINT_MAX;
    if (times >= (op.runsOnce ? 1 : most))
      return false;
    if (!times) {
      for (OpId other : op.after)
        if (!count(state, other))
          return false;
      for (OpId before = 0; before < id && !options.freeOrder; ++before)
        if (!count(state, before))
          return false;
    }
    for (ValueId input : op.inputs)
      if (!isThere(state, input) || isOverwritten(state, id, input))
        return false;
    for (ValueId output : op.outputs) {
      if (bytes[output] && (state.available & bit(output)))
        return false;
      ValueId base = graph.values[output].viewOf;
      while (base != kNone && graph.values[base].producer == id)
        base = graph.values[base].viewOf;
      if (base != kNone && !isThere(state, base))
        return false;
    }
    return true;
  }

  bool isOverwritten(const State &state, OpId reader, ValueId id) const {
    for (; id != kNone; id = graph.values[id].viewOf)
      for (OpId op = 0; op < graph.ops.size(); ++op)
        if (op != reader && count(state, op))
          for (ValueId value : graph.ops[op].overwrites)
            if (value == id)
              return true;
    return false;
  }

  /// Bytes of results that take over an input which dies at `op`.
  uint64_t sharedBytes(const Op &op, uint64_t dying) const {
    uint64_t shared = 0, taken = 0;
    for (uint32_t index = 0; index < op.outputs.size(); ++index) {
      ValueId output = op.outputs[index];
      if (graph.values[output].viewOf != kNone || !bytes[output])
        continue;
      for (auto [outputIndex, inputIndex] : op.inPlace) {
        ValueId input = op.inputs[inputIndex], root = rootOf[input];
        if (outputIndex != index || !(dying & bit(root)) ||
            (taken & bit(root)) ||
            graph.values[root].storage == StorageClass::Input ||
            graph.values[root].bytes != graph.values[output].bytes ||
            graph.values[input].bytes != graph.values[output].bytes ||
            !readsOnlyInPlace(op, index, input))
          continue;
        taken |= bit(root);
        shared += bytes[output];
        break;
      }
    }
    return shared;
  }

  bool readsOnlyInPlace(const Op &op, uint32_t output, ValueId input) const {
    for (uint32_t i = 0; i < op.inputs.size(); ++i)
      if (rootOf[op.inputs[i]] == rootOf[input] &&
          (op.inputs[i] != input ||
           !std::count(op.inPlace.begin(), op.inPlace.end(),
                       std::make_pair(output, i))))
        return false;
    return true;
  }

  uint64_t liveBytes(const State &state) const {
    uint64_t sum = 0;
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (rootOf[id] == id && (state.available & bit(id)))
        sum += bytes[id];
    return sum;
  }

  void expand(const Entry &from, OpId id, const Limits &limits) {
    const Op &op = graph.ops[id];
    State next = from.second;
    if (options.maxExecutions || !count(next, id))
      next.counts += uint64_t(1) << (2 * id);
    for (ValueId output : op.outputs)
      if (bytes[output])
        next.available |= bit(output);
    uint64_t live = liveBytes(next) + limits.extra;
    if (op.workspaceBytes)
      live += (op.workspaceBytes + 63) / 64 * 64;
    const std::vector<ValueId> &roots = touched[id];
    for (uint32_t guess = 0; guess < (1u << roots.size()); ++guess) {
      uint64_t dying = 0;
      State after = next;
      for (size_t i = 0; i < roots.size(); ++i)
        if (guess >> i & 1) {
          dying |= bit(roots[i]);
          after.available &= ~members[roots[i]];
        }
      uint64_t step = live - sharedBytes(op, dying);
      if (step > limits.budget)
        continue;
      double key = limits.byPeak ? std::max(from.first, double(step))
                                 : from.first + op.cost;
      push({key, after});
    }
  }

  void push(const Entry &entry) {
    auto [at, isNew] = best.insert({entry.second, entry.first});
    if (!isNew && at->second <= entry.first)
      return;
    at->second = entry.first;
    queue.push(entry);
  }

  bool isEnd(const State &state) const {
    for (OpId op = 0; op < graph.ops.size(); ++op)
      if (!count(state, op))
        return false;
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].storage == StorageClass::Output &&
          !isThere(state, id))
        return false;
    return true;
  }

  const Graph &graph;
  const BruteForceOptions &options;
  std::vector<ValueId> rootOf;
  std::vector<uint64_t> members; // by root: bits of all values in it
  std::vector<uint64_t> bytes;   // by value: of its storage
  std::vector<std::vector<ValueId>> touched; // by op: roots
  std::unordered_map<State, double, HashState> best;
  std::priority_queue<Entry, std::vector<Entry>, Later> queue;
};

} // namespace

std::optional<double> bruteForceCost(const Graph &graph, uint64_t budgetBytes,
                                     const BruteForceOptions &options) {
  return Explorer(graph, options).search(budgetBytes, false);
}

uint64_t bruteForcePeak(const Graph &graph, const BruteForceOptions &options) {
  return *Explorer(graph, options).search(UINT64_MAX, true);
}

} // namespace reprise::plan::test
