//===- ContractTest.cpp - What solvers, bounds and sequences promise ------===//
#include "BruteForce.h"
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>

using namespace reprise::plan;
using namespace reprise::plan::test;

/// The first clone of which nobody reads a result, or kNone.
static OpId findUnreadClone(const Graph &graph, const Executions &executions) {
  UnrolledGraph unrolled = unroll(graph, executions);
  std::vector<bool> isRead(unrolled.valueOf.size(), false);
  auto read = [&](ValueId value) {
    for (; value != kNone; value = unrolled.graph.values[value].viewOf)
      isRead[value] = true;
  };
  for (const Op &op : unrolled.graph.ops)
    for (ValueId input : op.inputs)
      read(input);
  for (ValueId id = 0; id < isRead.size(); ++id)
    if (unrolled.graph.values[id].storage == StorageClass::Output)
      read(id);
  for (OpId id = 0; id < unrolled.opOf.size(); ++id) {
    bool needed = !unrolled.isClone[id];
    for (ValueId output : unrolled.graph.ops[id].outputs)
      needed |= isRead[output];
    if (!needed)
      return unrolled.opOf[id];
  }
  return kNone;
}

/// Every fourth op must run once, beside those of makeRandomTrainingGraph.
static void addEffects(Graph &graph, uint64_t seed) {
  for (OpId op = 0; op < graph.ops.size(); ++op)
    graph.ops[op].runsOnce |= (seed + op) % 4 == 0;
}

TEST(Contract, SolversKeepWithinTheBudgetWithoutUnreadClones) {
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 4 + seed % 12;
    Graph graph = makeRandomTrainingGraph(seed, options);
    if (seed % 2)
      addEffects(graph, seed);
    std::vector<OpId> order = programOrder(graph).order;
    uint64_t plain = maxLiveOf(graph, order);
    for (const char *name : {"eviction", "cut", "search", "revolve", "rotor",
                             "segments=3", "chen"})
      for (uint64_t percent : {65, 80, 95}) {
        SCOPED_TRACE(name + std::string(", seed ") + std::to_string(seed));
        SolverOptions solver;
        solver.budgetBytes = plain * percent / 100;
        solver.work = 0.05;
        Solution solution = createSolver(name)->solve(graph, order, solver);
        if (solution.executions.empty())
          continue;
        ++found;
        ASSERT_EQ(checkExecutions(graph, solution.executions), "");
        EXPECT_EQ(maxLiveOf(graph, solution.executions), solution.maxLive);
        EXPECT_LE(solution.maxLive, solver.budgetBytes);
        EXPECT_EQ(findUnreadClone(graph, solution.executions), kNone);
        EXPECT_EQ(validatePlan(graph, makePlan(graph, solution.executions, 0)),
                  "");
      }
  }
  EXPECT_GT(found, 200u);
}

static uint64_t alignTo64(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// Each bound is a proof, and most are as good as a proof can be.
TEST(Contract, BoundsAreTightOnTinyGraphs) {
  unsigned pairs = 0, exact = 0, exactBytes = 0, graphs = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 3;
    Graph graph = makeRandomTrainingGraph(seed, options);
    if (graph.ops.size() > 9)
      continue;
    if (seed % 2)
      addEffects(graph, seed / 2);
    ++graphs;
    BruteForceOptions once{/*freeOrder=*/false, 2};
    uint64_t least = bruteForcePeak(graph, once);
    uint64_t plain = maxLiveOf(graph, programOrder(graph).order);
    uint64_t proven = lowestBytes(graph).bytes;
    EXPECT_LE(proven, least);
    exactBytes += proven == least;
    for (uint64_t part = 0; part < 5; ++part) {
      uint64_t budget = least + (plain - least) * part / 5;
      LowerBound bound = lowerBound(graph, budget);
      double best = *bruteForceCost(graph, budget, once);
      ASSERT_TRUE(bound.feasible) << seed;
      // Costs are rounded down to picoseconds.
      ASSERT_LE(bound.milliseconds, best + 1e-9) << seed;
      ++pairs;
      exact += bound.milliseconds >= best - 1e-6;
    }
  }
  EXPECT_GE(exact * 10, pairs * 3) << exact << " of " << pairs;
  EXPECT_GE(exactBytes * 10, graphs * 7) << exactBytes << " of " << graphs;
}

// The pinned values and the workspace add up to the proven bytes, in place too.
TEST(Contract, WhatIsPinnedAddsUpToTheLeastBytes) {
  unsigned inPlace = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 4 + seed % 20;
    Graph graph = makeRandomTrainingGraph(seed, options);
    if (seed % 2)
      addEffects(graph, seed / 2);
    for (Op &op : graph.ops)
      op.workspaceBytes = 640 * (op.inputs.size() % 3);
    ByteBound bound = lowestBytes(graph);
    uint64_t sum = bound.workspaceBytes;
    for (ValueId id : bound.pinned)
      sum += alignTo64(graph.values[id].bytes);
    EXPECT_EQ(sum, bound.bytes) << seed;
    EXPECT_EQ(bound.workspaceBytes, graph.ops[bound.cut].workspaceBytes);
    inPlace += !graph.ops[bound.cut].inPlace.empty();
  }
  EXPECT_GE(inPlace, 5u);
}

// At c there is room for x, small and c: a is made again, for 3 ms.
TEST(Contract, BoundIsWhatTheOnlyScheduleCosts) {
  GraphBuilder b;
  ValueId x = b.input(64);
  ValueId a = b.make("a", {x}, 6400);
  ValueId small = b.make("b", {a}, 64);
  ValueId c = b.make("c", {small}, 9600);
  ValueId d = b.make("d", {c}, 64);
  b.result(b.op("e", {d, a}), 64, StorageClass::Output);
  for (Op &op : b.graph.ops)
    op.cost = 1;
  b.graph.ops[0].cost = 3;
  constexpr uint64_t all = 6400 + 64 + 9600, without = 64 + 64 + 9600;
  EXPECT_NEAR(lowerBound(b.graph, all).milliseconds, 7, 1e-6);
  EXPECT_NEAR(lowerBound(b.graph, without).milliseconds, 10, 1e-6);
  EXPECT_EQ(bruteForceCost(b.graph, without, {}), 10.0);
  EXPECT_EQ(lowestBytes(b.graph).bytes, without);
  EXPECT_FALSE(lowerBound(b.graph, without - 64).feasible);
}

TEST(Contract, EffectsRunOnce) {
  GraphBuilder b;
  ValueId x = b.input(64);
  b.make("a", {x}, 64);
  EXPECT_EQ(checkExecutions(b.graph, {0, 0}), "");
  b.graph.ops[0].runsOnce = true;
  EXPECT_NE(checkExecutions(b.graph, {0, 0}), "");
}

// A view that no op makes is of its base's newest instance.
TEST(Contract, ViewsFollowTheNewestInstance) {
  GraphBuilder b;
  ValueId x = b.input(64);
  ValueId base = b.make("a", {x}, 6400);
  ValueId view = b.input(6400);
  b.graph.values[view].storage = StorageClass::Temporary;
  b.graph.values[view].viewOf = base;
  ValueId first = b.make("b", {view}, 64);
  ValueId second = b.make("c", {first}, 6400);
  b.result(b.op("d", {second, view}), 64, StorageClass::Output);
  UnrolledGraph unrolled = unroll(b.graph, {0, 1, 2, 0, 3});
  ValueId read = unrolled.graph.ops[4].inputs[1];
  ValueId viewed = unrolled.graph.values[read].viewOf;
  ASSERT_NE(viewed, kNone);
  EXPECT_EQ(unrolled.graph.values[viewed].producer, 3u);
  EXPECT_EQ(validatePlan(b.graph, makePlan(b.graph, {0, 1, 2, 0, 3})), "");
}
