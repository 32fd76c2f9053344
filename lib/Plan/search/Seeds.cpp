//===- Seeds.cpp - Sequences that a search starts from --------------------===//
//
// Input:   a graph, and a budget or what is resident at a cut.
// Output:  a sequence, valid but not settled; it may exceed the budget.
// Method:  eviction: as dynamic tensor rematerialization (Kirisame et al.
//          2021) with the future known. Distances and costs are found by one
//          scan over the ops for each storage given up.
//          cut: on demand.
// Cost:    eviction: a scan an eviction; cut: linear in what comes out.
//
//===----------------------------------------------------------------------===//
#include "Seeds.h"

#include <algorithm>
#include <cmath>

namespace reprise::plan {

namespace {

/// Executes ops and whatever they lack. Subclasses decide what is dropped.
/// Explicit stack: what is gone may be a long chain.
class OnDemandRun {
public:
  explicit OnDemandRun(const CompactGraph &graph)
      : graph(graph), isResident(graph.storageCount(), false),
        isOnWay(graph.opCount(), false) {
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      isResident[id] = graph.producer[id] == kNone;
  }
  virtual ~OnDemandRun() = default;

protected:
  virtual void beforeExecution(Rank) {}

  bool canClone(Rank op) const {
    return graph.canClone(op) && next <= graph.cloneBefore[op];
  }

  /// Executes `op`, after the producers of inputs that are gone. False when one
  /// of them must not be executed again.
  bool execute(Rank first) {
    stack.push_back({first, 0});
    isOnWay[first] = true;
    while (!stack.empty()) {
      auto [op, index] = stack.back();
      if (index < graph.inputs.size(op)) {
        ++stack.back().second;
        StorageId input = graph.inputs.begin(op)[index];
        if (isResident[input])
          continue;
        Rank producer = graph.producer[input];
        if (producer == kNone || !canClone(producer) || isOnWay[producer])
          return false;
        isOnWay[producer] = true;
        stack.push_back({producer, 0});
        continue;
      }
      stack.pop_back();
      run(op, op != first);
    }
    return true;
  }

  void run(Rank op, bool isClone) {
    beforeExecution(op);
    sequence.push_back({op, isClone, static_cast<uint32_t>(sequence.size())});
    for (StorageId output : graph.outputsOf(op))
      isResident[output] = true;
    isOnWay[op] = false;
  }

  const CompactGraph &graph;
  Rank next = 0; // first execution at hand
  std::vector<bool> isResident;
  std::vector<bool> isOnWay; // by op: waits for its inputs
  Sequence sequence;

private:
  std::vector<std::pair<Rank, uint32_t>> stack; // op, inputs looked at
};

class CutRun : public OnDemandRun {
public:
  CutRun(const CompactGraph &graph, Rank cut, const std::vector<bool> &kept)
      : OnDemandRun(graph), cut(cut), kept(kept) {}

  Sequence run() {
    for (next = 0; next < graph.opCount(); ++next) {
      if (!execute(next))
        return {};
      if (next == cut)
        dropAtCut();
    }
    return std::move(sequence);
  }

private:
  void dropAtCut() {
    for (StorageId id = 0; id < graph.storageCount(); ++id) {
      Rank producer = graph.producer[id];
      if (producer == kNone || producer >= cut || kept[id])
        continue;
      bool readTooLate = !graph.readers[id].empty() &&
                         graph.readers[id].back() > graph.cloneBefore[producer];
      if (!readTooLate && !graph.livesToEnd[id])
        isResident[id] = false;
    }
  }

  Rank cut;
  const std::vector<bool> &kept;
};

class EvictionRun : public OnDemandRun {
public:
  EvictionRun(const CompactGraph &graph, int64_t budget,
              const EvictionOptions &options)
      : OnDemandRun(graph), budget(budget), options(options),
        needed(graph.storageCount(), kNone), rebuild(graph.storageCount(), 0) {
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      live += isResident[id] ? graph.bytes[id] : 0;
  }

  Sequence run() {
    for (next = 0; next < graph.opCount(); ++next)
      if (!execute(next))
        return {};
    return std::move(sequence);
  }

private:
  int64_t bytesToRun(Rank op) const {
    int64_t bytes = graph.workspace[op];
    for (StorageId output : graph.outputsOf(op))
      bytes += isResident[output] ? 0 : graph.bytes[output];
    return bytes;
  }

  void beforeExecution(Rank op) override {
    int64_t wanted = bytesToRun(op);
    while (live + wanted > budget && giveUpOne())
      continue;
    for (StorageId output : graph.outputsOf(op))
      live += isResident[output] ? 0 : graph.bytes[output];
  }

  /// When each storage is needed by a first execution, directly or through
  /// what would have to be computed again; and what computing it again costs.
  void assess() {
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      needed[id] = graph.livesToEnd[id] ? graph.opCount() : kNone;
    for (Rank op = graph.opCount(); op-- > 0;) {
      Rank when = op >= next ? op : kNone;
      if (op < next)
        for (StorageId output : graph.outputsOf(op))
          if (!isResident[output])
            when = std::min(when, needed[output]);
      if (isOnWay[op])
        when = std::min(when, next);
      for (StorageId input : graph.inputsOf(op))
        needed[input] = std::min(needed[input], when);
    }
    for (Rank op = 0; op < next; ++op) {
      double cost = graph.cost[op];
      for (StorageId input : graph.inputsOf(op))
        cost += isResident[input] ? 0 : rebuild[input];
      for (StorageId output : graph.outputsOf(op))
        rebuild[output] = std::min(cost, 1e18);
    }
  }

  bool isLocked(StorageId id) const {
    Rank producer = graph.producer[id];
    if (producer == kNone || producer >= next || !graph.canClone(producer))
      return true;
    Rank last = graph.cloneBefore[producer];
    if (last < graph.opCount() &&
        (graph.readers[id].empty() || graph.readers[id].back() > last))
      return true;
    for (Rank reader : graph.readers[id])
      if (isOnWay[reader])
        return true;
    return isOnWay[producer];
  }

  bool giveUpOne() {
    assess();
    StorageId best = kNone;
    double bestScore = -1;
    for (StorageId id = 0; id < graph.storageCount(); ++id) {
      if (!isResident[id] || (needed[id] != kNone && isLocked(id)))
        continue;
      if (needed[id] == kNone) { // nobody needs it any more
        drop(id);
        return true;
      }
      double score =
          graph.bytes[id] *
          std::pow(double(needed[id]) - next + 1, options.distancePower) /
          std::pow(rebuild[id] + 1, options.costPower);
      if (score > bestScore) {
        bestScore = score;
        best = id;
      }
    }
    if (best == kNone)
      return false;
    drop(best);
    return true;
  }

  void drop(StorageId id) {
    isResident[id] = false;
    live -= graph.bytes[id];
  }

  int64_t budget, live = 0;
  const EvictionOptions &options;
  std::vector<Rank> needed;    // by storage
  std::vector<double> rebuild; // by storage
};

} // namespace

Sequence evict(const CompactGraph &graph, int64_t budget,
               const EvictionOptions &options) {
  return EvictionRun(graph, budget, options).run();
}

Sequence recomputeBehind(const CompactGraph &graph, Rank cut,
                         const std::vector<bool> &resident) {
  return CutRun(graph, cut, resident).run();
}

} // namespace reprise::plan
