//===- SimulatorTest.cpp - The searches' simulator against liveness -------===//
#include "graph/Simulator.h"
#include "GraphBuilder.h"
#include "search/Repair.h"

#include <gtest/gtest.h>

using namespace reprise::plan;
using namespace reprise::plan::test;

static Graph makeGraph(uint64_t seed) {
  if (seed % 2) {
    RandomGraphOptions options;
    options.ops = 5 + seed % 30;
    Graph graph = makeRandomGraph(seed, options);
    for (OpId op = 0; op < graph.ops.size(); ++op)
      graph.ops[op].cost = (seed + op) % 4;
    return graph;
  }
  TrainingGraphOptions options;
  options.forwardOps = 4 + seed % 12;
  return makeRandomTrainingGraph(seed, options);
}

/// The simulator's memory is that of the steps' liveness, one by one; a step's
/// views follow it and add nothing.
static void expectLiveness(const Graph &graph, const Simulator &simulator) {
  Executions executions = executionsOf(graph, simulator.graph, simulator.steps);
  ASSERT_EQ(checkExecutions(graph, executions), "");
  UnrolledGraph unrolled = unroll(graph, executions);
  Liveness liveness =
      computeLiveness(unrolled.graph, programOrder(unrolled.graph));
  size_t at = 0;
  int64_t cost = 0;
  for (size_t step = 0; step < executions.size(); ++step) {
    cost += std::llround(graph.ops[executions[step]].cost *
                         CompactGraph::kPerMillisecond);
    bool isStep =
        at < simulator.size() &&
        simulator.graph.opOf[simulator.steps[at].op] == executions[step];
    if (isStep)
      ASSERT_EQ(simulator.memory[at++], int64_t(liveness.liveBytes[step]))
          << "step " << step;
    else
      ASSERT_TRUE(unrolled.isClone[step]) << "step " << step;
  }
  EXPECT_EQ(at, simulator.size());
  EXPECT_EQ(simulator.cost, cost);
  EXPECT_EQ(simulator.peak, int64_t(liveness.maxLive));
}

/// What edits left is what settle and index make of the same steps.
static void expectSettled(const Simulator &edited) {
  Simulator settled(edited.graph, edited.budget);
  settled.settle(edited.steps);
  settled.renumber();
  settled.index();
  ASSERT_EQ(settled.size(), edited.size());
  EXPECT_EQ(settled.memory, edited.memory);
  EXPECT_EQ(settled.liveBefore, edited.liveBefore);
  EXPECT_EQ(settled.cost, edited.cost);
  EXPECT_EQ(settled.over, edited.over);
  for (StorageId id = 0; id < edited.graph.storageCount(); ++id) {
    Simulator::Touches a = edited.touchesOf(id), b = settled.touchesOf(id);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << id;
  }
  for (uint32_t step = 0; step <= edited.size(); ++step) {
    EXPECT_EQ(edited.nextFirst(step), settled.nextFirst(step));
    EXPECT_EQ(edited.overflowsIn(0, step), settled.overflowsIn(0, step));
  }
}

namespace {

struct Editor {
  Simulator simulator;
  std::mt19937_64 random;

  Editor(const CompactGraph &graph, uint64_t seed)
      : simulator(graph, INT64_MAX / 4), random(seed) {
    simulator.settle(plainSequence(graph));
    simulator.budget = simulator.peak * 3 / 4;
    simulator.settle(plainSequence(graph));
    simulator.renumber();
    simulator.index();
  }

  /// A clone of a random storage anywhere in one of its lives.
  bool insertOne() {
    StorageId storage = random() % simulator.graph.storageCount();
    Simulator::Touches touches = simulator.touchesOf(storage);
    uint32_t count = touches.end() - touches.begin();
    if (count < 2)
      return false;
    const uint32_t *touch = touches.begin() + 1 + random() % (count - 1);
    if (*touch % 2)
      return false;
    uint32_t before = *(touch - 1) / 2;
    uint32_t step = before + 1 + random() % (*touch / 2 - before);
    return insertClone(simulator, storage, step, MissingInput(random() % 3));
  }

  bool eraseOne() {
    std::vector<uint32_t> clones;
    for (uint32_t step = 0; step < simulator.size(); ++step)
      if (simulator.steps[step].isClone)
        clones.push_back(step);
    if (clones.empty())
      return false;
    uint32_t step = clones[random() % clones.size()];
    bool mayGo = simulator.fits() && simulator.fitsWithout(step);
    simulator.erase(step);
    if (mayGo) {
      EXPECT_TRUE(simulator.fits());
    }
    return true;
  }
};

} // namespace

TEST(Simulator, CountsLiveBytesThroughEdits) {
  unsigned edits = 0, clones = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph = makeGraph(seed);
    CompactGraph compact = makeCompact(graph, programOrder(graph).order);
    Editor editor(compact, seed);
    for (int i = 0; i < 30; ++i) {
      if (!(editor.random() % 3 ? editor.insertOne() : editor.eraseOne()))
        continue;
      ++edits;
      ASSERT_NO_FATAL_FAILURE(expectLiveness(graph, editor.simulator));
      ASSERT_NO_FATAL_FAILURE(expectSettled(editor.simulator));
      clones += editor.simulator.size() - compact.opCount();
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
  EXPECT_GT(edits, 3000u);
  EXPECT_GT(clones, edits);
}

TEST(Simulator, LeavesOutClonesThatNobodyNeeds) {
  GraphBuilder b;
  ValueId a = b.make("a", {b.input(64)}, 640);
  b.result(b.op("b", {a}), 64, StorageClass::Output);
  CompactGraph compact = makeCompact(b.graph, {0, 1});
  Simulator simulator(compact, 1000);
  simulator.settle({{0, false, 0}, {0, true, 1}, {1, false, 2}, {0, true, 3}});
  ASSERT_EQ(simulator.size(), 3u);
  EXPECT_TRUE(simulator.steps[1].isClone);
  EXPECT_EQ(simulator.memory, (std::vector<int64_t>{704, 704, 704}));
}

TEST(Simulator, RepairFitsOrSaysSo) {
  unsigned fits = 0, fails = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Graph graph = makeGraph(seed);
    CompactGraph compact = makeCompact(graph, programOrder(graph).order);
    Editor editor(compact, seed);
    bool fitted = repair(editor.simulator, {}, editor.random);
    int64_t repaired = editor.simulator.cost;
    EXPECT_EQ(fitted, editor.simulator.over == 0);
    ASSERT_NO_FATAL_FAILURE(expectLiveness(graph, editor.simulator));
    if (fitted) {
      prune(editor.simulator);
      EXPECT_EQ(editor.simulator.over, 0);
      EXPECT_LE(editor.simulator.cost, repaired);
    }
    ++(fitted ? fits : fails);
  }
  EXPECT_GT(fits, 20u);
  EXPECT_GT(fails, 3u);
}
