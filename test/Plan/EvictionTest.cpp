//===- EvictionTest.cpp - What is given up where bytes are short ----------===//
#include "GraphBuilder.h"
#include "search/SeedRun.h"
#include "search/Seeds.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

/// Looks at the whole program for each storage that is given up.
class PlainEviction : public BudgetedRun {
public:
  PlainEviction(const CompactGraph &graph, int64_t budget,
                const EvictionOptions &options)
      : BudgetedRun(graph, budget), options(options),
        needed(graph.storageCount(), kNone), rebuild(graph.storageCount(), 0) {}

private:
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

  bool giveUpOne() override {
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

  const EvictionOptions &options;
  std::vector<Rank> needed;    // by storage
  std::vector<double> rebuild; // by storage
};

} // namespace

static bool areEqual(const Sequence &a, const Sequence &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Execution &x, const Execution &y) {
                      return x.op == y.op && x.isClone == y.isClone;
                    });
}

static Graph makeGraph(uint64_t seed) {
  if (seed % 2) {
    TrainingGraphOptions options;
    options.forwardOps = 5 + seed % 40;
    return makeRandomTrainingGraph(seed, options);
  }
  RandomGraphOptions options;
  options.ops = 5 + seed % 60;
  Graph graph = makeRandomGraph(seed, options);
  for (OpId op = 0; op < graph.ops.size(); ++op)
    graph.ops[op].cost = 0.25 * double((seed + 5 * op) % 9);
  return graph;
}

/// Needs and costs follow what is executed and given up.
TEST(Eviction, EqualsScansOfTheProgram) {
  uint64_t clones = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph = makeGraph(seed);
    CompactGraph compact = makeCompact(graph, programOrder(graph).order);
    Simulator simulator(compact, INT64_MAX / 4);
    simulator.settle(plainSequence(compact));
    for (int64_t percent : {30, 60, 85})
      for (const EvictionOptions &options :
           {EvictionOptions{0, 0.5}, EvictionOptions{0.5, 1},
            EvictionOptions{2, 1.5}}) {
        int64_t budget = simulator.peak * percent / 100;
        Sequence plain = PlainEviction(compact, budget, options).run();
        EXPECT_TRUE(areEqual(evict(compact, budget, options), plain));
        clones += plain.size() > compact.opCount();
      }
  }
  EXPECT_GT(clones, 500u);
}
