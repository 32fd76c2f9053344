//===- Search.cpp - Large-neighbourhood search for a budget ---------------===//
//
// Input:   a graph, a budget, sequences to start from.
// Output:  the cheapest sequence found that fits; while none does, the one
//          that exceeds the budget least.
// Method:  ruin and repair (Shaw 1998): clones near one another are taken out,
//          which makes what they made live longer; repair ends other lives;
//          prune takes out what is not needed. Slightly worse results are
//          accepted with a falling temperature.
// Cost:    some simulations an iteration: about a millisecond for a thousand
//          ops.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "Seeds.h"

#include <algorithm>
#include <cmath>

namespace reprise::plan {

void Search::keep() {
  if (simulator.peak < lowestPeak) {
    lowestPeak = simulator.peak;
    lowestSequence = simulator.steps;
  }
  if (std::tie(simulator.over, simulator.cost) >= std::tie(bestOver, bestCost))
    return;
  bestOver = simulator.over;
  bestCost = simulator.cost;
  bestPeak = simulator.peak;
  best = simulator.steps;
}

void Search::offer(const Sequence &start, const RepairOptions &options) {
  if (start.empty())
    return;
  simulator.settle(start);
  simulator.renumber();
  simulator.index();
  if (repair(simulator, options, random))
    prune(simulator);
  keep();
}

void Search::offerSeeds(const std::function<bool()> &stop) {
  auto isOver = [&] { return stop && stop(); };
  Sequence plain = plainSequence(graph);
  for (MissingInput missing : {MissingInput::RecomputeOverOverflow,
                               MissingInput::Recompute, MissingInput::Extend})
    for (ClonePlace place : {ClonePlace::AtReader, ClonePlace::Either})
      if (!isOver())
        offer(plain, {missing, 1, 0, place});
  if (hasSolution() && bestCost == graph.totalCost())
    return;
  for (double distancePower : {0.5, 1.0})
    for (double costPower : {0.5, 1.0})
      if (!isOver())
        offer(evict(graph, simulator.budget, {distancePower, costPower}), {});
}

//===----------------------------------------------------------------------===//
// Ruin
//===----------------------------------------------------------------------===//

void Search::removeWhere(const std::function<bool(uint32_t)> &remove) {
  Sequence next;
  for (uint32_t at = 0; at < current.size(); ++at)
    if (!current[at].isClone || !remove(at))
      next.push_back(current[at]);
  simulator.settle(next);
  simulator.renumber();
  simulator.index();
}

/// Clones whose op, or whose place, is near that of a random one.
void Search::removeNeighbours() {
  uint32_t center = clones[below(clones.size())];
  int64_t width = 3 + below(31);
  // Ops of a thousand lie further apart than those of a hundred.
  width = width * std::max<int64_t>(1, graph.opCount() / 300);
  bool byOp = uniform() < 0.7;
  removeWhere([&](uint32_t at) {
    int64_t distance = byOp ? int64_t(current[at].op) - current[center].op
                            : int64_t(at) - center;
    return std::abs(distance) <= width;
  });
}

void Search::removeFew() {
  double share = uniform() < 0.5 ? 0.05 + 0.2 * uniform()
                                 : (1.0 + below(6)) / clones.size();
  removeWhere([&](uint32_t) { return uniform() < share; });
}

/// Computes some storage again where it need not be.
void Search::insertSome() {
  removeWhere([](uint32_t) { return false; });
  if (graph.storageCount() == 0)
    return;
  uint32_t count = 1 + below(3);
  for (uint32_t done = 0; done < count; ++done) {
    StorageId storage = below(graph.storageCount());
    Simulator::Touches touches = simulator.touchesOf(storage);
    uint32_t size = touches.end() - touches.begin();
    if (size < 2)
      continue;
    const uint32_t *touch = touches.begin() + 1 + below(size - 1);
    if (*touch % 2 != 0)
      continue;
    uint32_t before = *(touch - 1) / 2, step = *touch / 2;
    if (uniform() < 0.5)
      step = before + 1 + below(step - before);
    insertClone(simulator, storage, step,
                uniform() < 0.5 ? MissingInput::RecomputeOverOverflow
                                : MissingInput::Recompute);
  }
}

void Search::ruin() {
  clones.clear();
  for (uint32_t at = 0; at < current.size(); ++at)
    if (current[at].isClone)
      clones.push_back(at);
  double dice = uniform();
  if (clones.empty() || dice < 0.15)
    insertSome();
  else if (dice < 0.7)
    removeNeighbours();
  else
    removeFew();
}

RepairOptions Search::randomRepair() {
  RepairOptions options;
  double dice = uniform();
  options.missing = dice < 0.6    ? MissingInput::RecomputeOverOverflow
                    : dice < 0.85 ? MissingInput::Recompute
                                  : MissingInput::Extend;
  dice = uniform();
  options.place = dice < 0.7    ? ClonePlace::AtReader
                  : dice < 0.85 ? ClonePlace::BehindOverflow
                                : ClonePlace::Either;
  options.alpha = 0.8 + 0.4 * uniform();
  options.noise = uniform() < 0.3 ? 0 : 0.5 * uniform();
  return options;
}

/// Returns true if the search goes on at iteration `at` where the last better
/// schedule came at `better`.
bool Search::isPatient(uint64_t at, uint64_t better,
                       uint64_t iterations) const {
  constexpr uint64_t few = 10, part = 8;
  bool isEarly = at < std::max(few, iterations / part);
  return patience == 0 || bestOver != 0 || isEarly ||
         double(at - better) <= patience * double(better);
}

void Search::improve(uint64_t iterations, Wide bound,
                     const std::function<bool()> &stop) {
  current = best;
  currentCost = bestCost;
  currentOver = bestOver;
  uint64_t better = 0;
  uint64_t steps = iterations * std::max(3000u, 3 * graph.opCount());
  Wide lastCost = bestCost;
  for (uint64_t at = 0; at < iterations && steps >= current.size(); ++at) {
    steps -= current.size();
    if (bestCost != lastCost)
      better = at;
    lastCost = bestCost;
    if ((bestOver == 0 && bestCost <= bound) || (stop && stop()) ||
        !isPatient(at, better, iterations))
      return;
    double temperature =
        1.5e-4 * graph.totalCost() * (1 - double(at) / double(iterations));
    ruin();
    if (repair(simulator, randomRepair(), random))
      prune(simulator);
    keep();
    bool accepted;
    if (currentOver || simulator.over)
      accepted = simulator.over <= currentOver;
    else
      accepted = simulator.cost <= currentCost ||
                 uniform() < std::exp(double(currentCost - simulator.cost) /
                                      std::max(temperature, 1.0));
    if (!accepted)
      continue;
    current = simulator.steps;
    currentCost = simulator.cost;
    currentOver = simulator.over;
  }
}

uint64_t searchIterations(const CompactGraph &graph, double work) {
  // An iteration's edits and scores are each linear in the ops at worst.
  double ops = std::max(1u, graph.opCount());
  return std::max(20.0, work * std::min(400.0, 4e5 / ops));
}

} // namespace reprise::plan
