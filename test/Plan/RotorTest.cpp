//===- RotorTest.cpp - The chain's optimum against other rules ------------===//
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

using namespace reprise::plan;
using namespace reprise::plan::test;

static Solution solve(const Graph &graph, const std::string &name,
                      uint64_t budget) {
  SolverOptions options;
  options.budgetBytes = budget;
  return createSolver(name)->solve(graph, programOrder(graph).order, options);
}

/// One op a stage, each the same: reading its input in the backward pass.
static Graph makeUniformChain(uint32_t length) {
  GraphBuilder b;
  std::vector<ValueId> at = {b.input(64)};
  for (uint32_t i = 0; i < length; ++i)
    at.push_back(b.make("f", {at.back()}, 6400));
  ValueId gradient = at.back();
  for (uint32_t i = length; i-- > 0;) {
    gradient = b.make("b", {gradient, at[i], at[i + 1]}, 6400);
    b.graph.ops.back().backward = true;
  }
  for (Op &op : b.graph.ops)
    op.cost = 1;
  return b.graph;
}

TEST(Rotor, AtLeastAsGoodAsTheOthersOnAChain) {
  Graph graph = makeUniformChain(24);
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  unsigned compared = 0;
  for (unsigned percent = 95; percent >= 20; percent -= 5) {
    uint64_t budget = peak * percent / 100;
    Solution rotor = solve(graph, "rotor", budget);
    for (const char *name : {"revolve", "sqrt", "segments=4", "chen"}) {
      Solution other = solve(graph, name, budget);
      if (other.executions.empty())
        continue;
      ++compared;
      ASSERT_FALSE(rotor.executions.empty()) << name << " at " << percent;
      EXPECT_LE(rotor.milliseconds, other.milliseconds)
          << name << " at " << percent;
    }
  }
  EXPECT_GT(compared, 30u);
}

TEST(Rotor, AtLeastAsGoodAsTheOthersOnAResNet) {
  Graph graph = makeResNetStep({});
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  for (unsigned percent = 95; percent >= 30; percent -= 5) {
    uint64_t budget = peak / 100 * percent;
    Solution rotor = solve(graph, "rotor", budget);
    for (const char *name : {"revolve", "sqrt", "segments=4", "chen"}) {
      Solution other = solve(graph, name, budget);
      if (other.executions.empty())
        continue;
      ASSERT_FALSE(rotor.executions.empty()) << name << " at " << percent;
      EXPECT_LE(rotor.milliseconds, other.milliseconds)
          << name << " at " << percent;
    }
  }
}

TEST(Rotor, RunsOpsMoreThanTwiceWhereTheBudgetIsTight) {
  Graph graph = makeUniformChain(24);
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  Solution solution = solve(graph, "rotor", peak / 4);
  ASSERT_FALSE(solution.executions.empty());
  std::vector<unsigned> times(graph.ops.size(), 0);
  for (OpId op : solution.executions)
    ++times[op];
  EXPECT_GT(*std::max_element(times.begin(), times.end()), 2u);
}

TEST(Rotor, ResNet152InTwoSeconds) {
  ResNetOptions options;
  options.blocks = {3, 8, 36, 3};
  options.batch = 32;
  Graph graph = makeResNetStep(options);
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  auto start = std::chrono::steady_clock::now();
  Solution solution = solve(graph, "rotor", peak / 3);
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  EXPECT_FALSE(solution.executions.empty());
  RecordProperty("seconds", std::to_string(seconds));
  // Twice the promise, and more in builds without optimization.
#ifdef NDEBUG
  EXPECT_LT(seconds, 4);
#endif
}
