//===- OnDemandTest.cpp - Executions that rebuild what was dropped --------===//
#include "search/OnDemand.h"
#include "GraphBuilder.h"
#include "baselines/Segments.h"

#include <gtest/gtest.h>

using namespace reprise::plan;
using namespace reprise::plan::test;

/// a -> b -> c in the forward pass; d and e of the backward pass read b and a.
static Graph makeChain() {
  GraphBuilder b;
  ValueId x = b.input(64);
  ValueId a = b.make("a", {x}, 128);
  ValueId second = b.make("b", {a}, 256);
  ValueId c = b.make("c", {second}, 64);
  ValueId d = b.make("d", {c, second}, 64);
  b.result(b.op("e", {d, a}), 64, StorageClass::Output);
  for (OpId op = 3; op < 5; ++op)
    b.graph.ops[op].backward = true;
  return b.graph;
}

static std::vector<bool> keepNone(const Graph &graph) {
  return std::vector<bool>(graph.values.size(), false);
}

static Executions recompute(const Graph &graph, const std::vector<bool> &kept) {
  EXPECT_EQ(checkGraph(graph), "");
  Executions executions =
      recomputeOnDemand(graph, programOrder(graph).order, kept);
  EXPECT_EQ(checkExecutions(graph, executions), "");
  return executions;
}

TEST(OnDemand, KeepingEverythingIsTheOrder) {
  Graph graph = makeChain();
  std::vector<bool> all(graph.values.size(), true);
  EXPECT_EQ(recompute(graph, all), (Executions{0, 1, 2, 3, 4}));
}

TEST(OnDemand, RebuildsRightBeforeTheReader) {
  Graph graph = makeChain();
  // d misses b, which misses a; c too. What came back stays for e.
  EXPECT_EQ(recompute(graph, keepNone(graph)),
            (Executions{0, 1, 2, 0, 1, 2, 3, 4}));
  std::vector<bool> kept = keepNone(graph);
  kept[2] = kept[3] = true; // results of b and c
  EXPECT_EQ(recompute(graph, kept), (Executions{0, 1, 2, 3, 0, 4}));
}

TEST(OnDemand, KeepsWhatAnEffectMadeAndOutputs) {
  Graph graph = makeChain();
  graph.ops[1].runsOnce = true;
  graph.values[3].storage = StorageClass::Output; // of c
  EXPECT_EQ(recompute(graph, keepNone(graph)), (Executions{0, 1, 2, 3, 0, 4}));
}

TEST(OnDemand, MakesAViewAgainWithItsBase) {
  GraphBuilder b;
  ValueId x = b.input(64);
  ValueId a = b.make("a", {x}, 256);
  ValueId v = b.view("v", a, 128);
  ValueId c = b.make("c", {v}, 64);
  ValueId d = b.make("d", {c, a}, 64);
  b.result(b.op("e", {d, v}), 64, StorageClass::Output);
  b.graph.ops[3].backward = b.graph.ops[4].backward = true;
  std::vector<bool> kept = keepNone(b.graph);
  kept[c] = true;
  EXPECT_EQ(recompute(b.graph, kept), (Executions{0, 1, 2, 0, 3, 1, 4}));
  kept[v] = true; // keeps the base's bytes too
  EXPECT_EQ(recompute(b.graph, kept), (Executions{0, 1, 2, 3, 4}));
}

TEST(OnDemand, KeepsWhatNeedsAnOverwrittenValue) {
  GraphBuilder b;
  ValueId x = b.input(64), weight = b.fixed(64);
  ValueId a = b.make("a", {x, weight}, 256);
  ValueId c = b.make("c", {a}, 128);
  OpId update = b.op("update", {weight, c});
  b.result(update, 64, StorageClass::Fixed);
  b.graph.ops[update].runsOnce = true;
  b.graph.ops[update].overwrites = {weight};
  b.graph.ops[update].after = {0};
  b.result(b.op("d", {c, a}), 64, StorageClass::Output);
  b.graph.ops[2].backward = b.graph.ops[3].backward = true;
  // In front of the update, everything can be rebuilt, and stays for d.
  EXPECT_EQ(recompute(b.graph, keepNone(b.graph)),
            (Executions{0, 1, 0, 1, 2, 3}));
  // Behind it a can't be, so that it is kept although nobody asked for it.
  std::vector<bool> kept = keepNone(b.graph);
  kept[c] = true;
  EXPECT_EQ(recompute(b.graph, kept), (Executions{0, 1, 2, 3}));
}

TEST(OnDemand, OneExecutionRebuildsAllResults) {
  GraphBuilder b;
  ValueId x = b.input(64);
  OpId two = b.op("two", {x});
  ValueId left = b.result(two, 64), right = b.result(two, 128);
  ValueId c = b.make("c", {left, right}, 64);
  ValueId d = b.make("d", {c, left}, 64);
  b.result(b.op("e", {d, right}), 64, StorageClass::Output);
  b.graph.ops[2].backward = b.graph.ops[3].backward = true;
  std::vector<bool> kept = keepNone(b.graph);
  kept[c] = true;
  EXPECT_EQ(recompute(b.graph, kept), (Executions{0, 1, 0, 2, 3}));
  kept[left] = true;
  EXPECT_EQ(recompute(b.graph, kept), (Executions{0, 1, 2, 0, 3}));
}

/// Every repeated execution makes something that is read before it is made
/// again. By hand, from the executions alone.
static bool hasUnreadClone(const Graph &graph, const Executions &executions) {
  std::vector<bool> ran(graph.ops.size(), false);
  for (size_t i = 0; i < executions.size(); ++i) {
    OpId op = executions[i];
    bool isClone = ran[op], isRead = false;
    ran[op] = true;
    for (size_t j = i + 1; isClone && j < executions.size(); ++j) {
      if (executions[j] == op)
        break;
      const Op &reader = graph.ops[executions[j]];
      std::vector<ValueId> reads = reader.inputs;
      for (ValueId output : reader.outputs)
        if (graph.values[output].viewOf != kNone)
          reads.push_back(graph.values[output].viewOf);
      for (ValueId at : reads) {
        while (graph.values[at].producer == kNone &&
               graph.values[at].viewOf != kNone)
          at = graph.values[at].viewOf;
        isRead |= graph.values[at].producer == op;
      }
    }
    if (isClone && !isRead)
      return true;
  }
  return false;
}

TEST(OnDemand, RandomChoicesGiveSchedulesWithoutUnreadClones) {
  unsigned withClones = 0, withOverwrites = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    TrainingGraphOptions options;
    options.forwardOps = 3 + seed % 20;
    Graph graph = makeRandomTrainingGraph(seed, options);
    ASSERT_EQ(checkGraph(graph), "") << seed;
    std::vector<bool> kept = keepNone(graph);
    for (ValueId id = 0; id < kept.size(); ++id)
      kept[id] = (seed * 31 + id * 17) % 7 < seed % 4;
    Executions executions =
        recomputeOnDemand(graph, programOrder(graph).order, kept);
    ASSERT_EQ(checkExecutions(graph, executions), "") << seed;
    ASSERT_FALSE(hasUnreadClone(graph, executions)) << seed;
    withClones += executions.size() > graph.ops.size();
    for (const Op &op : graph.ops)
      withOverwrites += !op.overwrites.empty();
  }
  EXPECT_GT(withClones, 1000u);
  EXPECT_GT(withOverwrites, 1000u);
}

TEST(Segments, CutsAResNetBetweenItsBlocks) {
  Graph graph = makeResNetStep({});
  std::vector<OpId> order = programOrder(graph).order;
  DemandTables tables(graph, order);
  std::vector<std::string> names;
  for (const Cut &cut : findCuts(tables)) {
    EXPECT_EQ(cut.crossing.size(), 1u);
    names.push_back(graph.ops[order[cut.after]].name);
  }
  // The first block's shortcut starts at an input of the step, which is always
  // there; the last block's result goes into the loss, which is backward.
  std::vector<std::string> expected = {"conv",      "norm_relu", "conv",
                                       "norm_relu", "conv",      "norm"};
  expected.insert(expected.end(), 15, "add_relu");
  EXPECT_EQ(names, expected);
}
