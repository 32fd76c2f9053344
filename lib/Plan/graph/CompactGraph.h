//===- CompactGraph.h - The graph that searches work on ---------*- C++ -*-===//
//
// A graph and an order of its ops, renumbered: ops by their rank in the order,
// storages instead of values (views and fixed values are removed). Costs are
// integers, so that sums are exact and bounds rigorous.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_COMPACTGRAPH_H
#define REPRISE_LIB_PLAN_COMPACTGRAPH_H

#include "Wide.h"
#include "reprise/Plan/Recompute.h"

namespace reprise::plan {

/// Rank of an op in the order of first executions.
using Rank = uint32_t;
using StorageId = uint32_t;

/// A list for each of many items, in one array.
template <typename T> class Lists {
public:
  void startItem() { starts.push_back(items.size()); }
  void add(T item) { items.push_back(item); }
  void finish() { starts.push_back(items.size()); }
  const T *begin(uint32_t item) const { return items.data() + starts[item]; }
  const T *end(uint32_t item) const { return items.data() + starts[item + 1]; }
  uint32_t size(uint32_t item) const { return starts[item + 1] - starts[item]; }
  uint32_t startOf(uint32_t item) const { return starts[item]; }
  uint32_t total() const { return items.size(); }

private:
  std::vector<T> items;
  std::vector<uint32_t> starts;
};

struct ListRange {
  const uint32_t *first, *last;
  const uint32_t *begin() const { return first; }
  const uint32_t *end() const { return last; }
};

struct CompactGraph {
  /// Picoseconds: 10^9 a millisecond.
  static constexpr double kPerMillisecond = 1e9;

  std::vector<OpId> opOf;         // by rank
  std::vector<int64_t> cost;      // by rank, picoseconds
  std::vector<int64_t> workspace; // by rank, bytes
  /// By rank: the last rank whose first execution may still follow a clone of
  /// the op; 0 if the op must not be executed again.
  std::vector<Rank> cloneBefore;
  /// By rank: true if any schedule may execute the op again. Bounds use this;
  /// searches omit some of these ops, as cloneBefore states.
  std::vector<bool> mayRepeat;
  /// By rank: ops that only make views of the op's results. They are executed
  /// again with it, at no cost, where a view is still read.
  Lists<Rank> views;
  Lists<StorageId> inputs;  // by rank, distinct
  Lists<StorageId> outputs; // by rank
  /// By rank: pairs (output, input) that may share bytes when the input dies.
  Lists<std::pair<StorageId, StorageId>> inPlace;

  std::vector<ValueId> valueOf; // by storage: the root
  std::vector<int64_t> bytes;   // by storage
  std::vector<Rank> producer;   // by storage; kNone: an input of the step
  std::vector<bool> livesToEnd; // by storage
  std::vector<std::vector<Rank>> readers; // by storage, ascending

  /// All bytes above are multiples of it, and it is a multiple of kAlignment.
  int64_t unit = kAlignment;
  int64_t totalBytes = 0; // of storages and workspaces

  uint32_t opCount() const { return opOf.size(); }
  uint32_t storageCount() const { return bytes.size(); }
  ListRange inputsOf(Rank op) const {
    return {inputs.begin(op), inputs.end(op)};
  }
  ListRange outputsOf(Rank op) const {
    return {outputs.begin(op), outputs.end(op)};
  }
  /// The factor by which sizes are larger than necessary. Searches divide
  /// budgets by it, round, and multiply again: the same sizes in another unit
  /// give the same schedules.
  int64_t scale() const { return unit / static_cast<int64_t>(kAlignment); }
  bool canClone(Rank op) const { return cloneBefore[op] != 0; }
  int64_t totalCost() const;
};

CompactGraph makeCompact(const Graph &graph, const std::vector<OpId> &order);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_COMPACTGRAPH_H
