//===- Eviction.cpp - Evicting storages where bytes are short -------------===//
//
// Input:   a graph and a budget.
// Output:  a sequence, valid but not settled; it may exceed the budget.
// Method:  as dynamic tensor rematerialization (Kirisame et al. 2021) with the
//          future known. The next need of a storage, and its cost of
//          recomputation, change only near executed or evicted storages:
//          changes are collected and propagated, in the order of the ops, at
//          the next eviction.
// Cost:    a scan of the resident storages for each eviction.
//
//===----------------------------------------------------------------------===//
#include "SeedRun.h"
#include "Seeds.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>

namespace reprise::plan {

namespace {

/// Items that wait for their turn, each once.
template <typename Order> class Agenda {
public:
  explicit Agenda(uint32_t count) : isIn(count, false) {}

  void add(uint32_t turn, uint32_t item) {
    if (isIn[item])
      return;
    isIn[item] = true;
    items.push({turn, item});
  }
  bool isEmpty() const { return items.empty(); }
  uint32_t take() {
    uint32_t item = items.top().second;
    items.pop();
    isIn[item] = false;
    return item;
  }

private:
  using Entry = std::pair<uint32_t, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, Order> items;
  std::vector<bool> isIn;
};

class EvictionRun : public BudgetedRun {
public:
  EvictionRun(const CompactGraph &graph, int64_t budget,
              const EvictionOptions &options)
      : BudgetedRun(graph, budget), options(options),
        needed(graph.storageCount(), kNone), rebuild(graph.storageCount(), 0),
        costWeight(graph.storageCount(), kUnknown),
        position(graph.storageCount(), kNone), staleNeeds(graph.storageCount()),
        staleCosts(graph.opCount()) {
    mostSteps = std::max<size_t>(20000, size_t(4) * graph.opCount());
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      markNeed(id);
    for (uint32_t steps = 0; steps <= graph.opCount() + 1; ++steps)
      distanceWeight.push_back(std::pow(double(steps), options.distancePower));
  }

private:
  void onWait(Rank op) override { markNeedsOf(op); }

  void afterExecution(Rank op) override {
    for (StorageId output : graph.outputsOf(op)) {
      markNeed(output);
      markReaders(output);
      if (position[output] == kNone && mayBeGivenUp(output)) {
        position[output] = candidates.size();
        candidates.push_back(output);
      }
    }
    markNeedsOf(op);
    staleCosts.add(op, op);
  }

  //===--- Changes --------------------------------------------------------===//

  /// The last ops' storages first: needs follow from those of later ones.
  void markNeed(StorageId id) { staleNeeds.add(graph.producer[id] + 1, id); }

  void markNeedsOf(Rank op) {
    for (StorageId input : graph.inputsOf(op))
      markNeed(input);
  }

  void markReaders(StorageId id) {
    for (Rank reader : graph.readers[id]) {
      if (reader >= next)
        break;
      staleCosts.add(reader, reader);
    }
  }

  void update() {
    while (!staleNeeds.isEmpty())
      updateNeed(staleNeeds.take());
    while (!staleCosts.isEmpty())
      updateCost(staleCosts.take());
  }

  /// Returns the first execution that needs a storage, directly or through
  /// values that would have to be recomputed.
  Rank findNeed(StorageId id) const {
    Rank when = graph.livesToEnd[id] ? graph.opCount() : kNone;
    for (Rank reader : graph.readers[id]) {
      if (reader >= next)
        return std::min(when, reader);
      if (isOnWay[reader])
        return next;
      for (StorageId output : graph.outputsOf(reader))
        if (!isResident[output])
          when = std::min(when, needed[output]);
    }
    return when;
  }

  void updateNeed(StorageId id) {
    Rank when = findNeed(id);
    if (isResident[id] && when == kNone)
      unneeded.insert(id);
    else
      unneeded.erase(id);
    if (when == needed[id])
      return;
    needed[id] = when;
    Rank producer = graph.producer[id];
    if (!isResident[id] && producer != kNone && producer < next)
      markNeedsOf(producer);
  }

  /// Updates the cost of recomputing the op's results.
  void updateCost(Rank op) {
    double cost = graph.cost[op];
    for (StorageId input : graph.inputsOf(op))
      cost += isResident[input] ? 0 : rebuild[input];
    cost = std::min(cost, 1e18);
    for (StorageId output : graph.outputsOf(op)) {
      if (rebuild[output] == cost)
        continue;
      rebuild[output] = cost;
      costWeight[output] = kUnknown;
      if (!isResident[output])
        markReaders(output);
    }
  }

  //===--- Evictions ------------------------------------------------------===//

  /// Returns true if the storage's producer can be executed again for all its
  /// readers.
  bool mayBeGivenUp(StorageId id) const {
    Rank producer = graph.producer[id];
    if (producer == kNone || !graph.canClone(producer))
      return false;
    Rank last = graph.cloneBefore[producer];
    return last >= graph.opCount() ||
           (!graph.readers[id].empty() && graph.readers[id].back() <= last);
  }

  bool isLocked(StorageId id) const {
    for (Rank reader : graph.readers[id])
      if (isOnWay[reader])
        return true;
    return isOnWay[graph.producer[id]];
  }

  bool giveUpOne() override {
    update();
    if (!unneeded.empty()) {
      giveUp(*unneeded.begin());
      return true;
    }
    StorageId best = kNone;
    double bestScore = -1;
    for (StorageId id : candidates) {
      if (costWeight[id] == kUnknown)
        costWeight[id] = std::pow(rebuild[id] + 1, options.costPower);
      double score = graph.bytes[id] * distanceWeight[needed[id] - next + 1] /
                     costWeight[id];
      bool isBetter = score != bestScore ? score > bestScore : id < best;
      if (isBetter && !isLocked(id)) {
        bestScore = score;
        best = id;
      }
    }
    if (best == kNone)
      return false;
    giveUp(best);
    return true;
  }

  void giveUp(StorageId id) {
    drop(id);
    unneeded.erase(id);
    if (uint32_t at = position[id]; at != kNone) {
      candidates[at] = candidates.back();
      position[candidates[at]] = at;
      candidates.pop_back();
      position[id] = kNone;
    }
    markReaders(id);
    Rank producer = graph.producer[id];
    if (producer != kNone && producer < next)
      markNeedsOf(producer);
  }

  static constexpr double kUnknown = -1;

  const EvictionOptions &options;
  std::vector<Rank> needed;           // by storage, see findNeed
  std::vector<double> rebuild;        // by storage, see updateCost
  std::vector<double> costWeight;     // by storage: to a power, or kUnknown
  std::vector<double> distanceWeight; // by steps: to a power
  std::set<StorageId> unneeded;       // resident ones
  std::vector<StorageId> candidates;  // resident, in any order
  std::vector<uint32_t> position;     // by storage: among the candidates
  Agenda<std::less<std::pair<uint32_t, uint32_t>>> staleNeeds;
  Agenda<std::greater<std::pair<uint32_t, uint32_t>>> staleCosts;
};

} // namespace

Sequence evict(const CompactGraph &graph, int64_t budget,
               const EvictionOptions &options) {
  return EvictionRun(graph, budget, options).run();
}

} // namespace reprise::plan
