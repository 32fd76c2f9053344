//===- PlacePointTest.cpp - Points of a frontier, placed ------------------===//
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>
#include <limits>

using namespace reprise::plan;
using namespace reprise::plan::test;

/// Small graphs whose bytes are large enough to be worth a search.
static Graph makeLargeStep(uint64_t seed) {
  TrainingGraphOptions options;
  options.forwardOps = 12 + 4 * (seed % 5);
  Graph graph = makeRandomTrainingGraph(seed, options);
  for (Value &value : graph.values)
    value.bytes <<= 14;
  for (Op &op : graph.ops)
    op.workspaceBytes <<= 14;
  return graph;
}

static std::vector<FrontierPoint> frontierOf(const Graph &graph,
                                             const SolverOptions &options) {
  return computeFrontier(graph, programOrder(graph).order, options);
}

/// A placed point is valid, keeps to its bytes, and in the order of costs.
static void expectGood(const Graph &graph, const FrontierPoint &point,
                       const PlacedPoint &placed, double &cost) {
  const Solution &solution = placed.solution;
  ASSERT_EQ(checkExecutions(graph, solution.executions), "");
  EXPECT_EQ(validatePlan(graph, placed.plan), "");
  EXPECT_EQ(maxLiveOf(graph, solution.executions), solution.maxLive);
  EXPECT_EQ(placed.plan.maxLive, solution.maxLive);
  EXPECT_LE(solution.maxLive, point.solution.maxLive);
  EXPECT_GE(placed.plan.height, point.solution.maxLive);
  EXPECT_DOUBLE_EQ(costOf(graph, solution.executions), solution.milliseconds);
  EXPECT_LT(solution.milliseconds, cost);
  cost = solution.milliseconds;
}

TEST(PlacePoint, KeepsBytesAndTheOrderOfCosts) {
  unsigned points = 0, others = 0, better = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph = makeLargeStep(seed);
    SolverOptions one, two;
    one.work = two.work = 0.1;
    two.threads = 2;
    std::vector<FrontierPoint> frontier = frontierOf(graph, one);
    double cost = std::numeric_limits<double>::infinity();
    for (size_t at = 0; at < frontier.size(); ++at) {
      PlacedPoint placed = placePoint(graph, frontier, at, one);
      expectGood(graph, frontier[at], placed, cost);
      ++points;
      const Executions &own = frontier[at].solution.executions;
      if (placed.solution.executions == own)
        continue;
      ++others;
      better += placed.plan.height < makePlan(graph, own).height;
      PlacedPoint again = placePoint(graph, frontier, at, two);
      EXPECT_EQ(again.solution.executions, placed.solution.executions);
      EXPECT_EQ(again.plan.height, placed.plan.height);
    }
  }
  EXPECT_GT(others, 0u);
  EXPECT_EQ(better, others);
  std::cout << points << " points, " << others << " with other schedules\n";
}

// Some hundreds of buffers, of which few are large.
TEST(PlacePoint, WastesNothingOfAResNetStep) {
  Graph graph = makeResNetStep({{3, 4, 6, 3}, 8});
  SolverOptions options;
  options.work = 0.1;
  options.threads = 2;
  std::vector<FrontierPoint> frontier = frontierOf(graph, options);
  unsigned largeFirst = 0;
  double cost = std::numeric_limits<double>::infinity();
  for (size_t at = 0; at < frontier.size(); at += at < 6 ? 1 : 26) {
    PlacedPoint placed = placePoint(graph, frontier, at, options);
    expectGood(graph, frontier[at], placed, cost);
    double live = frontier[at].solution.maxLive;
    // The tightest one of a short search has no good packing.
    EXPECT_LE(placed.plan.height, live * (at == 0 ? 1.02 : 1.005)) << at;
    largeFirst += placed.plan.strategy == "large items first";
  }
  EXPECT_GT(largeFirst, 0u);
}

TEST(PlacePoint, PlansWithinEndAtTheCapacity) {
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Graph graph = makeLargeStep(seed);
    Executions order = programOrder(graph).order;
    uint64_t capacity = makePlan(graph, order).height + 10 * kAlignment;
    std::optional<Plan> plan = makePlanWithin(graph, order, capacity);
    ASSERT_TRUE(plan);
    EXPECT_EQ(validatePlan(graph, *plan), "");
    EXPECT_EQ(plan->height, capacity);
    found += !makePlanWithin(graph, order, plan->maxLive - kAlignment);
  }
  EXPECT_EQ(found, 10u);
}
