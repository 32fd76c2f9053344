//===- BruteForceTest.cpp - The oracle against all sequences --------------===//
#include "BruteForce.h"
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

/// Writes down every sequence of executions and simulates each one.
struct Enumeration {
  const Graph &graph;
  BruteForceOptions options;
  std::vector<std::pair<uint64_t, double>> found; // max-live, cost
  Executions executions;
  std::vector<unsigned> times;

  Enumeration(const Graph &graph, const BruteForceOptions &options)
      : graph(graph), options(options), times(graph.ops.size(), 0) {
    extend();
  }

  void extend() {
    if (checkExecutions(graph, executions).empty())
      found.push_back(
          {maxLiveOf(graph, executions), costOf(graph, executions)});
    for (OpId op = 0; op < graph.ops.size(); ++op) {
      unsigned most = graph.ops[op].runsOnce ? 1 : options.maxExecutions;
      if (times[op] == most || (!times[op] && !mayComeFirst(op)))
        continue;
      ++times[op];
      executions.push_back(op);
      extend();
      executions.pop_back();
      --times[op];
    }
  }

  bool mayComeFirst(OpId op) const {
    for (OpId before = 0; before < op; ++before)
      if (!options.freeOrder && !times[before])
        return false;
    auto hasRun = [&](ValueId id) {
      OpId producer = graph.values[id].producer;
      return producer == kNone || producer == op || times[producer];
    };
    for (ValueId input : graph.ops[op].inputs)
      for (ValueId at = input; at != kNone; at = graph.values[at].viewOf)
        if (!hasRun(at))
          return false;
    return true;
  }
};

} // namespace

static void compare(const Graph &graph, const BruteForceOptions &options,
                    unsigned &feasible) {
  Enumeration all(graph, options);
  ASSERT_FALSE(all.found.empty());
  uint64_t least = UINT64_MAX;
  std::vector<uint64_t> budgets;
  for (auto [peak, cost] : all.found) {
    least = std::min(least, peak);
    budgets.push_back(peak);
  }
  EXPECT_EQ(bruteForcePeak(graph, options), least);
  EXPECT_FALSE(bruteForceCost(graph, least - 1, options));
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  for (uint64_t budget : budgets) {
    double cheapest = 1e300;
    for (auto [peak, cost] : all.found)
      if (peak <= budget)
        cheapest = std::min(cheapest, cost);
    std::optional<double> cost = bruteForceCost(graph, budget, options);
    ASSERT_TRUE(cost);
    EXPECT_NEAR(*cost, cheapest, 1e-9) << budget;
    ++feasible;
  }
}

TEST(BruteForce, EqualsAllSequences) {
  unsigned budgets = 0;
  for (uint64_t seed = 0; seed < 300; ++seed)
    for (bool freeOrder : {false, true}) {
      SCOPED_TRACE("seed " + std::to_string(seed) +
                   (freeOrder ? ", free order" : ", fixed order"));
      RandomGraphOptions options;
      options.ops = 3 + seed % 2;
      Graph graph = makeRandomGraph(seed, options);
      for (OpId op = 0; op < graph.ops.size(); ++op) {
        graph.ops[op].cost = 0.25 * double(1 + (seed + 5 * op) % 9);
        graph.ops[op].runsOnce = (seed + op) % 5 == 0;
      }
      ASSERT_NO_FATAL_FAILURE(compare(graph, {freeOrder, 2}, budgets));
    }
  EXPECT_GT(budgets, 1000u);
}

TEST(BruteForce, EqualsAllSequencesOfTrainingGraphs) {
  unsigned budgets = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 2;
    Graph graph = makeRandomTrainingGraph(seed, options);
    if (graph.ops.size() > 5)
      continue;
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(compare(graph, {false, 2}, budgets));
  }
  EXPECT_GT(budgets, 100u);
}

// e reads a, which is large: it is there while c runs, or is made again from
// x, which then is.
TEST(BruteForce, TradesBytesForTime) {
  GraphBuilder b;
  ValueId x = b.input(64);
  ValueId a = b.make("a", {x}, 6400);
  ValueId small = b.make("b", {a}, 64);
  ValueId c = b.make("c", {small}, 3200);
  ValueId d = b.make("d", {c}, 64);
  b.result(b.op("e", {d, a}), 64, StorageClass::Output);
  for (Op &op : b.graph.ops)
    op.cost = 1;
  EXPECT_EQ(bruteForceCost(b.graph, 6400 + 64 + 3200, {}), 5.0);
  EXPECT_EQ(bruteForceCost(b.graph, 6400 + 64 + 3199, {}), 6.0);
  EXPECT_EQ(bruteForceCost(b.graph, 64 + 6400 + 64, {}), 6.0);
  EXPECT_FALSE(bruteForceCost(b.graph, 64 + 6400 + 63, {}));
  EXPECT_EQ(bruteForcePeak(b.graph, {}), 64u + 6400 + 64);
}

TEST(BruteForce, NoBaselineBeatsIt) {
  unsigned optimal = 0, found = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 3;
    Graph graph = makeRandomTrainingGraph(seed, options);
    if (graph.ops.size() > 9)
      continue;
    std::vector<OpId> order = programOrder(graph).order;
    uint64_t peak = maxLiveOf(graph, order);
    uint64_t least = bruteForcePeak(graph, {false, 3});
    for (uint64_t part = 0; part < 4; ++part) {
      SolverOptions solverOptions;
      solverOptions.budgetBytes = least + (peak - least) * part / 4;
      std::optional<double> cost =
          bruteForceCost(graph, solverOptions.budgetBytes, {false, 3});
      ASSERT_TRUE(cost);
      for (const char *name : {"chen", "threshold", "revolve", "rotor"}) {
        Solution solution =
            createSolver(name)->solve(graph, order, solverOptions);
        if (solution.executions.empty())
          continue;
        ++found;
        EXPECT_GE(solution.milliseconds, *cost - 1e-9) << name << " " << seed;
        optimal += solution.milliseconds <= *cost + 1e-9;
      }
    }
  }
  EXPECT_GT(optimal, 50u);
  EXPECT_LT(optimal, found);
}
