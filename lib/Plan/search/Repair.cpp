//===- Repair.cpp - Making a sequence fit ---------------------------------===//
//
// Input:   a settled and indexed sequence.
// Output:  one with less overflow, or none; without unneeded clones.
// Method:  lazy greedy. A candidate ends the life of a storage between two of
//          its readers, with an overflow in between, and recomputes it before
//          the second one. Its score is the overflow it removes for the cost it
//          adds. Scores fall as others are applied, so that an old one is
//          recomputed when it comes up.
// Cost:    a settle and an index an application, and the scores.
//
//===----------------------------------------------------------------------===//
#include "Repair.h"

#include "ClonePlanner.h"

#include <algorithm>
#include <cmath>

namespace reprise::plan {

namespace {

class Repairer {
public:
  Repairer(Simulator &simulator, const RepairOptions &options,
           std::mt19937_64 &random)
      : simulator(simulator), graph(simulator.graph), options(options),
        random(random), planner(simulator) {}

  bool run() {
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      offerGaps(id, 0);
    while (!simulator.fits() && !heap.empty())
      takeBest();
    return simulator.fits();
  }

private:
  struct Candidate {
    double score;
    StorageId storage;
    uint32_t reader; // id of the step; kNone: the end
    uint32_t round;  // when it was scored
    bool operator<(const Candidate &other) const {
      if (score != other.score)
        return score < other.score;
      return std::tie(storage, reader) > std::tie(other.storage, other.reader);
    }
  };

  uint32_t stepOf(uint32_t reader) const {
    return reader == kNone ? simulator.size() : simulator.stepOf(reader);
  }

  /// Scores the gap before `step`; only positive scores are useful.
  double score(StorageId storage, uint32_t step) {
    uint32_t before = simulator.touchBefore(storage, step);
    if (!simulator.isLiveBefore(storage, step) ||
        !simulator.overflowsIn(before + 1, step) ||
        !planner.plan(storage, step, options.missing))
      return 0;
    double reduction = double(planner.reduction());
    if (reduction <= 0)
      return 0;
    // Nanoseconds, so that free ops don't divide by zero.
    double cost = std::max(1.0, double(planner.costOfClones()) * 1e-3);
    double value =
        reduction / (options.alpha == 1 ? cost : std::pow(cost, options.alpha));
    if (options.noise > 0)
      value *=
          std::exp(options.noise * std::normal_distribution<double>()(random));
    return value;
  }

  void push(const Candidate &candidate) {
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end());
  }

  void offer(StorageId storage, uint32_t step) {
    double value = score(storage, step);
    if (value > 0)
      push({value, storage,
            step == simulator.size() ? kNone : simulator.steps[step].id,
            round});
  }

  /// Offers the life between two touches.
  void offerGap(StorageId storage, uint32_t before, uint32_t step) {
    if (!simulator.overflowsIn(before + 1, step))
      return;
    uint32_t early = step;
    if (options.place != ClonePlace::AtReader)
      early = simulator.lastOverflowIn(before + 1, step) + 1;
    if (early == step || options.place == ClonePlace::Either)
      offer(storage, step);
    if (early != step)
      offer(storage, early);
  }

  /// Offers each life of `storage` that reaches a reader after `from`.
  void offerGaps(StorageId storage, uint32_t from) {
    Rank producer = graph.producer[storage];
    if (producer == kNone || !graph.canClone(producer))
      return;
    uint32_t before = kNone;
    for (uint32_t touch : simulator.touchesOf(storage)) {
      uint32_t step = touch / 2;
      bool reads = touch % 2 == 0;
      if (reads && before != kNone && step >= from)
        offerGap(storage, before, step);
      before = step;
    }
  }

  void takeBest() {
    std::pop_heap(heap.begin(), heap.end());
    Candidate best = heap.back();
    heap.pop_back();
    uint32_t step = stepOf(best.reader);
    if (step == kNone)
      return;
    if (best.round != round) {
      best.score = score(best.storage, step);
      best.round = round;
      if (best.score > 0 && !heap.empty() && best < heap.front())
        return push(best);
      if (best.score <= 0)
        return;
    } else if (!planner.plan(best.storage, step, options.missing)) {
      return;
    }
    apply(step);
  }

  void apply(uint32_t step) {
    std::vector<uint32_t> added = simulator.insert(step, planner.clones());
    ++round;
    // The clones' inputs live longer now, so their lives become candidates.
    for (uint32_t id : added) {
      uint32_t at = simulator.stepOf(id);
      if (at == kNone)
        continue;
      for (StorageId input : graph.inputsOf(simulator.steps[at].op))
        if (graph.producer[input] != kNone &&
            graph.canClone(graph.producer[input]) &&
            simulator.touchBefore(input, at) != kNone)
          offerGap(input, simulator.touchBefore(input, at), at);
      for (StorageId output : graph.outputsOf(simulator.steps[at].op))
        offerGaps(output, at + 1);
    }
  }

  Simulator &simulator;
  const CompactGraph &graph;
  const RepairOptions &options;
  std::mt19937_64 &random;
  ClonePlanner planner;
  std::vector<Candidate> heap;
  uint32_t round = 0;
};

} // namespace

bool repair(Simulator &simulator, const RepairOptions &options,
            std::mt19937_64 &random) {
  return simulator.fits() || Repairer(simulator, options, random).run();
}

bool insertClone(Simulator &simulator, StorageId storage, uint32_t step,
                 MissingInput missing) {
  ClonePlanner planner(simulator);
  if (!planner.plan(storage, step, missing))
    return false;
  simulator.insert(step, planner.clones());
  return true;
}

//===----------------------------------------------------------------------===//
// Pruning
//===----------------------------------------------------------------------===//

void prune(Simulator &simulator) {
  constexpr int maxPasses = 3;
  for (int pass = 0; pass < maxPasses; ++pass) {
    std::vector<std::pair<int64_t, uint32_t>> clones; // cost, id
    for (const Execution &step : simulator.steps)
      if (step.isClone)
        clones.push_back({-simulator.graph.cost[step.op], step.id});
    std::sort(clones.begin(), clones.end());
    bool changed = false;
    for (auto [cost, id] : clones) {
      uint32_t step = simulator.stepOf(id);
      if (step == kNone || !simulator.fitsWithout(step))
        continue;
      simulator.erase(step);
      changed = true;
    }
    if (!changed)
      return;
  }
}

} // namespace reprise::plan
