//===- SearchTest.cpp - Solvers and bounds against the oracle -------------===//
#include "search/Search.h"
#include "BruteForce.h"
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

/// How `auto` and the bounds do on many graphs.
struct Score {
  unsigned pairs = 0, optimal = 0, missed = 0, cheaper = 0, boundIsCost = 0;
};

} // namespace

/// Graphs are this many times as many as in `ninja check`, for a longer look:
/// REPRISE_TIMES=10 PlanTest --gtest_filter='Search.IsOptimal*'.
static uint64_t times() {
  const char *text = std::getenv("REPRISE_TIMES");
  return text ? std::max(1ull, std::strtoull(text, nullptr, 10)) : 1;
}

/// Solvers find nothing that isn't so, and bounds stay below the optimum.
static void checkBudget(const Graph &graph, uint64_t budget, Score &score) {
  std::optional<double> best = bruteForceCost(graph, budget, {false, 2});
  ASSERT_TRUE(best);
  ++score.pairs;
  LowerBound bound = lowerBound(graph, budget);
  ASSERT_TRUE(bound.feasible);
  EXPECT_LE(bound.milliseconds, *best + 1e-6);
  SolverOptions options;
  options.budgetBytes = budget;
  Solution solution =
      createSolver("auto")->solve(graph, programOrder(graph).order, options);
  if (solution.executions.empty()) {
    ++score.missed;
    return;
  }
  ASSERT_EQ(checkExecutions(graph, solution.executions), "");
  EXPECT_LE(solution.maxLive, budget);
  EXPECT_EQ(maxLiveOf(graph, solution.executions), solution.maxLive);
  EXPECT_NEAR(costOf(graph, solution.executions), solution.milliseconds, 1e-9);
  EXPECT_GE(solution.milliseconds, bound.milliseconds - 1e-6);
  // The oracle executes an op twice at most.
  score.cheaper += solution.milliseconds < *best - 1e-9;
  score.optimal += solution.milliseconds <= *best + 1e-9;
  score.boundIsCost += bound.milliseconds >= *best - 1e-6;
}

static void checkGraphBudgets(const Graph &graph, Score &score) {
  uint64_t least = bruteForcePeak(graph, {false, 2});
  uint64_t plain = maxLiveOf(graph, programOrder(graph).order);
  EXPECT_LE(lowestBytes(graph).bytes, least);
  EXPECT_FALSE(bruteForceCost(graph, least - 1, {false, 2}));
  constexpr uint64_t parts = 6;
  std::set<uint64_t> budgets;
  for (uint64_t part = 0; part < parts; ++part)
    budgets.insert(least +
                   (plain - least) * part / parts / kAlignment * kAlignment);
  for (uint64_t budget : budgets)
    if (budget < plain) {
      ASSERT_NO_FATAL_FAILURE(checkBudget(graph, budget, score));
    }
}

static void expectNearlyAlwaysOptimal(const Score &score) {
  std::printf("%u pairs, %.2f%% optimal, %.2f%% missed, %u cheaper by a third "
              "execution, %.2f%% proven\n",
              score.pairs, 100. * score.optimal / score.pairs,
              100. * score.missed / score.pairs, score.cheaper,
              100. * score.boundIsCost / score.pairs);
  EXPECT_GE(score.optimal, 0.97 * score.pairs);
  EXPECT_LE(score.missed, 0.01 * score.pairs);
  EXPECT_LE(score.cheaper, 0.05 * score.pairs);
}

TEST(Search, IsOptimalOnRandomGraphs) {
  Score score;
  for (uint64_t seed = 0; seed < 200 * times(); ++seed) {
    RandomGraphOptions options;
    options.ops = 5 + seed % 4;
    options.views = false;
    Graph graph = makeRandomGraph(seed, options);
    for (OpId op = 0; op < graph.ops.size(); ++op)
      graph.ops[op].cost = 0.25 * double(1 + (seed * 7 + 5 * op) % 9);
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(checkGraphBudgets(graph, score));
  }
  EXPECT_GE(score.pairs, 600u);
  expectNearlyAlwaysOptimal(score);
}

TEST(Search, IsOptimalOnRandomTrainingGraphs) {
  Score score;
  for (uint64_t seed = 0; seed < 600 * times(); ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 2 + seed % 3;
    options.views = false;
    Graph graph = makeRandomTrainingGraph(seed, options);
    if (graph.ops.size() > 9)
      continue;
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(checkGraphBudgets(graph, score));
  }
  EXPECT_GE(score.pairs, 500u);
  expectNearlyAlwaysOptimal(score);
}

// Bounds must hold for every order, and with views, where the oracle may
// reorder.
TEST(Search, BoundsHoldInAnyOrder) {
  unsigned pairs = 0, positive = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    RandomGraphOptions options;
    options.ops = 5 + seed % 2;
    Graph graph = makeRandomGraph(seed, options);
    for (OpId op = 0; op < graph.ops.size(); ++op)
      graph.ops[op].cost = 0.25 * double(1 + (seed * 3 + 5 * op) % 9);
    SCOPED_TRACE(seed);
    double total = costOf(graph, programOrder(graph).order);
    uint64_t least = bruteForcePeak(graph, {true, 2});
    EXPECT_LE(lowestBytes(graph).bytes, least);
    EXPECT_FALSE(lowerBound(graph, lowestBytes(graph).bytes - 1).feasible);
    for (uint64_t budget : {least, least + 64, least + 320}) {
      std::optional<double> best = bruteForceCost(graph, budget, {true, 2});
      ASSERT_TRUE(best);
      LowerBound bound = lowerBound(graph, budget);
      ASSERT_TRUE(bound.feasible);
      EXPECT_LE(bound.milliseconds, *best + 1e-6) << budget;
      positive += bound.milliseconds > total + 1e-6;
      ++pairs;
    }
  }
  EXPECT_GE(pairs, 300u);
  EXPECT_GT(positive, 0u);
}

// d makes an output and reads a, which is there early on only: the output is
// made again behind the peak, not in front of a reader.
TEST(Search, PutsClonesBehindTheOverflow) {
  unsigned early = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 12;
    Graph graph = makeRandomTrainingGraph(seed, options);
    SolverOptions solverOptions;
    solverOptions.budgetBytes = (lowestBytes(graph).bytes +
                                 maxLiveOf(graph, programOrder(graph).order)) /
                                2;
    Solution solution = createSolver("auto")->solve(
        graph, programOrder(graph).order, solverOptions);
    std::vector<bool> hasRun(graph.ops.size(), false);
    for (size_t at = 0; at + 1 < solution.executions.size(); ++at) {
      OpId op = solution.executions[at], next = solution.executions[at + 1];
      bool reads = false;
      for (ValueId output : graph.ops[op].outputs)
        for (ValueId input : graph.ops[next].inputs)
          reads |= input == output;
      early += hasRun[op] && !hasRun[next] && !reads;
      hasRun[op] = true;
    }
  }
  EXPECT_GT(early, 0u);
}

// A view that costs nothing is made again with its base.
TEST(Search, MakesViewsAgainWithTheirBase) {
  GraphBuilder b;
  ValueId x = b.input(64);
  ValueId a = b.make("a", {x}, 6400);
  ValueId view = b.view("view", a, 6400);
  ValueId small = b.make("b", {view}, 64);
  ValueId c = b.make("c", {small}, 6400);
  ValueId d = b.make("d", {c}, 64);
  b.result(b.op("e", {d, view}), 64, StorageClass::Output);
  for (Op &op : b.graph.ops)
    op.cost = op.name == "view" ? 0 : 1;
  SolverOptions options;
  options.budgetBytes = 6400 + 64 * 3;
  Solution solution = createSolver("auto")->solve(
      b.graph, programOrder(b.graph).order, options);
  EXPECT_EQ(solution.executions, (Executions{0, 1, 2, 3, 4, 0, 1, 5}));
  EXPECT_EQ(bruteForceCost(b.graph, options.budgetBytes, {}), 6.0);
}

TEST(Search, GivesTheSameForAnyNumberOfThreads) {
  TrainingGraphOptions graphOptions;
  graphOptions.forwardOps = 40;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Graph graph = makeRandomTrainingGraph(seed, graphOptions);
    std::vector<OpId> order = programOrder(graph).order;
    SolverOptions options;
    options.budgetBytes = maxLiveOf(graph, order) * 7 / 10;
    options.work = 0.2;
    Solution one = createSolver("auto")->solve(graph, order, options);
    options.threads = 3;
    Solution three = createSolver("auto")->solve(graph, order, options);
    EXPECT_EQ(one.executions, three.executions);
  }
}

/// The iterations after which a search of `most` ends. It begins with the plain
/// order.
static uint64_t iterationsOf(const CompactGraph &graph, int64_t budget,
                             uint64_t most, double patience, Wide &cost) {
  Search search(graph, budget, 1, patience);
  search.offer(plainSequence(graph), {});
  uint64_t done = 0;
  search.improve(most, 0, [&] { return ++done > most; });
  cost = search.cost();
  return done;
}

TEST(Search, EndsWhenNothingBetterCameForAsLongAsItTook) {
  Graph graph = makeRandomTrainingGraph(3, {});
  std::vector<OpId> order = programOrder(graph).order;
  CompactGraph compact = makeCompact(graph, order);
  int64_t budget = int64_t(maxLiveOf(graph, order) * 7 / 10);
  constexpr uint64_t most = 2000;
  Wide fullCost = 0, cost = 0;
  EXPECT_EQ(iterationsOf(compact, budget, most, 0, fullCost), most);
  uint64_t done = iterationsOf(compact, budget, most, 1, cost);
  EXPECT_GE(done, most / 8);
  EXPECT_LT(done, most);
  EXPECT_GE(cost, fullCost);
}

// The fourth input of a sum is made beside the other three; no recomputation
// helps. The bytes of the sum alone say less.
TEST(LeastBytes, SeesWhatWasThereTogether) {
  GraphBuilder b;
  ValueId x = b.input(64);
  std::vector<ValueId> parts;
  for (const char *name : {"a", "b", "c"}) {
    ValueId seed = b.make(name, {x}, 3200);
    parts.push_back(b.make(name, {seed}, 6400));
  }
  b.result(b.op("sum", parts), 64, StorageClass::Output);
  EXPECT_EQ(lowestBytes(b.graph).bytes, 3u * 6400 + 3200);
  EXPECT_EQ(bruteForcePeak(b.graph, {true, 2}), 3u * 6400 + 3200);
}
