//===- HugeGraphsTest.cpp - Bounds at the limits of graphs ----------------===//
//
// What 64 bits don't hold: multipliers of costs times terabytes, and sums of
// them.
//
//===----------------------------------------------------------------------===//
#include "BruteForce.h"
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>

#include <random>

using namespace reprise::plan;
using namespace reprise::plan::test;

static constexpr uint64_t kTebibyte = uint64_t(1) << 40;

/// Three values of the forward pass that the backward pass reads, last first.
static Graph makeThreeLayers(uint64_t bytes, double cost) {
  GraphBuilder b;
  ValueId x = b.input(64);
  std::vector<ValueId> kept = {b.make("f0", {x}, bytes)};
  for (const char *name : {"f1", "f2"})
    kept.push_back(b.make(name, {kept.back()}, bytes));
  ValueId gradient = b.make("loss", {kept.back()}, 64);
  for (; !kept.empty(); kept.pop_back())
    gradient = b.make("g", {gradient, kept.back()}, 64);
  b.result(b.op("end", {gradient}), 64, StorageClass::Output);
  for (Op &op : b.graph.ops)
    op.cost = op.name[0] == 'f' ? cost : 1;
  return b.graph;
}

static Solution solveAuto(const Graph &graph, uint64_t budget) {
  SolverOptions options;
  options.budgetBytes = budget;
  options.work = 0.1;
  return createSolver("auto")->solve(graph, programOrder(graph).order, options);
}

// One of three values of 13 TiB is made again, with what it is made from.
TEST(HugeGraphs, OfThirtyNineTebibytesHasTheExactBound) {
  Graph graph = makeThreeLayers(13 * kTebibyte, 100000);
  ASSERT_EQ(checkGraph(graph), "");
  uint64_t budget = 26 * kTebibyte + 1024;
  std::optional<double> least = bruteForceCost(graph, budget, {true, 3});
  ASSERT_TRUE(least);
  EXPECT_EQ(*least, 400005.0);
  LowerBound bound = lowerBound(graph, budget);
  EXPECT_TRUE(bound.feasible);
  EXPECT_EQ(bound.milliseconds, *least);
  Solution solution = solveAuto(graph, budget);
  EXPECT_EQ(solution.milliseconds, *least);
  EXPECT_EQ(checkBound(bound, solution.milliseconds), "");
  // Within a value of 64 bytes of the least there is.
  uint64_t fewest = bruteForcePeak(graph, {true, 3});
  EXPECT_LE(lowestBytes(graph).bytes, fewest);
  EXPECT_GE(lowestBytes(graph).bytes, fewest - 64);
}

TEST(HugeGraphs, HaveTheExactBoundUpToTheLimits) {
  unsigned graphs = 0;
  for (uint64_t bytes = 1 << 20; 3 * bytes < kMostBytes - 4096; bytes *= 2)
    for (double cost : {1e-3, 1.0, 1e5, kMostMilliseconds / 4}) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(cost));
      Graph graph = makeThreeLayers(bytes, cost);
      ASSERT_EQ(checkGraph(graph), "");
      uint64_t budget = 2 * bytes + 1024;
      LowerBound bound = lowerBound(graph, budget);
      EXPECT_TRUE(bound.feasible);
      double found = solveAuto(graph, budget).milliseconds;
      EXPECT_DOUBLE_EQ(found, 4 * cost + 5);
      EXPECT_EQ(checkBound(bound, found), "");
      // Less than a picosecond for 64 bytes is nothing to a bound.
      if (cost * 1e9 > double(bytes) / 64) {
        EXPECT_EQ(found, bound.milliseconds);
      }
      ++graphs;
    }
  EXPECT_GT(graphs, 120u);
}

TEST(HugeGraphs, BeyondTheLimitsAreRefused) {
  EXPECT_NE(checkGraph(makeThreeLayers(kMostBytes / 3, 1)), "");
  EXPECT_NE(checkGraph(makeThreeLayers(64, kMostMilliseconds / 3)), "");
  EXPECT_EQ(checkGraph(makeThreeLayers(kMostBytes / 3 - 4096, 1)), "");
}

/// Sizes and costs of all magnitudes up to the limits.
static void makeHuge(Graph &graph, std::mt19937_64 &random) {
  uint64_t count = graph.values.size() + graph.ops.size();
  auto draw = [&](uint64_t most) { return random() % most >> random() % 24; };
  for (Value &value : graph.values)
    if (value.viewOf == kNone)
      value.bytes = std::max<uint64_t>(1, draw(kMostBytes / count - 64));
  for (Value &value : graph.values)
    if (value.viewOf != kNone)
      value.bytes = std::min(value.bytes, graph.values[value.viewOf].bytes);
  for (Op &op : graph.ops) {
    op.workspaceBytes = op.workspaceBytes ? draw(kMostBytes / count - 64) : 0;
    op.cost = double(draw(uint64_t(1e18 / double(graph.ops.size())))) / 1e9;
  }
}

// No bound is above the best schedule of any order.
TEST(HugeGraphs, AreNeverProvenTooMuch) {
  unsigned bounds = 0, tight = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    RandomGraphOptions shape;
    shape.ops = 5 + seed % 2;
    Graph graph = makeRandomGraph(seed, shape);
    makeHuge(graph, random);
    ASSERT_EQ(checkGraph(graph), "");
    uint64_t least = bruteForcePeak(graph, {true, 2});
    uint64_t whole = maxLiveOf(graph, programOrder(graph).order);
    EXPECT_EQ(checkByteBound(lowestBytes(graph), least), "");
    for (uint64_t part = 0; part < 3; ++part) {
      uint64_t budget = least + (whole - std::min(whole, least)) / 3 * part;
      std::optional<double> cost = bruteForceCost(graph, budget, {true, 2});
      ASSERT_TRUE(cost);
      LowerBound bound = lowerBound(graph, budget, 0.1);
      ASSERT_TRUE(bound.feasible);
      // The oracle sums up doubles.
      EXPECT_LE(bound.milliseconds, *cost * (1 + 1e-14));
      tight += bound.milliseconds >= *cost * (1 - 1e-9);
      ++bounds;
      Solution found = solveAuto(graph, budget);
      if (found.executions.empty())
        continue;
      EXPECT_LE(found.maxLive, budget);
      EXPECT_EQ(maxLiveOf(graph, found.executions), found.maxLive);
      EXPECT_EQ(checkBound(bound, found.milliseconds), "");
    }
  }
  EXPECT_EQ(bounds, 1200u);
  EXPECT_GT(tight, bounds * 8 / 10);
}

static Graph scaled(Graph graph, uint64_t factor) {
  for (Value &value : graph.values)
    value.bytes = value.bytes * factor;
  for (Op &op : graph.ops)
    op.workspaceBytes = op.workspaceBytes * factor;
  return graph;
}

static Graph makeStep(uint64_t seed) {
  TrainingGraphOptions options;
  options.forwardOps = 6 + 5 * (seed % 5);
  Graph graph = makeRandomTrainingGraph(seed, options);
  // Whole units, which alignment does not change.
  return scaled(std::move(graph), kAlignment);
}

static void expectEqualFrontiers(const Graph &small, const Graph &large,
                                 uint64_t factor) {
  SolverOptions options;
  options.work = 0.1;
  std::vector<OpId> order = programOrder(small).order;
  std::vector<FrontierPoint> expected = computeFrontier(small, order, options);
  std::vector<FrontierPoint> points = computeFrontier(large, order, options);
  ASSERT_EQ(points.size(), expected.size());
  EXPECT_EQ(checkBounds(points), "");
  for (size_t at = 0; at < points.size(); ++at) {
    const Solution &solution = expected[at].solution;
    EXPECT_EQ(points[at].solution.executions, solution.executions);
    EXPECT_EQ(points[at].solution.maxLive, solution.maxLive * factor);
    EXPECT_EQ(points[at].boundMilliseconds, expected[at].boundMilliseconds);
    LowerBound bound = lowerBound(small, solution.maxLive, 0.1);
    LowerBound other = lowerBound(large, solution.maxLive * factor, 0.1);
    EXPECT_EQ(other.milliseconds, bound.milliseconds);
    EXPECT_EQ(other.pinned, bound.pinned);
    EXPECT_EQ(checkBound(other, points[at].solution.milliseconds), "");
  }
  if (points.size() < 2)
    return;
  auto between = searchBetween(small, expected[0], expected[1], options);
  auto others = searchBetween(large, points[0], points[1], options);
  ASSERT_EQ(between.size(), others.size());
  for (size_t at = 0; at < between.size(); ++at)
    EXPECT_EQ(between[at].solution.executions, others[at].solution.executions);
}

// The same sizes in a larger unit: the same schedules, the same bounds.
TEST(HugeGraphs, HaveThePlansOfSmallOnes) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Graph graph = makeStep(seed);
    uint64_t bytes = 0;
    for (const Value &value : graph.values)
      bytes += value.bytes + kAlignment;
    for (const Op &op : graph.ops)
      bytes += op.workspaceBytes + kAlignment;
    for (uint64_t factor = 2; factor * bytes < kMostBytes; factor *= 1 << 10) {
      SCOPED_TRACE(std::to_string(seed) + " times " + std::to_string(factor));
      Graph large = scaled(graph, factor);
      ASSERT_EQ(checkGraph(large), "");
      ByteBound small = lowestBytes(graph), other = lowestBytes(large);
      EXPECT_EQ(other.bytes, small.bytes * factor);
      ASSERT_NO_FATAL_FAILURE(expectEqualFrontiers(graph, large, factor));
    }
  }
}

// Bounds of more work are no lower, for any amounts of work.
TEST(Work, ProvesNoLessWithMore) {
  unsigned differ = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Graph graph = makeStep(seed);
    uint64_t least = lowestBytes(graph).bytes;
    uint64_t whole = maxLiveOf(graph, programOrder(graph).order);
    uint64_t budget = least + (whole - least) / 3;
    double before = 0;
    for (double work : {0.0, 0.01, 0.1, 0.13, 0.9, 1.0, 3.0, 12.0}) {
      SCOPED_TRACE(std::to_string(seed) + ", work " + std::to_string(work));
      double bound = lowerBound(graph, budget, work).milliseconds;
      EXPECT_GE(bound, before);
      differ += bound > before && before > 0;
      before = bound;
    }
  }
  EXPECT_GT(differ, 0u);
}

TEST(Work, CountsInLevelsOfWhichMoreHasAllThatLessHas) {
  EXPECT_EQ(workLevels(0), std::vector<double>({1.0 / 64}));
  EXPECT_EQ(workLevels(1), std::vector<double>({1.0 / 64, 1.0 / 8, 1}));
  EXPECT_EQ(workLevels(12),
            std::vector<double>({1.0 / 64, 1.0 / 8, 1, 2, 4, 8}));
}

TEST(Bounds, AboveWhatWasFoundAreAContradiction) {
  LowerBound bound;
  bound.milliseconds = 4;
  EXPECT_EQ(checkBound(bound, 4), "");
  EXPECT_EQ(checkBound(bound, std::nextafter(4, 0)),
            "a schedule of 3.9999999999999996 ms was found where the proof "
            "says that each one takes 4 ms");
  bound.feasible = false;
  EXPECT_EQ(checkBound(bound, 5),
            "a schedule of 5 ms was found where the proof says that there is "
            "none");
  EXPECT_EQ(checkByteBound({64, 0, {}}, 64), "");
  EXPECT_EQ(checkByteBound({128, 0, {}}, 64),
            "a schedule of 64 bytes was found where the proof says that each "
            "one needs 128");
  FrontierPoint point;
  point.solution.milliseconds = 2;
  EXPECT_EQ(checkBounds({point}), "");
  point.boundMilliseconds = 3;
  EXPECT_NE(checkBounds({point}), "");
}
