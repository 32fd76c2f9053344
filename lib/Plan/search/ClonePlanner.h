//===- ClonePlanner.h - The clones that recompute a value -------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_CLONEPLANNER_H
#define REPRISE_LIB_PLAN_CLONEPLANNER_H

#include "Repair.h"

namespace reprise::plan {

/// Plans clones before a step of a settled and indexed simulator, and computes
/// what they would change, without changing it.
class ClonePlanner {
public:
  explicit ClonePlanner(const Simulator &simulator)
      : simulator(simulator), graph(simulator.graph),
        isCloned(graph.opCount(), 0), ranks(graph.opCount() / 64 + 1, 0),
        liveIn(graph.storageCount(), 0), extendedIn(graph.storageCount(), 0),
        isHere(graph.storageCount(), 0) {}

  /// Finds the ops to execute before `step` so that it can read a new instance
  /// of `storage`. Returns false if one of them can't be executed again there.
  bool plan(StorageId storage, uint32_t step, MissingInput missing);

  /// Returns the ops of the last plan, in the order to run.
  const std::vector<Rank> &clones() const { return ops; }
  Wide costOfClones() const;

  /// Returns by how much the last plan reduces the simulator's overflow; if it
  /// does not, some number that is at most 0.
  Wide reduction();

private:
  struct Change {
    uint32_t step;
    int64_t bytes;
  };

  bool add(Rank op);
  void sortOps();
  bool isLive(StorageId storage);
  bool keepsInput(StorageId input) const;
  void changeRange(uint32_t after, int64_t bytes);
  Wide overflowChange();
  Wide overflowOfClones(Wide enough);

  static constexpr size_t kMaxClones = 400;

  const Simulator &simulator;
  const CompactGraph &graph;
  StorageId wanted = kNone;
  uint32_t step = 0;
  MissingInput missing = MissingInput::Recompute;
  std::vector<Rank> ops, open;
  std::vector<Change> changes;
  std::vector<StorageId> extended;
  std::vector<uint8_t> isCloned; // by op: in the plan
  std::vector<uint64_t> ranks;   // a bit an op, scratch of sortOps
  /// By storage: whether it is live before `step`, known if the round is that
  /// of the plan. 2 * round + 1 if it is.
  std::vector<uint64_t> liveIn;
  std::vector<uint64_t> extendedIn; // by storage: round that extended it
  uint64_t round = 0;
  std::vector<uint8_t> isHere; // by storage, scratch of overflowOfClones
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_CLONEPLANNER_H
