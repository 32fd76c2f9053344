//===- LivenessTest.cpp - Buffers, aliases and live bytes -----------------===//
#include "GraphBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace reprise::plan;
using namespace reprise::plan::test;

static Liveness live(const GraphBuilder &b) {
  EXPECT_EQ(checkGraph(b.graph), "");
  return computeLiveness(b.graph, programOrder(b.graph));
}

TEST(Liveness, TemporaryLivesFromProducerToLastUse) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 100);
  ValueId y = b.make("y", {x}, 64);
  b.make("z", {y}, 64);
  Liveness l = live(b);
  const Buffer &buffer = l.buffers[l.bufferOfValue[x]];
  EXPECT_EQ(buffer.firstStep, 0u);
  EXPECT_EQ(buffer.lastStep, 1u);
  EXPECT_EQ(buffer.bytes, 128u);
  EXPECT_EQ(l.liveBytes, (std::vector<uint64_t>{128, 192, 128}));
  EXPECT_EQ(l.maxLive, 192u);
  EXPECT_EQ(l.peakStep, 1u);
}

TEST(Liveness, InputLivesFromTheStartAndOutputToTheEnd) {
  GraphBuilder b;
  ValueId in = b.input(64);
  ValueId out = b.result(b.op("out", {}), 64, StorageClass::Output);
  b.make("reader", {in}, 64);
  b.make("last", {}, 64);
  Liveness l = live(b);
  EXPECT_EQ(l.buffers[l.bufferOfValue[in]].firstStep, 0u);
  EXPECT_EQ(l.buffers[l.bufferOfValue[in]].lastStep, 1u);
  EXPECT_EQ(l.buffers[l.bufferOfValue[out]].lastStep, 2u);
}

TEST(Liveness, FixedAndEmptyValuesHaveNoBuffer) {
  GraphBuilder b;
  ValueId weight = b.fixed(1024);
  ValueId written =
      b.result(b.op("update", {weight}), 1024, StorageClass::Fixed);
  ValueId token = b.make("token", {}, 0);
  Liveness l = live(b);
  EXPECT_TRUE(l.buffers.empty());
  for (ValueId value : {weight, written, token})
    EXPECT_EQ(l.bufferOfValue[value], kNone);
  EXPECT_EQ(l.maxLive, 0u);
}

TEST(Liveness, ViewOfViewExtendsTheBase) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 256);
  ValueId v = b.view("v", x, 128);
  ValueId w = b.view("w", v, 64);
  b.make("gap", {}, 64);
  b.make("reader", {w}, 64);
  Liveness l = live(b);
  EXPECT_EQ(l.bufferOfValue[x], l.bufferOfValue[v]);
  EXPECT_EQ(l.bufferOfValue[x], l.bufferOfValue[w]);
  EXPECT_EQ(l.buffers[l.bufferOfValue[x]].lastStep, 4u);
}

TEST(Liveness, OutputThatViewsATemporaryKeepsIt) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 64);
  ValueId v = b.view("v", x, 64);
  b.graph.values[v].storage = StorageClass::Output;
  b.make("last", {}, 64);
  Liveness l = live(b);
  EXPECT_EQ(l.buffers[l.bufferOfValue[x]].lastStep, 2u);
}

TEST(Liveness, WorkspaceLivesOneStep) {
  GraphBuilder b;
  b.make("a", {}, 64);
  b.graph.ops[0].workspaceBytes = 65;
  b.make("b", {}, 64);
  Liveness l = live(b);
  const Buffer &workspace = l.buffers[l.workspaceOfOp[0]];
  EXPECT_EQ(workspace.workspaceOf, 0u);
  EXPECT_EQ(workspace.bytes, 128u);
  EXPECT_EQ(workspace.firstStep, workspace.lastStep);
  EXPECT_EQ(l.workspaceOfOp[1], kNone);
  EXPECT_EQ(l.liveBytes, (std::vector<uint64_t>{192, 64}));
}

/// x -> y in place, then a reader of y; the tests below forbid it one by one.
namespace {
struct InPlaceCase {
  GraphBuilder b;
  ValueId x, y;
  bool shares() {
    Liveness l = live(b);
    return l.bufferOfValue[x] == l.bufferOfValue[y];
  }
};
} // namespace

static InPlaceCase makeInPlace(uint64_t bytesOfY = 100) {
  InPlaceCase c;
  c.x = c.b.make("x", {}, 100);
  c.y = c.b.make("y", {c.x}, bytesOfY);
  c.b.allowInPlace(0);
  return c;
}

TEST(InPlace, TakesTheBufferThatDies) {
  InPlaceCase c = makeInPlace();
  c.b.make("reader", {c.y}, 64);
  EXPECT_TRUE(c.shares());
  Liveness l = live(c.b);
  EXPECT_EQ(l.buffers[l.bufferOfValue[c.x]].firstStep, 0u);
  EXPECT_EQ(l.buffers[l.bufferOfValue[c.x]].lastStep, 2u);
  EXPECT_EQ(l.liveBytes, (std::vector<uint64_t>{128, 128, 192}));
}

TEST(InPlace, ChainsThroughSeveralOps) {
  InPlaceCase c = makeInPlace();
  ValueId z = c.b.make("z", {c.y}, 100);
  c.b.allowInPlace(0);
  Liveness l = live(c.b);
  EXPECT_EQ(l.bufferOfValue[c.x], l.bufferOfValue[z]);
  EXPECT_EQ(l.maxLive, 128u);
}

TEST(InPlace, RefusesAnotherSize) {
  EXPECT_FALSE(makeInPlace(99).shares()); // the same when rounded up
}

TEST(InPlace, RefusesAnInputReadLater) {
  InPlaceCase c = makeInPlace();
  c.b.make("reader", {c.x}, 64);
  EXPECT_FALSE(c.shares());
}

TEST(InPlace, RefusesAnInputWhoseViewIsReadLater) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 64);
  ValueId v = b.view("v", x, 64);
  ValueId y = b.make("y", {x}, 64);
  b.allowInPlace(0);
  b.make("reader", {v}, 64);
  Liveness l = live(b);
  EXPECT_NE(l.bufferOfValue[x], l.bufferOfValue[y]);
}

TEST(InPlace, RefusesAnAliasOfAnOverwrittenValueReadLater) {
  // y overwrites x; z may not overwrite y's view while y is read later.
  InPlaceCase c = makeInPlace();
  ValueId v = c.b.view("v", c.y, 100);
  ValueId z = c.b.make("z", {v}, 100);
  c.b.allowInPlace(0);
  c.b.make("reader", {c.y}, 64);
  Liveness l = live(c.b);
  EXPECT_EQ(l.bufferOfValue[c.x], l.bufferOfValue[c.y]);
  EXPECT_NE(l.bufferOfValue[c.y], l.bufferOfValue[z]);
}

TEST(InPlace, RefusesInputsAndOutputsOfTheStep) {
  for (StorageClass storage : {StorageClass::Input, StorageClass::Output}) {
    GraphBuilder b;
    ValueId x = storage == StorageClass::Input
                    ? b.input(64)
                    : b.result(b.op("x", {}), 64, storage);
    ValueId y = b.make("y", {x}, 64);
    b.allowInPlace(0);
    Liveness l = live(b);
    EXPECT_NE(l.bufferOfValue[x], l.bufferOfValue[y]);
  }
}

TEST(InPlace, RefusesASecondOperandThatIsNotDeclared) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 64);
  ValueId y = b.make("y", {x, x}, 64);
  b.allowInPlace(0);
  Liveness l = live(b);
  EXPECT_NE(l.bufferOfValue[x], l.bufferOfValue[y]);
  b.allowInPlace(1);
  l = live(b);
  EXPECT_EQ(l.bufferOfValue[x], l.bufferOfValue[y]);
}

TEST(InPlace, RefusesASecondViewOfTheSameBytes) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 64);
  ValueId v = b.view("v", x, 64);
  ValueId y = b.make("y", {x, v}, 64);
  b.allowInPlace(0);
  b.allowInPlace(1);
  Liveness l = live(b);
  EXPECT_NE(l.bufferOfValue[x], l.bufferOfValue[y]);
}

TEST(InPlace, GivesABufferToOneOutputOnly) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 64);
  OpId op = b.op("split", {x});
  ValueId y = b.result(op, 64), z = b.result(op, 64);
  b.graph.ops[op].inPlace = {{0, 0}, {1, 0}};
  Liveness l = live(b);
  EXPECT_EQ(l.bufferOfValue[x], l.bufferOfValue[y]);
  EXPECT_NE(l.bufferOfValue[x], l.bufferOfValue[z]);
}

TEST(InPlace, OutputOfTheStepMayOverwriteATemporary) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 64);
  OpId op = b.op("out", {x});
  ValueId out = b.result(op, 64, StorageClass::Output);
  b.allowInPlace(0);
  ValueId z = b.make("z", {out}, 64);
  b.allowInPlace(0);
  Liveness l = live(b);
  EXPECT_EQ(l.bufferOfValue[x], l.bufferOfValue[out]);
  EXPECT_NE(l.bufferOfValue[x], l.bufferOfValue[z]);
}

//===----------------------------------------------------------------------===//
// Against a brute-force recomputation
//===----------------------------------------------------------------------===//

static ValueId rootOf(const Graph &graph, ValueId value) {
  while (graph.values[value].viewOf != kNone)
    value = graph.values[value].viewOf;
  return value;
}

/// Without in-place reuse: at each step, every root some member of which is
/// made at or before it and needed at or after it.
static uint64_t maxLiveByDefinition(const Graph &graph) {
  uint64_t most = 0;
  uint32_t steps = graph.ops.size();
  for (uint32_t step = 0; step < steps; ++step) {
    uint64_t live = (graph.ops[step].workspaceBytes + 63) / 64 * 64;
    for (ValueId root = 0; root < graph.values.size(); ++root) {
      const Value &value = graph.values[root];
      if (value.viewOf != kNone || value.storage == StorageClass::Fixed)
        continue;
      bool begun =
          value.storage == StorageClass::Input ? true : value.producer <= step;
      bool needed = value.producer == step || step == 0;
      for (ValueId member = 0; member < graph.values.size(); ++member) {
        if (rootOf(graph, member) != root)
          continue;
        needed |= graph.values[member].storage == StorageClass::Output;
        OpId maker = graph.values[member].producer;
        needed |= maker != kNone && maker >= step;
        for (OpId op = step; op < steps; ++op)
          for (ValueId input : graph.ops[op].inputs)
            needed |= input == member;
      }
      if (begun && needed)
        live += (value.bytes + 63) / 64 * 64;
    }
    most = std::max(most, live);
  }
  return most;
}

TEST(Liveness, MaxLiveOfRandomGraphsFollowsTheDefinition) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomGraphOptions options;
    options.ops = 5 + seed % 40;
    options.inPlace = false;
    Graph graph = makeRandomGraph(seed, options);
    ASSERT_EQ(checkGraph(graph), "") << seed;
    EXPECT_EQ(computeLiveness(graph, programOrder(graph)).maxLive,
              maxLiveByDefinition(graph))
        << seed;
  }
}

TEST(Liveness, InPlaceNeverRaisesLiveBytes) {
  uint32_t lowered = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomGraphOptions options;
    options.ops = 5 + seed % 40;
    Graph graph = makeRandomGraph(seed, options);
    Liveness with = computeLiveness(graph, programOrder(graph));
    for (Op &op : graph.ops)
      op.inPlace.clear();
    Liveness without = computeLiveness(graph, programOrder(graph));
    for (uint32_t step = 0; step < with.liveBytes.size(); ++step)
      EXPECT_LE(with.liveBytes[step], without.liveBytes[step]) << seed;
    lowered += with.maxLive < without.maxLive;
  }
  EXPECT_GT(lowered, 0u);
}
