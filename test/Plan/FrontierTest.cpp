//===- FrontierTest.cpp - Schedules for every budget ----------------------===//
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace reprise::plan;
using namespace reprise::plan::test;

static std::vector<FrontierPoint> frontierOf(const Graph &graph,
                                             unsigned threads) {
  SolverOptions options;
  options.work = 0.1;
  options.threads = threads;
  return computeFrontier(graph, programOrder(graph).order, options);
}

static Graph makeStep(uint64_t seed) {
  TrainingGraphOptions options;
  options.forwardOps = 6 + 5 * (seed % 5);
  return makeRandomTrainingGraph(seed, options);
}

/// Executions whose values nobody reads before they are computed again.
static unsigned countUnread(const Graph &graph, const Executions &executions) {
  unsigned count = 0;
  for (size_t at = 0; at < executions.size(); ++at)
    for (size_t then = at + 1; then < executions.size(); ++then) {
      if (executions[then] == executions[at]) {
        ++count;
        break;
      }
      const std::vector<ValueId> &inputs = graph.ops[executions[then]].inputs;
      if (std::any_of(inputs.begin(), inputs.end(), [&](ValueId input) {
            return graph.values[input].producer == executions[at];
          }))
        break;
    }
  return count;
}

TEST(Frontier, IsMonotoneAndValid) {
  unsigned points = 0, placed = 0, unread = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph = makeStep(seed);
    std::vector<OpId> order = programOrder(graph).order;
    std::vector<FrontierPoint> frontier = frontierOf(graph, 2);
    ASSERT_FALSE(frontier.empty());
    EXPECT_EQ(frontier.back().solution.executions, order);
    EXPECT_EQ(frontier.back().solution.maxLive, maxLiveOf(graph, order));
    EXPECT_GE(frontier[0].solution.maxLive, lowestBytes(graph).bytes);
    for (size_t at = 0; at < frontier.size(); ++at) {
      const Solution &solution = frontier[at].solution;
      ASSERT_EQ(checkExecutions(graph, solution.executions), "");
      EXPECT_EQ(maxLiveOf(graph, solution.executions), solution.maxLive);
      if (countUnread(graph, solution.executions))
        ++unread;
      EXPECT_LE(frontier[at].boundMilliseconds, solution.milliseconds + 1e-6);
      ++points;
      if (at) {
        const FrontierPoint &before = frontier[at - 1];
        EXPECT_GT(solution.maxLive, before.solution.maxLive);
        EXPECT_LT(solution.milliseconds, before.solution.milliseconds);
        EXPECT_LE(frontier[at].boundMilliseconds,
                  before.boundMilliseconds + 1e-6);
      }
      if (at % 4)
        continue;
      Plan plan = makePlan(graph, solution.executions, 0);
      EXPECT_EQ(validatePlan(graph, plan), "");
      EXPECT_EQ(plan.maxLive, solution.maxLive);
      ++placed;
    }
  }
  EXPECT_GT(points, 300u);
  EXPECT_GT(placed, 80u);
  // Where leaving them out would be another order that computes nothing again,
  // or one with more bytes.
  EXPECT_LT(unread, points / 20);
}

TEST(Frontier, IsTheSameForAnyNumberOfThreads) {
  for (uint64_t seed : {2, 3, 4}) {
    Graph graph = makeStep(seed);
    std::vector<FrontierPoint> one = frontierOf(graph, 1);
    for (unsigned threads : {1, 2, 3}) {
      std::vector<FrontierPoint> other = frontierOf(graph, threads);
      ASSERT_EQ(one.size(), other.size());
      for (size_t at = 0; at < one.size(); ++at) {
        EXPECT_EQ(one[at].solution.executions, other[at].solution.executions);
        EXPECT_EQ(one[at].boundMilliseconds, other[at].boundMilliseconds);
      }
    }
  }
}

// The search from no recomputation downwards ends with the first schedule in
// the budget, and finds none below the least bytes of a whole frontier.
TEST(Frontier, WithinABudgetEndsWithTheFirstSchedule) {
  unsigned searched = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph = makeStep(seed);
    std::vector<OpId> order = programOrder(graph).order;
    SolverOptions options;
    options.work = 0.1;
    std::vector<FrontierPoint> all = computeFrontier(graph, order, options);
    uint64_t least = all.front().solution.maxLive;
    uint64_t most = all.back().solution.maxLive;
    options.budgetBytes = least + (most - least) / 2;
    std::vector<FrontierPoint> found = searchWithin(graph, order, options);
    ASSERT_FALSE(found.empty());
    EXPECT_LE(found.front().solution.maxLive, options.budgetBytes);
    EXPECT_EQ(found.back().solution.executions, order);
    for (size_t at = 0; at < found.size(); ++at) {
      const Solution &solution = found[at].solution;
      ASSERT_EQ(checkExecutions(graph, solution.executions), "");
      EXPECT_EQ(maxLiveOf(graph, solution.executions), solution.maxLive);
      EXPECT_TRUE(at == 0 || solution.maxLive > options.budgetBytes);
    }
    searched += found.size() > 1;
    for (uint64_t below : {least / 2, least - least / 20, least - 1}) {
      options.budgetBytes = below;
      found = searchWithin(graph, order, options);
      EXPECT_GE(found.front().solution.maxLive, least);
    }
    options.budgetBytes = most;
    EXPECT_EQ(searchWithin(graph, order, options).size(), 1u);
  }
  EXPECT_GT(searched, 10u);
}

TEST(Frontier, WithinABudgetIsTheSameForAnyNumberOfThreads) {
  Graph graph = makeStep(4);
  SolverOptions options;
  options.work = 0.1;
  options.budgetBytes = lowestBytes(graph).bytes;
  std::vector<OpId> order = chooseOrder(graph).order;
  std::vector<FrontierPoint> one = searchWithin(graph, order, options);
  options.threads = 3;
  std::vector<FrontierPoint> other = searchWithin(graph, order, options);
  ASSERT_EQ(one.size(), other.size());
  for (size_t at = 0; at < one.size(); ++at)
    EXPECT_EQ(one[at].solution.executions, other[at].solution.executions);
}

// The search for one budget, as reprise-plan runs it.
TEST(Effort, NormalIsWithinAThousandthOfThorough) {
  std::unique_ptr<Solver> solver = createSolver("auto");
  unsigned compared = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph = makeStep(seed);
    std::vector<OpId> order = chooseOrder(graph).order;
    uint64_t least = lowestBytes(graph).bytes, most = maxLiveOf(graph, order);
    for (uint64_t part : {2, 5, 8}) {
      SolverOptions options;
      options.work = 0.1;
      options.budgetBytes = least + (most - least) * part / 10;
      Solution thorough = solver->solve(graph, order, options);
      options.effort = Effort::Normal;
      Solution normal = solver->solve(graph, order, options);
      ASSERT_EQ(thorough.executions.empty(), normal.executions.empty());
      if (thorough.executions.empty())
        continue;
      EXPECT_LE(normal.milliseconds, thorough.milliseconds * 1.001);
      ++compared;
    }
  }
  EXPECT_GT(compared, 40u);
}

// A ResNet-50 shaped step. The order with the least bytes lets gradients of
// weights wait; the graph's own is four times as good with recomputation.
TEST(Frontier, IsCloseToTheBound) {
  Graph graph = makeResNetStep({});
  SolverOptions options;
  options.work = 0.1;
  options.threads = 2;
  Schedule schedule = chooseOrder(graph);
  auto frontier = computeFrontier(graph, schedule.order, options);
  double peak = frontier.back().solution.maxLive;
  unsigned above = 0;
  for (const FrontierPoint &point : frontier) {
    double share = point.solution.maxLive / peak;
    double gap = point.solution.milliseconds / point.boundMilliseconds - 1;
    if (share < 0.5)
      continue;
    ++above;
    EXPECT_LE(gap, 0.03) << "at " << share;
  }
  EXPECT_GT(above, 10u);
  EXPECT_LE(frontier[0].solution.maxLive, lowestBytes(graph).bytes * 1.1);
  EXPECT_EQ(frontier.back().solution.executions, schedule.order);
}

// So many ops that the graph's own order is tried only where the one with the
// least bytes, without recomputation, doesn't come near the proof.
TEST(Frontier, OfManyOpsTriesTheOtherOrder) {
  ResNetOptions shape;
  shape.blocks = {10, 4, 40, 3};
  Graph graph = makeResNetStep(shape);
  ASSERT_GT(graph.ops.size(), 1500u);
  SolverOptions options;
  options.work = 0.1;
  options.threads = 2;
  auto frontier = computeFrontier(graph, chooseOrder(graph).order, options);
  double peak = frontier.back().solution.maxLive;
  EXPECT_LT(frontier[0].solution.maxLive, 0.4 * peak);
  unsigned between = 0;
  for (const FrontierPoint &point : frontier) {
    double share = point.solution.maxLive / peak;
    if (share < 0.5 || share > 0.8)
      continue;
    ++between;
    EXPECT_LE(point.solution.milliseconds, point.boundMilliseconds * 1.01)
        << "at " << share;
  }
  EXPECT_GT(between, 10u);
}

// A chain of so many layers that the search would end early: segments of about
// the square root of its length take twice that (Chen et al. 2016).
TEST(Frontier, OfALongChainHasSegments) {
  constexpr uint64_t layers = 640, bytes = 1024;
  GraphBuilder b;
  std::vector<ValueId> values = {b.input(bytes)};
  auto add = [&](std::vector<ValueId> inputs) {
    ValueId value = b.make("op", std::move(inputs), bytes);
    b.graph.ops.back().cost = 1;
    return value;
  };
  for (uint64_t layer = 0; layer < layers; ++layer)
    values.push_back(add({values.back()}));
  ValueId gradient = add({values.back()});
  for (uint64_t layer = layers; layer-- > 0;)
    gradient = add({gradient, values[layer]});
  b.graph.values[gradient].storage = StorageClass::Output;
  std::vector<FrontierPoint> frontier = frontierOf(b.graph, 2);
  ASSERT_FALSE(frontier.empty());
  const Solution &smallest = frontier[0].solution;
  EXPECT_EQ(checkExecutions(b.graph, smallest.executions), "");
  EXPECT_EQ(maxLiveOf(b.graph, smallest.executions), smallest.maxLive);
  EXPECT_LE(smallest.maxLive, (2 * std::sqrt(layers) + 4) * bytes);
  // No layer is run a third time for that.
  EXPECT_LE(smallest.executions.size(), 3 * layers);
}

// Between two points: valid, in order, and the same for any number of threads.
TEST(Frontier, IsSearchedBetweenItsPoints) {
  ResNetOptions shape;
  shape.blocks = {2, 2};
  Graph graph = makeResNetStep(shape);
  SolverOptions options;
  options.work = 0.1;
  auto frontier = computeFrontier(graph, programOrder(graph).order, options);
  options.work = 1;
  unsigned found = 0;
  for (size_t at = 0; at + 1 < frontier.size() && at < 5; ++at) {
    const FrontierPoint &below = frontier[at], &above = frontier[at + 1];
    options.threads = 1;
    auto points = searchBetween(graph, below, above, options);
    options.threads = 2;
    auto again = searchBetween(graph, below, above, options);
    ASSERT_EQ(points.size(), again.size());
    double cost = below.solution.milliseconds;
    uint64_t bytes = below.solution.maxLive - 1;
    for (size_t k = 0; k < points.size(); ++k) {
      const Solution &solution = points[k].solution;
      EXPECT_EQ(solution.executions, again[k].solution.executions);
      ASSERT_EQ(checkExecutions(graph, solution.executions), "");
      EXPECT_EQ(maxLiveOf(graph, solution.executions), solution.maxLive);
      EXPECT_LT(solution.maxLive, above.solution.maxLive);
      EXPECT_GT(solution.maxLive, bytes);
      EXPECT_LT(solution.milliseconds, cost);
      EXPECT_GT(solution.milliseconds, above.solution.milliseconds);
      EXPECT_LE(points[k].boundMilliseconds, solution.milliseconds + 1e-6);
      cost = solution.milliseconds;
      bytes = solution.maxLive;
    }
    found += points.size();
  }
  EXPECT_GT(found, 0u);
}
