//===- ValidateTest.cpp - The validator refuses every damaged plan --------===//
#include "GraphBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

struct Plan {
  Graph graph;
  Schedule schedule;
  Liveness liveness;
  Placement placement;

  explicit Plan(Graph g) : graph(std::move(g)) {
    schedule = programOrder(graph);
    refresh();
  }
  /// Liveness and placement that fit the schedule.
  void refresh() {
    liveness = computeLiveness(graph, schedule);
    placement = placeBuffers(liveness.buffers, liveness.maxLive);
  }
  std::string check() const {
    return validate(graph, schedule, liveness, placement);
  }
  Buffer &bufferOf(ValueId value) {
    return liveness.buffers[liveness.bufferOfValue[value]];
  }
  /// Live bytes and peak that fit the buffers as they are now.
  void recount() {
    std::fill(liveness.liveBytes.begin(), liveness.liveBytes.end(), 0);
    for (const Buffer &buffer : liveness.buffers)
      for (uint32_t s = buffer.firstStep; s <= buffer.lastStep; ++s)
        liveness.liveBytes[s] += buffer.bytes;
    auto peak =
        std::max_element(liveness.liveBytes.begin(), liveness.liveBytes.end());
    liveness.maxLive = *peak;
    liveness.peakStep = peak - liveness.liveBytes.begin();
  }
  /// Offsets without any sharing: legal for every set of buffers.
  void spread() {
    placement.offsets.clear();
    placement.height = 0;
    for (const Buffer &buffer : liveness.buffers) {
      placement.offsets.push_back(placement.height);
      placement.height += buffer.bytes;
    }
  }
};

/// step 0: x   1: v, a view of x   2: y, in place of x   3: side (workspace)
/// step 4: update (effect, after side)   5: out, from y and side
class Validate : public testing::Test {
protected:
  static Graph makeGraph() {
    GraphBuilder b;
    ValueId in = b.input(64);
    ValueId x = b.make("x", {in}, 128);
    ValueId v = b.view("v", x, 128);
    ValueId y = b.make("y", {v}, 128);
    b.allowInPlace(0);
    ValueId side = b.make("side", {in}, 256);
    b.graph.ops.back().workspaceBytes = 100;
    OpId update = b.op("update", {side});
    b.result(update, 256, StorageClass::Fixed);
    b.graph.ops[update].runsOnce = true;
    b.graph.ops[update].after = {1};
    b.result(b.op("out", {y, side}), 64, StorageClass::Output);
    return b.graph;
  }
  enum : ValueId { in, x, v, y, side, written, out };

  Validate() : plan(makeGraph()) { EXPECT_EQ(plan.check(), ""); }
  void expectError(const std::string &part) {
    std::string error = plan.check();
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  Plan plan;
};

} // namespace

TEST_F(Validate, DroppedOp) {
  plan.schedule.order.erase(plan.schedule.order.begin() + 4);
  expectError("op 4 'update' never runs");
}

TEST_F(Validate, RepeatedOp) {
  plan.schedule.order.push_back(4);
  expectError("op 4 'update' runs at step 4 and again at step 6");
}

TEST_F(Validate, UnknownOp) {
  plan.schedule.order[5] = 17;
  expectError("step 5 runs op 17 of 6");
}

TEST_F(Validate, SwappedDependentOps) {
  std::swap(plan.schedule.order[0], plan.schedule.order[1]);
  plan.refresh();
  expectError("op 1 'v' runs before op 0 'x', which produces its input");
}

TEST_F(Validate, SwappedAfter) {
  plan.schedule.order = {0, 3, 4, 1, 2, 5};
  plan.refresh();
  expectError("op 4 'update' runs before op 1 'v', which it must come after");
}

TEST_F(Validate, EarlyFree) {
  plan.bufferOf(side).lastStep = 4;
  plan.recount();
  expectError("op 5 'out' reads value 4 'side' at step 5");
}

TEST_F(Validate, LateAllocation) {
  plan.bufferOf(side).firstStep = 4;
  plan.recount();
  expectError("is not live at step 3, which produces it");
}

TEST_F(Validate, InputNotLiveAtTheStart) {
  plan.bufferOf(in).firstStep = 1;
  plan.recount();
  expectError("input value 0 'v0' is not live at the start");
}

TEST_F(Validate, OutputFreedBeforeTheEnd) {
  GraphBuilder b;
  ValueId out = b.result(b.op("out", {}), 64, StorageClass::Output);
  b.make("later", {}, 64);
  plan = Plan(b.graph);
  ASSERT_EQ(plan.check(), "");
  plan.bufferOf(out).lastStep = 0;
  plan.recount();
  expectError("output value 0 'out' is not live at the end");
}

TEST_F(Validate, OverlappingOffsets) {
  uint32_t a = plan.liveness.bufferOfValue[in];
  uint32_t b = plan.liveness.bufferOfValue[x];
  plan.placement.offsets[a] = plan.placement.offsets[b] + 64;
  expectError("overlap at byte");
}

TEST_F(Validate, WorkspaceOverlapsAValue) {
  plan.placement.offsets[plan.liveness.workspaceOfOp[3]] =
      plan.placement.offsets[plan.liveness.bufferOfValue[side]];
  expectError("overlap at byte");
}

TEST_F(Validate, UnalignedOffset) {
  plan.placement.offsets[0] += 8;
  expectError("no multiple of 64");
}

TEST_F(Validate, UnalignedSize) {
  plan.liveness.buffers[0].bytes -= 1;
  expectError("no multiple of 64");
}

TEST_F(Validate, WrongHeight) {
  plan.placement.height -= 64;
  expectError("placement ends at byte");
}

TEST_F(Validate, MissingOffset) {
  plan.placement.offsets.pop_back();
  expectError("offsets for");
}

TEST_F(Validate, WrongPeak) {
  plan.liveness.maxLive -= 64;
  expectError("max-live is");
}

TEST_F(Validate, WrongPeakStep) {
  plan.liveness.peakStep = 0;
  expectError("step 0 is not where the live bytes peak");
}

TEST_F(Validate, WrongLiveBytes) {
  plan.liveness.liveBytes[1] += 64;
  expectError("step 1 has");
}

TEST_F(Validate, LifetimeOutsideTheStep) {
  plan.bufferOf(out).lastStep = 6;
  expectError("lives from step 5 to 6 of 6");
}

TEST_F(Validate, ValueWithoutBuffer) {
  std::vector<ValueId> &values = plan.bufferOf(side).values;
  values.clear();
  plan.liveness.bufferOfValue[side] = kNone;
  expectError("value 4 'side' has no buffer");
}

TEST_F(Validate, ValueMissingInItsBuffer) {
  plan.bufferOf(side).values.clear();
  expectError("value 4 'side' is missing in its buffer");
}

TEST_F(Validate, ValueInTwoBuffers) {
  plan.bufferOf(side).values.push_back(out);
  expectError("which is listed elsewhere too");
}

TEST_F(Validate, BufferTooSmall) {
  plan.bufferOf(side).bytes = 192;
  plan.recount();
  expectError("value 4 'side' of 256 bytes is in buffer");
}

TEST_F(Validate, ViewOutsideItsBase) {
  // The view alone in a buffer of its own.
  Buffer own = plan.bufferOf(v);
  own.values = {v};
  std::vector<ValueId> &old = plan.bufferOf(v).values;
  old.erase(std::find(old.begin(), old.end(), v));
  plan.liveness.bufferOfValue[v] = plan.liveness.buffers.size();
  plan.liveness.buffers.push_back(own);
  plan.recount();
  plan.spread();
  expectError("value 2 'v' is not in the buffer of value 1 'x'");
}

TEST_F(Validate, InPlaceNotDeclared) {
  plan.graph.ops[2].inPlace.clear();
  expectError("value 3 'y' may not take the storage of value 1 'x'");
}

TEST_F(Validate, InPlaceOfAValueReadLater) {
  plan.graph.ops[5].inputs.push_back(x);
  expectError("value 3 'y' may not take the storage of value 1 'x'");
}

TEST_F(Validate, InPlaceOfAnotherSize) {
  plan.graph.values[y].bytes = 120;
  expectError("value 3 'y' may not take the storage of value 1 'x'");
}

TEST_F(Validate, InPlaceOfAnOutput) {
  plan.graph.values[x].storage = StorageClass::Output;
  expectError("value 3 'y' may not take the storage of value 1 'x'");
}

TEST_F(Validate, InPlaceWithASecondReadOfTheBytes) {
  plan.graph.ops[2].inputs.push_back(x);
  expectError("value 3 'y' may not take the storage of value 1 'x'");
}

TEST_F(Validate, UnrelatedValuesInOneBuffer) {
  std::vector<ValueId> &old = plan.bufferOf(out).values;
  old.clear();
  plan.bufferOf(side).values.push_back(out);
  plan.liveness.bufferOfValue[out] = plan.liveness.bufferOfValue[side];
  expectError("value 6 'out' may not take the storage of value 4 'side'");
}

TEST_F(Validate, MissingWorkspace) {
  plan.liveness.workspaceOfOp[3] = kNone;
  expectError("is not the workspace it says it is");
}

TEST_F(Validate, UnplannedWorkspace) {
  plan.graph.ops[4].workspaceBytes = 64;
  expectError("op 4 'update' has no workspace");
}

TEST_F(Validate, WorkspaceAtAnotherStep) {
  Buffer &workspace = plan.liveness.buffers[plan.liveness.workspaceOfOp[3]];
  workspace.firstStep = workspace.lastStep = 4;
  plan.recount();
  plan.spread();
  expectError("op 3 'side' lacks its workspace of 100 bytes while it runs");
}

TEST_F(Validate, WorkspaceTooSmall) {
  plan.liveness.buffers[plan.liveness.workspaceOfOp[3]].bytes = 64;
  plan.recount();
  expectError("op 3 'side' lacks its workspace of 100 bytes while it runs");
}

TEST_F(Validate, AcceptsRandomPlans) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomGraphOptions options;
    options.ops = 5 + seed % 40;
    Plan random(makeRandomGraph(seed, options));
    ASSERT_EQ(checkGraph(random.graph), "") << seed;
    EXPECT_EQ(random.check(), "") << seed;
    random.schedule = chooseOrder(random.graph);
    random.refresh();
    EXPECT_EQ(random.check(), "") << seed;
  }
}

TEST_F(Validate, RefusesEveryShortenedLifetime) {
  uint32_t damaged = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomGraphOptions options;
    options.ops = 5 + seed % 20;
    const Plan intact(makeRandomGraph(seed, options));
    for (uint32_t id = 0; id < intact.liveness.buffers.size(); ++id) {
      Plan random = intact;
      Buffer &buffer = random.liveness.buffers[id];
      if (buffer.firstStep == buffer.lastStep)
        continue;
      if (damaged++ % 2)
        ++buffer.firstStep;
      else
        --buffer.lastStep;
      random.recount();
      EXPECT_NE(random.check(), "") << seed << ", buffer " << id;
    }
  }
  EXPECT_GT(damaged, 100u);
}
