//===- ExhaustiveSearch.cpp - All schedules of a small graph --------------===//
//
// Input:   a graph of few ops, an order or none, a budget.
// Output:  see searchExhaustively and leastOfAll in Recompute.h.
// Method:  Dijkstra's algorithm over states: the ops that have run, and the
//          available values. A step runs an op and guesses which of the
//          storages that it touches are not touched again before they are
//          recomputed. A wrong guess costs bytes or ends without a successor,
//          so that the best path is exact. States have no limit on executions.
// Cost:    exponential; counted against a limit of states.
//
// A second execution of an op replaces all its results. A schedule may hold an
// old one through a view at the same time as the new one. Recomputing the view
// takes no more bytes if its op needs nothing else. Otherwise, a second search,
// in which old and new results share their bytes, bounds those of all schedules
// from below.
//
//===----------------------------------------------------------------------===//
#include "../graph/CompactGraph.h"
#include "../graph/Storage.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace reprise::plan {

namespace {

struct State {
  uint64_t executed = 0;  // a bit an op
  uint64_t available = 0; // a bit a value
  bool operator==(const State &other) const {
    return executed == other.executed && available == other.available;
  }
};

struct HashState {
  size_t operator()(const State &state) const {
    uint64_t mixed = state.executed * 0x9e3779b97f4a7c15 + state.available;
    return (mixed ^ (mixed >> 31)) * 0xbf58476d1ce4e5b9;
  }
};

/// A state that a path reaches, with the op that ran last.
struct Node {
  State state;
  int64_t key; // picoseconds of repeated executions, or the most bytes
  uint32_t parent;
  OpId op;
};

enum class Goal : uint8_t { Cost, Bytes };

class ScheduleSpace {
public:
  ScheduleSpace(const Graph &graph, const std::vector<OpId> &order)
      : graph(graph), order(order), storages(analyzeStorages(graph)) {
    members.assign(graph.values.size(), 0);
    for (ValueId id = 0; id < graph.values.size() && id < kValues; ++id)
      members[storages.rootOf[id]] |= bit(id);
    for (const Op &op : graph.ops)
      touched.push_back(findTouched(op));
    sharing = findSharing();
  }

  /// Returns true if the search can cover all schedules of the graph.
  bool isSmall() const {
    if (graph.ops.size() > kExhaustiveOps || graph.values.size() > kValues)
      return false;
    return std::none_of(
        touched.begin(), touched.end(),
        [](const std::vector<ValueId> &roots) { return roots.size() > 8; });
  }

  /// Returns true if the least bytes of the search are those of all schedules.
  bool provesBytes() const { return sharing == 0; }

  /// Lets old and new results of one op share bytes from now on.
  void relax() { isRelaxed = true; }

private:
  /// Returns the ops whose old and new results a schedule may want to hold at
  /// the same time, a bit each.
  uint64_t findSharing() const {
    uint64_t found = 0;
    std::vector<bool> hasFixedView(graph.values.size(), false);
    for (const Op &op : graph.ops)
      for (ValueId output : op.outputs)
        if (ValueId root = storages.rootOf[output]; root != output)
          hasFixedView[root] = hasFixedView[root] || !isFreeView(op, root);
    for (OpId id = 0; id < graph.ops.size() && id < kExhaustiveOps; ++id) {
      uint32_t made = 0, fixed = 0;
      for (ValueId output : graph.ops[id].outputs)
        if (bytesOf(output) && storages.rootOf[output] == output) {
          ++made;
          fixed += hasFixedView[output];
        }
      if (made > 1 && fixed && !graph.ops[id].runsOnce)
        found |= bit(id);
    }
    return found;
  }

public:
  /// Explores up to `paths` ways to each state; returns false if the limit of
  /// states ended the search.
  bool run(Goal aim, uint64_t mostBytes, uint32_t paths,
           const std::function<bool(const Executions &)> &accept) {
    goal = aim;
    budget = mostBytes;
    ways = paths;
    nodes.clear();
    seen.clear();
    queue = {};
    push(start());
    while (!queue.empty() && nodes.size() < kStates) {
      uint32_t at = queue.top().second;
      queue.pop();
      if (seen[nodes[at].state].taken++ >= ways)
        continue;
      if (isEnd(nodes[at].state)) {
        Executions executions = pathTo(at);
        if (accept(executions)) {
          found = std::move(executions);
          foundKey = nodes[at].key;
          return true;
        }
        continue;
      }
      for (OpId op = 0; op < graph.ops.size(); ++op)
        if (canRun(nodes[at].state, op))
          expand(at, op);
    }
    return queue.empty();
  }

  Executions found;     // of the last run
  int64_t foundKey = 0; // of its last node

private:
  static constexpr uint32_t kValues = 64;
  static constexpr size_t kStates = 1500000;

  struct Seen {
    int64_t best = INT64_MAX;
    uint32_t taken = 0;
  };
  using Entry = std::pair<int64_t, uint32_t>; // key, node

  static uint64_t bit(uint32_t id) { return uint64_t(1) << id; }

  uint64_t bytesOf(ValueId id) const {
    return storages.bytes[storages.rootOf[id]];
  }

  std::vector<ValueId> findTouched(const Op &op) const {
    std::vector<ValueId> roots;
    for (const std::vector<ValueId> *list : {&op.inputs, &op.outputs})
      for (ValueId id : *list) {
        ValueId root = storages.rootOf[id];
        if (storages.bytes[root] &&
            std::find(roots.begin(), roots.end(), root) == roots.end())
          roots.push_back(root);
      }
    return roots;
  }

  /// Returns true if `op` makes views of one storage and needs nothing else.
  bool isFreeView(const Op &op, ValueId root) const {
    auto isOther = [&](ValueId id) { return storages.rootOf[id] != root; };
    return !op.runsOnce && !op.workspaceBytes &&
           std::none_of(op.inputs.begin(), op.inputs.end(), isOther) &&
           std::none_of(op.outputs.begin(), op.outputs.end(), isOther);
  }

  Node start() {
    Node node{{}, 0, kNone, kNone};
    unread = 0;
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      if (graph.values[id].storage != StorageClass::Input ||
          storages.rootOf[id] != id)
        continue;
      if (storages.users[id].empty() && !storages.toEnd[id])
        unread += storages.bytes[id];
      else if (storages.bytes[id])
        node.state.available |= bit(id);
    }
    return node;
  }

  bool isThere(const State &state, ValueId id) const {
    const Value &value = graph.values[id];
    if (value.producer == kNone && value.viewOf != kNone)
      return isThere(state, value.viewOf);
    if (bytesOf(id))
      return state.available & bit(id);
    return value.producer == kNone || state.executed & bit(value.producer);
  }

  bool isOverwritten(const State &state, ValueId id) const {
    for (; id != kNone; id = graph.values[id].viewOf)
      for (OpId op = 0; op < graph.ops.size(); ++op)
        if (state.executed & bit(op) &&
            std::count(graph.ops[op].overwrites.begin(),
                       graph.ops[op].overwrites.end(), id))
          return true;
    return false;
  }

  bool mayComeFirst(const State &state, OpId id) const {
    for (OpId other : graph.ops[id].after)
      if (!(state.executed & bit(other)))
        return false;
    for (OpId before : order) {
      if (before == id)
        break;
      if (!(state.executed & bit(before)))
        return false;
    }
    return true;
  }

  bool mayRepeat(const State &state, OpId id) const {
    const Op &op = graph.ops[id];
    auto isMissing = [&](ValueId output) {
      return bytesOf(output) && !(state.available & bit(output));
    };
    auto isAvailable = [&](ValueId output) {
      return state.available & bit(output);
    };
    // Available results need no second execution.
    bool shares = isRelaxed && sharing & bit(id);
    return !op.runsOnce &&
           std::any_of(op.outputs.begin(), op.outputs.end(), isMissing) &&
           (shares ||
            std::none_of(op.outputs.begin(), op.outputs.end(), isAvailable));
  }

  bool canRun(const State &state, OpId id) const {
    const Op &op = graph.ops[id];
    bool isFirst = !(state.executed & bit(id));
    if (isFirst ? !mayComeFirst(state, id) : !mayRepeat(state, id))
      return false;
    for (ValueId input : op.inputs)
      if (!isThere(state, input) || isOverwritten(state, input))
        return false;
    for (ValueId output : op.outputs) {
      ValueId base = graph.values[output].viewOf;
      while (base != kNone && graph.values[base].producer == id)
        base = graph.values[base].viewOf;
      if (base != kNone && !isThere(state, base))
        return false;
    }
    return true;
  }

  bool isEnd(const State &state) const {
    if (state.executed != bit(graph.ops.size()) - 1)
      return false;
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].storage == StorageClass::Output &&
          !isThere(state, id))
        return false;
    return true;
  }

  /// Returns true if every operand of `op` in the storage of `input` is `input`
  /// itself, where `output` may overwrite it.
  bool readsOnlyInPlace(const Op &op, uint32_t output, ValueId input) const {
    for (uint32_t at = 0; at < op.inputs.size(); ++at) {
      ValueId other = op.inputs[at];
      bool isPair = std::count(op.inPlace.begin(), op.inPlace.end(),
                               std::make_pair(output, at)) != 0;
      if (storages.rootOf[other] == storages.rootOf[input] &&
          (other != input || !isPair))
        return false;
    }
    return true;
  }

  /// Returns the bytes of inputs among `dying` that results take over.
  uint64_t bytesInPlace(const Op &op, uint64_t dying) const {
    uint64_t bytes = 0;
    for (uint32_t index = 0; index < op.outputs.size(); ++index) {
      ValueId output = op.outputs[index];
      if (storages.rootOf[output] != output || !bytesOf(output))
        continue;
      for (auto [to, from] : op.inPlace) {
        ValueId input = op.inputs[from], root = storages.rootOf[input];
        uint64_t wanted = graph.values[output].bytes;
        if (to != index || !(dying & bit(root)) ||
            graph.values[root].producer == kNone ||
            graph.values[root].bytes != wanted ||
            graph.values[input].bytes != wanted ||
            !readsOnlyInPlace(op, index, input))
          continue;
        dying &= ~bit(root);
        bytes += storages.bytes[output];
        break;
      }
    }
    return bytes;
  }

  uint64_t liveBytes(const State &state) const {
    uint64_t sum = 0;
    for (uint64_t left = state.available; left; left &= left - 1) {
      ValueId id = __builtin_ctzll(left);
      sum += storages.rootOf[id] == id ? storages.bytes[id] : 0;
    }
    return sum;
  }

  void expand(uint32_t from, OpId id) {
    const Op &op = graph.ops[id];
    Node next = nodes[from];
    bool isFirst = !(next.state.executed & bit(id));
    uint64_t live = alignUp(op.workspaceBytes);
    live += next.state.executed ? 0 : unread;
    next.parent = from;
    next.op = id;
    next.state.executed |= bit(id);
    uint64_t made = 0;
    for (ValueId output : op.outputs)
      made |= bytesOf(output) ? bit(output) : 0;
    next.state.available |= made;
    live += liveBytes(next.state);
    if (goal == Goal::Cost && !isFirst)
      next.key += picosecondsOf(op.cost);
    const std::vector<ValueId> &roots = touched[id];
    for (uint32_t guess = 0; guess < (1u << roots.size()); ++guess) {
      Node after = next;
      uint64_t dying = 0;
      for (size_t at = 0; at < roots.size(); ++at)
        if (guess >> at & 1) {
          dying |= bit(roots[at]);
          after.state.available &= ~members[roots[at]];
        }
      uint64_t bytes = live - bytesInPlace(op, dying);
      if (bytes > budget || (!isFirst && !(after.state.available & made)))
        continue;
      if (goal == Goal::Bytes)
        after.key = std::max<int64_t>(after.key, bytes);
      push(after);
    }
  }

  void push(const Node &node) {
    Seen &known = seen[node.state];
    if (known.taken >= ways || (ways == 1 && known.best <= node.key))
      return;
    known.best = std::min(known.best, node.key);
    queue.push({node.key, uint32_t(nodes.size())});
    nodes.push_back(node);
  }

  Executions pathTo(uint32_t at) const {
    Executions executions;
    for (; nodes[at].op != kNone; at = nodes[at].parent)
      executions.push_back(nodes[at].op);
    std::reverse(executions.begin(), executions.end());
    return executions;
  }

  const Graph &graph;
  const std::vector<OpId> &order; // empty: any
  Storages storages;
  std::vector<uint64_t> members;             // by root: all values in it
  std::vector<std::vector<ValueId>> touched; // by op: roots
  uint64_t unread = 0;                       // bytes of inputs without readers
  uint64_t sharing = 0;                      // see findSharing
  bool isRelaxed = false;
  Goal goal = Goal::Cost;
  uint64_t budget = 0;
  uint32_t ways = 1;
  std::vector<Node> nodes;
  std::unordered_map<State, Seen, HashState> seen;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
};

} // namespace

ExhaustiveResult
searchExhaustively(const Graph &graph, const std::vector<OpId> &order,
                   uint64_t budgetBytes,
                   const std::function<bool(const Executions &)> &accept) {
  ExhaustiveResult result;
  ScheduleSpace space(graph, order);
  if (!space.isSmall())
    return result;
  bool isAnyWithin = false;
  auto take = [&](const Executions &executions) {
    isAnyWithin = true;
    return accept(executions);
  };
  // More ways to a state are tried only if the earlier ones could not be
  // accepted.
  for (uint32_t paths : {1, 8, 64}) {
    result.isComplete = space.run(Goal::Cost, budgetBytes, paths, take);
    if (!space.found.empty() || !isAnyWithin)
      break;
  }
  result.isComplete &=
      space.provesBytes() && !(isAnyWithin && space.found.empty());
  if (space.found.empty())
    return result;
  result.solution.milliseconds = costOf(graph, space.found);
  result.solution.maxLive = maxLiveOf(graph, space.found);
  result.solution.executions = std::move(space.found);
  result.solution.solver = "exhaustive";
  return result;
}

std::optional<uint64_t> leastOfAll(const Graph &graph,
                                   const std::vector<OpId> &order) {
  ScheduleSpace space(graph, order);
  auto accept = [](const Executions &) { return true; };
  if (!space.isSmall() || !space.run(Goal::Bytes, UINT64_MAX, 1, accept) ||
      space.found.empty())
    return std::nullopt;
  uint64_t least = maxLiveOf(graph, space.found);
  if (space.provesBytes())
    return least;
  space.relax();
  bool isBound = space.run(Goal::Bytes, UINT64_MAX, 1, accept) &&
                 uint64_t(space.foundKey) >= least;
  return isBound ? std::optional(least) : std::nullopt;
}

} // namespace reprise::plan
