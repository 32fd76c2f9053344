//===- ListScheduling.cpp - Orders by bytes freed and defined -------------===//
//
// Method:  a heap of ready ops with lazily updated gains. Forward, an op frees
//          a storage if it is the last reader left, which is known as soon as
//          one reader is left. Backward, an op brings a storage to life if it
//          is the first reader met, so that the other readers' cost falls.
//          Gains only grow, hence a stale heap entry is only too low and is
//          skipped when met.
// Cost:    each storage changes gains once, so O(E log V) in all.
//
// In-place results are not anticipated; freeing the input and defining the
// output has the same gain.
//
//===----------------------------------------------------------------------===//
#include "OrderStrategies.h"

#include <algorithm>
#include <queue>

namespace reprise::plan {

namespace {

class ListScheduler {
public:
  ListScheduler(const OrderProblem &problem, const std::vector<OpId> &base,
                ListDirection direction, ListRule rule)
      : graph(problem.graph), storages(problem.storages),
        forward(direction == ListDirection::Forward), rule(rule),
        next(forward ? problem.dependences.behind
                     : problem.dependences.before) {
    uint32_t count = graph.ops.size();
    rank.resize(count);
    for (uint32_t i = 0; i < count; ++i)
      rank[base[i]] = forward ? i : count - 1 - i;
    const auto &waits =
        forward ? problem.dependences.before : problem.dependences.behind;
    waiting.resize(count);
    for (OpId op = 0; op < count; ++op)
      waiting[op] = waits[op].size();
    done.assign(count, false);
  }

  std::vector<OpId> run() {
    forward ? initForward() : initBackward();
    for (OpId op = 0; op < graph.ops.size(); ++op)
      if (waiting[op] == 0)
        push(op);
    std::vector<OpId> order;
    while (!heap.empty()) {
      Entry entry = heap.top();
      heap.pop();
      if (done[entry.op])
        continue;
      done[entry.op] = true;
      order.push_back(entry.op);
      forward ? leaveForward(entry.op) : leaveBackward(entry.op);
      for (OpId other : next[entry.op])
        if (--waiting[other] == 0)
          push(other);
    }
    if (!forward)
      std::reverse(order.begin(), order.end());
    return order;
  }

private:
  struct Entry {
    int64_t key; // larger first
    uint32_t rank;
    OpId op;
    bool operator<(const Entry &other) const {
      return key != other.key ? key < other.key : rank > other.rank;
    }
  };

  int64_t keyOf(OpId op) const {
    switch (rule) {
    case ListRule::LargestGain:
      return gain[op];
    case ListRule::GainFirst:
      return gain[op] > 0;
    case ListRule::NoLossFirst:
      return gain[op] >= 0;
    }
    return 0;
  }

  void push(OpId op) { heap.push({keyOf(op), rank[op], op}); }

  void raise(OpId op, uint64_t bytes) {
    gain[op] += bytes;
    if (!done[op] && waiting[op] == 0)
      push(op);
  }

  /// Calls `action` once for the root of each storage that `op` reads.
  template <typename Action> void forEachRead(OpId op, Action action) {
    roots.clear();
    for (ValueId input : graph.ops[op].inputs)
      roots.push_back(storages.rootOf[input]);
    for (ValueId output : graph.ops[op].outputs)
      if (storages.rootOf[output] != output)
        roots.push_back(storages.rootOf[output]);
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    for (ValueId root : roots)
      if (storages.bytes[root])
        action(root);
  }

  bool outlivesStep(ValueId root) const {
    return !storages.users[root].empty() || storages.toEnd[root];
  }

  void addDefined(int64_t sign) {
    for (OpId op = 0; op < graph.ops.size(); ++op)
      for (ValueId output : graph.ops[op].outputs)
        if (storages.rootOf[output] == output && outlivesStep(output))
          gain[op] += sign * int64_t(storages.bytes[output]);
  }

  void initForward() {
    gain.assign(graph.ops.size(), 0);
    readersLeft.assign(graph.values.size(), 0);
    addDefined(-1);
    for (ValueId root = 0; root < graph.values.size(); ++root) {
      readersLeft[root] = storages.users[root].size();
      if (readersLeft[root] == 1 && !storages.toEnd[root])
        gain[storages.users[root][0]] += storages.bytes[root];
    }
  }

  void leaveForward(OpId op) {
    forEachRead(op, [&](ValueId root) {
      if (--readersLeft[root] != 1 || storages.toEnd[root])
        return;
      for (OpId user : storages.users[root])
        if (!done[user])
          raise(user, storages.bytes[root]);
    });
  }

  void initBackward() {
    gain.assign(graph.ops.size(), 0);
    live.assign(graph.values.size(), false);
    addDefined(1);
    for (ValueId root = 0; root < graph.values.size(); ++root) {
      live[root] = storages.toEnd[root];
      if (!live[root])
        for (OpId user : storages.users[root])
          gain[user] -= storages.bytes[root];
    }
  }

  void leaveBackward(OpId op) {
    forEachRead(op, [&](ValueId root) {
      if (live[root])
        return;
      live[root] = true;
      for (OpId user : storages.users[root])
        if (user != op)
          raise(user, storages.bytes[root]);
    });
  }

  const Graph &graph;
  const Storages &storages;
  bool forward;
  ListRule rule;
  const std::vector<std::vector<OpId>> &next;
  std::vector<uint32_t> rank;
  std::vector<uint32_t> waiting;
  std::vector<bool> done;
  std::vector<int64_t> gain;
  std::vector<uint32_t> readersLeft; // forward, by root
  std::vector<bool> live;            // backward, by root
  std::vector<ValueId> roots;
  std::priority_queue<Entry> heap;
};

} // namespace

std::vector<OpId> listSchedule(const OrderProblem &problem,
                               const std::vector<OpId> &base,
                               ListDirection direction, ListRule rule) {
  return ListScheduler(problem, base, direction, rule).run();
}

} // namespace reprise::plan
