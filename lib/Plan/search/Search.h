//===- Search.h - Large-neighbourhood search for a budget -------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_SEARCH_H
#define REPRISE_LIB_PLAN_SEARCH_H

#include "Repair.h"

#include <functional>

namespace reprise::plan {

/// Improves sequences for one budget. All randomness comes from the seed.
class Search {
public:
  /// `patience`: see Pace.
  Search(const CompactGraph &graph, int64_t budget, uint64_t seed,
         double patience = 0)
      : graph(graph), simulator(graph, budget), random(seed),
        patience(patience) {}

  /// Repairs and prunes `start` and keeps it if it is the best so far.
  void offer(const Sequence &start, const RepairOptions &options);

  /// Offers the usual starts, the plain order and evictions, until `stop` says
  /// so.
  void offerSeeds(const std::function<bool()> &stop = {});

  /// Takes out some clones, repairs, prunes; `iterations` times, fewer for
  /// sequences of more than three times the ops and 3,000 steps, or until
  /// `stop` says so, the cost is down to `bound` or patience ends.
  void improve(uint64_t iterations, Wide bound,
               const std::function<bool()> &stop);

  int64_t budget() const { return simulator.budget; }
  bool hasSolution() const { return bestOver == 0; }
  /// The best sequence: least overflow, then least cost.
  const Sequence &solution() const { return best; }
  Wide cost() const { return bestCost; }
  Wide over() const { return bestOver; }
  int64_t peak() const { return bestPeak; }
  /// The least peak of all sequences met, and one that has it.
  int64_t leastPeak() const { return lowestPeak; }
  const Sequence &lowest() const { return lowestSequence; }

private:
  void keep();
  bool isPatient(uint64_t at, uint64_t better, uint64_t iterations) const;
  void ruin();
  void removeWhere(const std::function<bool(uint32_t)> &remove);
  void removeNeighbours();
  void removeFew();
  void insertSome();
  double uniform() { return std::uniform_real_distribution<>()(random); }
  uint32_t below(uint32_t count) {
    return std::uniform_int_distribution<uint32_t>(0, count - 1)(random);
  }
  RepairOptions randomRepair();

  const CompactGraph &graph;
  Simulator simulator;
  std::mt19937_64 random;
  const double patience;
  Sequence current, best, lowestSequence;
  static constexpr Wide kNothing = Wide(1) << 126;
  Wide currentCost = 0, currentOver = 0;
  Wide bestCost = kNothing, bestOver = kNothing;
  int64_t bestPeak = INT64_MAX, lowestPeak = INT64_MAX;
  std::vector<uint32_t> clones; // steps of the current sequence
};

/// Fewer things are tried for more ops: the second order only if the first one
/// doesn't come near the proven bytes, and starts until one is close enough.
constexpr uint32_t kManyOps = 1500;

/// Iterations that take a third of a second at work = 1, and fewer for small
/// graphs, which need fewer. From the size alone, so that results don't depend
/// on the machine.
uint64_t searchIterations(const CompactGraph &graph, double work);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_SEARCH_H
