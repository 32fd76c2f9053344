//===- BaselinesTest.cpp - Fixed rules keep their promises ----------------===//
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>

using namespace reprise::plan;
using namespace reprise::plan::test;

static Solution solve(const Graph &graph, const std::string &name,
                      uint64_t budget = UINT64_MAX) {
  SolverOptions options;
  options.budgetBytes = budget;
  std::unique_ptr<Solver> solver = createSolver(name);
  EXPECT_TRUE(solver) << name;
  EXPECT_EQ(solver->name(), name);
  return solver->solve(graph, programOrder(graph).order, options);
}

static void check(const Graph &graph, const Solution &solution,
                  uint64_t budget) {
  if (solution.executions.empty())
    return;
  EXPECT_EQ(checkExecutions(graph, solution.executions), "");
  EXPECT_LE(solution.maxLive, budget);
  EXPECT_EQ(solution.maxLive, maxLiveOf(graph, solution.executions));
  EXPECT_EQ(solution.milliseconds, costOf(graph, solution.executions));
  Plan plan = makePlan(graph, solution.executions, 0);
  EXPECT_EQ(plan.maxLive, solution.maxLive);
  EXPECT_EQ(validatePlan(graph, plan), "");
}

static const char *const kNames[] = {"none",    "segments=1", "segments=4",
                                     "sqrt",    "chen",       "threshold",
                                     "revolve", "rotor"};

TEST(Baselines, ResNetPlansFitAndCostWhatTheySay) {
  Graph graph = makeResNetStep({});
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  double cost = costOf(graph, programOrder(graph).order);
  for (const char *name : kNames)
    for (unsigned percent = 30; percent <= 100; percent += 10) {
      SCOPED_TRACE(name + std::string(" at ") + std::to_string(percent));
      uint64_t budget = peak / 100 * percent + (percent == 100 ? 100 : 0);
      Solution solution = solve(graph, name, budget);
      check(graph, solution, budget);
      if (percent == 100 && name != std::string("segments=4") &&
          name != std::string("sqrt")) {
        EXPECT_EQ(solution.milliseconds, cost);
      }
    }
}

TEST(Baselines, ResNetOrderOfBaselines) {
  Graph graph = makeResNetStep({});
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  Solution none = solve(graph, "none"), one = solve(graph, "segments=1");
  EXPECT_EQ(none.maxLive, peak);
  EXPECT_EQ(one.executions, none.executions);
  EXPECT_TRUE(solve(graph, "none", peak - 1).executions.empty());
  Solution four = solve(graph, "segments=4"), sqrt = solve(graph, "sqrt");
  EXPECT_LT(four.maxLive, peak);
  EXPECT_LT(sqrt.maxLive, peak);
  EXPECT_GT(four.milliseconds, none.milliseconds);
  // Not one op runs a third time, and the last segment's only once.
  EXPECT_LT(sqrt.executions.size(), 2 * graph.ops.size());
}

TEST(Baselines, SweepsFindCheaperPlansForLargerBudgets) {
  Graph graph = makeResNetStep({});
  uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
  for (const char *name : {"chen", "threshold"}) {
    double last = 0;
    unsigned found = 0;
    for (unsigned percent = 100; percent >= 20; percent -= 5) {
      uint64_t budget = peak / 100 * percent + 100;
      Solution solution = solve(graph, name, budget);
      check(graph, solution, budget);
      if (solution.executions.empty())
        break;
      EXPECT_GE(solution.milliseconds, last) << name << " at " << percent;
      last = solution.milliseconds;
      ++found;
    }
    EXPECT_GE(found, 5u) << name;
  }
}

TEST(Baselines, RandomTrainingGraphs) {
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 3 + seed % 25;
    Graph graph = makeRandomTrainingGraph(seed, options);
    uint64_t peak = maxLiveOf(graph, programOrder(graph).order);
    for (const char *name : kNames)
      for (unsigned percent : {60, 80, 90}) {
        SCOPED_TRACE(name + std::string(", seed ") + std::to_string(seed));
        uint64_t budget = peak * percent / 100;
        Solution solution = solve(graph, name, budget);
        check(graph, solution, budget);
        found += !solution.executions.empty();
      }
  }
  EXPECT_GT(found, 400u);
}

TEST(Baselines, GraphsWithoutABackwardPassRunOnce) {
  for (const char *name : kNames) {
    Graph graph = makeRandomGraph(3, {});
    EXPECT_EQ(solve(graph, name).executions, programOrder(graph).order) << name;
    EXPECT_TRUE(solve(Graph(), name).executions.empty()) << name;
  }
}

TEST(Baselines, UnknownNamesHaveNoSolver) {
  for (const char *name : {"", "nothing", "segments", "segments=", "segments=x",
                           "segments=0", "segments=-1"})
    EXPECT_FALSE(createSolver(name)) << name;
}
