//===- Simulator.h - Memory of a sequence of executions ---------*- C++ -*-===//
//
// The state that searches change: executions in order, the first one of each op
// marked. Frees are implied: an instance lives from its execution to its last
// reader before the next execution.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_SIMULATOR_H
#define REPRISE_LIB_PLAN_SIMULATOR_H

#include "CompactGraph.h"
#include "MemoryScan.h"

namespace reprise::plan {

/// One execution. `id` stays constant when steps around it are added or
/// removed.
struct Execution {
  Rank op;
  bool isClone;
  uint32_t id;
};

using Sequence = std::vector<Execution>;

/// Every op once, in the order of the ranks.
Sequence plainSequence(const CompactGraph &graph);

/// Returns the sequence as executions of the graph, with the views that clones
/// need.
Executions executionsOf(const Graph &graph, const CompactGraph &compact,
                        const Sequence &sequence);

/// The inverse; clones of views are removed.
Sequence sequenceOf(const CompactGraph &compact, const Executions &executions);

/// Every op once, in the order of the first executions.
std::vector<OpId> firstExecutions(const Graph &graph,
                                  const Executions &executions);

class Simulator {
public:
  Simulator(const CompactGraph &graph, int64_t budget)
      : graph(graph), budget(budget), isPending(graph.storageCount(), 0) {}

  /// Takes `sequence` without unneeded clones, and computes memory, cost and
  /// overflow. Linear in the uses.
  void settle(const Sequence &sequence);

  /// Prepares the queries below. Linear in the uses.
  void index();

  /// Executes `ops` again before step `at`, and removes clones that are no
  /// longer needed. Memory and queries stay as settle and index would compute
  /// them, at a much lower cost: only lives that the clones touch change.
  /// Returns the ids of the inserted steps.
  std::vector<uint32_t> insert(uint32_t at, const std::vector<Rank> &ops);

  /// Removes a clone: the earlier instances of its results live on.
  void erase(uint32_t at);

  /// Returns true if erase(at) would leave every step within the budget that is
  /// within it now. False may be wrong if results are in place.
  bool fitsWithout(uint32_t at);

  uint32_t size() const { return steps.size(); }
  bool fits() const { return over == 0; }

  const CompactGraph &graph;
  int64_t budget;
  Sequence steps;
  std::vector<int64_t> memory;     // by step: bytes while it runs
  std::vector<int64_t> liveBefore; // by step: bytes needed at or after it
  Wide cost = 0;                   // of all steps
  Wide over = 0;                   // sum of what exceeds the budget
  int64_t peak = 0;

  //===--- After index() --------------------------------------------------===//

  static constexpr uint32_t kBeforeAll = UINT32_MAX;

  /// The readers and producers of a storage, in order: 2 * step + (1 for a
  /// producer). A storage that lives to the end has a last reader at size().
  struct Touches {
    const uint32_t *first, *last;
    const uint32_t *begin() const { return first; }
    const uint32_t *end() const { return last; }
  };
  Touches touchesOf(StorageId storage) const {
    const uint32_t *first = touches.data() + touchStart[storage];
    return {first, first + touchCount[storage]};
  }

  /// Returns the step that last touches `storage` before `step`; kBeforeAll if
  /// none.
  uint32_t touchBefore(StorageId storage, uint32_t step) const;

  /// Returns true if a reader at or after `step` uses an instance from before
  /// it.
  bool isLiveBefore(StorageId storage, uint32_t step) const;

  /// Returns true if a step of [from, to) exceeds the budget.
  bool overflowsIn(uint32_t from, uint32_t to) const {
    return excess.isIn(from, to);
  }

  /// Returns the last step of [from, to) that exceeds the budget; one must.
  uint32_t lastOverflowIn(uint32_t from, uint32_t to) const {
    return excess.lastIn(from, to);
  }

  /// Returns the overflow added by `bytes` more in each step of [from, to).
  Wide overflowChange(uint32_t from, uint32_t to, int64_t bytes) const {
    return excess.change(memory, from, to, budget, bytes);
  }

  /// Returns the rank of the next first execution at or after `step`.
  Rank nextFirst(uint32_t step) const { return nextRank[step]; }

  /// Returns the step with `id`, or kNone.
  uint32_t stepOf(uint32_t id) const {
    return id < stepById.size() ? stepById[id] : kNone;
  }

  /// Sets ids to positions; earlier ids become invalid.
  void renumber();
  uint32_t newId() { return nextId++; }

private:
  /// A life that newly begins or ends between two steps.
  struct LifeChange {
    StorageId storage;
    uint32_t before; // step that touches it last
    bool wasLive, isLive;
  };

  int64_t run(const Execution &step, int64_t &live);
  int64_t bytesInPlace(uint32_t at) const;
  void changeLives(uint32_t at);
  void finishChange(uint32_t at);
  void findChanges(uint32_t at, Rank op);
  void shiftTouches(uint32_t from, uint32_t by);
  void addTouch(StorageId storage, uint32_t touch);
  void removeTouch(StorageId storage, uint32_t touch);
  void sumUp(uint32_t changed, uint32_t moved);
  bool isDead(uint32_t at) const;

  std::vector<uint8_t> isPending;   // by storage
  std::vector<StorageId> taken;     // in-place inputs of the current step
  Sequence kept;                    // settled steps, backwards
  std::vector<uint32_t> touchStart; // by storage, with room for more
  std::vector<uint32_t> touchCount; // by storage
  std::vector<uint32_t> touches;
  std::vector<LifeChange> lives;                       // of the current edit
  std::vector<std::pair<uint32_t, int64_t>> inPlaceAt; // step, bytes before
  std::vector<std::pair<uint32_t, int64_t>> ranges;    // step, bytes from there
  uint32_t changedFrom = 0; // memory, by the current edit
  Excess excess;
  std::vector<Rank> nextRank; // by step
  std::vector<uint32_t> stepById;
  uint32_t nextId = 0;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_SIMULATOR_H
