//===- OverlapCallsTest.cpp - Ops beside calls between ranks --------------===//
#include "GraphBuilder.h"
#include "reprise/Plan/Recompute.h"

#include <gtest/gtest.h>

#include <random>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

/// Gradients one after another, each with a call and an update; kilobytes that
/// live from the start to the first gradient make room for what waits.
struct Backward {
  /// `isLate`: calls and updates come after all gradients.
  explicit Backward(uint32_t gradients, uint64_t roomBytes,
                    bool isLate = false) {
    std::vector<ValueId> late;
    ValueId x = builder.make("x", {}, 4096);
    ValueId y = builder.fixed(4096);
    ValueId room = builder.make("room", {}, roomBytes);
    for (uint32_t k = 0; k < gradients; ++k) {
      std::vector<ValueId> inputs = {x, y};
      if (k == 0)
        inputs.push_back(room);
      ValueId gradient =
          builder.make("g" + std::to_string(k + 1), inputs, 4096);
      builder.graph.ops.back().cost = 1;
      late.push_back(gradient);
      if (isLate)
        continue;
      add(k + 1, gradient);
    }
    for (uint32_t k = 0; isLate && k < gradients; ++k)
      add(k + 1, late[k]);
  }
  void add(uint32_t number, ValueId gradient) {
    ValueId sum = builder.make("c" + std::to_string(number), {gradient}, 4096);
    builder.allowInPlace(0);
    Op &call = builder.graph.ops.back();
    call.runsBeside = call.runsOnce = true;
    call.workspaceBytes = 4096;
    builder.op("u" + std::to_string(number), {sum});
  }
  /// The names of the ops in their order.
  std::string text(const Schedule &schedule) const {
    std::string all;
    for (OpId id : schedule.order)
      if (id > 1)
        all += builder.graph.ops[id].name + " ";
    return all;
  }
  std::optional<PlacedSchedule> overlap() {
    Schedule order = programOrder(builder.graph);
    Liveness liveness = computeLiveness(builder.graph, order);
    return overlapCalls(
        builder.graph, order,
        placeBuffers(liveness.buffers, liveness.maxLive).height);
  }
  GraphBuilder builder;
};

} // namespace

TEST(OverlapCalls, UpdatesFollowTheNextCall) {
  Backward backward(3, 12288);
  std::optional<PlacedSchedule> found = backward.overlap();
  ASSERT_TRUE(found);
  EXPECT_EQ(backward.text(found->schedule), "g1 c1 g2 c2 u1 g3 c3 u2 u3 ");
  EXPECT_EQ(validate(backward.builder.graph, found->schedule, found->liveness,
                     found->placement),
            "");
  // c1, at step 3, has its workspace until u1.
  const Liveness &liveness = found->liveness;
  const Buffer &workspace = liveness.buffers[liveness.workspaceOfOp[3]];
  EXPECT_EQ(workspace.firstStep, 3u);
  EXPECT_EQ(workspace.lastStep, 5u);
}

TEST(OverlapCalls, UpdatesWaitLongerWhereThereIsRoom) {
  Backward backward(3, 65536);
  std::optional<PlacedSchedule> found = backward.overlap();
  ASSERT_TRUE(found);
  EXPECT_EQ(backward.text(found->schedule), "g1 c1 g2 c2 g3 c3 u1 u2 u3 ");
}

TEST(OverlapCalls, CallsRunAsSoonAsTheyCan) {
  Backward backward(3, 12288, /*isLate=*/true);
  std::optional<PlacedSchedule> found = backward.overlap();
  ASSERT_TRUE(found);
  EXPECT_EQ(backward.text(found->schedule), "g1 c1 g2 c2 u1 g3 c3 u2 u3 ");
}

/// An op that converts an operand does not hold a call back.
TEST(OverlapCalls, ConversionsRunWithTheirCall) {
  GraphBuilder builder;
  ValueId x = builder.make("x", {}, 4096), y = builder.fixed(4096);
  ValueId g = builder.make("g", {x, y}, 2048);
  builder.make("room", {x, y}, 65536);
  builder.make("last", {x, y}, 4096);
  ValueId wide = builder.make("wide", {g}, 4096);
  builder.make("c", {wide}, 4096);
  builder.graph.ops.back().runsBeside = true;
  Schedule order = programOrder(builder.graph);
  Liveness liveness = computeLiveness(builder.graph, order);
  uint64_t height = placeBuffers(liveness.buffers, liveness.maxLive).height;
  std::optional<PlacedSchedule> found =
      overlapCalls(builder.graph, order, height);
  // It would be live beside room.
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule.order, std::vector<OpId>({0, 1, 2, 4, 5, 3}));
  found = overlapCalls(builder.graph, order, height + 8192);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule.order, std::vector<OpId>({0, 1, 4, 5, 2, 3}));
}

/// An update waits for all readers of what it overwrites.
TEST(OverlapCalls, UpdatesKeepTheirOrder) {
  Backward backward(3, 12288);
  Graph &graph = backward.builder.graph;
  graph.ops[4].after = {8}; // u1 after g3
  Schedule order;
  order.order = {0, 1, 2, 3, 5, 6, 8, 4, 7, 9, 10};
  std::optional<PlacedSchedule> found = overlapCalls(graph, order, 65536);
  ASSERT_TRUE(found);
  EXPECT_EQ(validate(graph, found->schedule, found->liveness, found->placement),
            "");
  EXPECT_EQ(backward.text(found->schedule), "g1 c1 g2 c2 g3 c3 u1 u2 u3 ");
}

/// An order of the fewest bytes computes gradients (g) at the end. They run as
/// soon as they can where their calls then run beside more.
TEST(OverlapCalls, GradientsRunEarly) {
  Backward backward(0, 65536);
  GraphBuilder &builder = backward.builder;
  std::vector<ValueId> d = {0};
  for (uint32_t k = 1; k <= 3; ++k) {
    d.push_back(builder.make("d" + std::to_string(k), {d.back()}, 4096));
    builder.graph.ops.back().cost = 1;
  }
  for (uint32_t k = 1; k <= 3; ++k) {
    ValueId gradient = builder.make("g" + std::to_string(k), {d[k], 1}, 4096);
    builder.graph.ops.back().cost = 1;
    backward.add(k, gradient);
  }
  std::optional<PlacedSchedule> found = backward.overlap();
  ASSERT_TRUE(found);
  EXPECT_EQ(backward.text(found->schedule),
            "d1 g1 c1 d2 g2 c2 d3 g3 c3 u1 u2 u3 ");
}

/// Sums of statistics (s), on which all gradients after them depend, keep their
/// places, and do not keep sums of gradients from running beside others.
TEST(OverlapCalls, StatisticsStayWhereTheyAre) {
  Backward backward(0, 65536);
  GraphBuilder &builder = backward.builder;
  ValueId x = 0;
  for (uint32_t k = 1; k <= 3; ++k) {
    x = builder.make("s" + std::to_string(k), {x}, 4096);
    Op &call = builder.graph.ops.back();
    call.runsBeside = call.runsOnce = true;
    ValueId gradient = builder.make("g" + std::to_string(k), {x}, 4096);
    backward.add(k, gradient);
    x = builder.make("x" + std::to_string(k), {x}, 4096);
  }
  std::optional<PlacedSchedule> found = backward.overlap();
  ASSERT_TRUE(found);
  EXPECT_EQ(backward.text(found->schedule),
            "s1 g1 c1 x1 s2 g2 c2 x2 s3 g3 c3 x3 u1 u2 u3 ");
  EXPECT_EQ(validate(builder.graph, found->schedule, found->liveness,
                     found->placement),
            "");
}

/// A sum that is ready shortly before statistics are needed begins behind them;
/// one with more time in front of them begins at once.
TEST(OverlapCalls, SumsDoNotHoldStatisticsUp) {
  Backward backward(0, 65536);
  GraphBuilder &builder = backward.builder;
  ValueId x = 0;
  auto takes = [&](double cost) { builder.graph.ops.back().cost = cost; };
  for (uint32_t k = 1; k <= 3; ++k) {
    x = builder.make("s" + std::to_string(k), {x}, 4096);
    Op &call = builder.graph.ops.back();
    call.runsBeside = call.runsOnce = true;
    ValueId gradient = builder.make("g" + std::to_string(k), {x, 1}, 4096);
    takes(1);
    backward.add(k, gradient);
    x = builder.make("x" + std::to_string(k), {x}, 4096);
    takes(k == 2 ? 10 : 1);
  }
  std::optional<PlacedSchedule> found = backward.overlap();
  ASSERT_TRUE(found);
  EXPECT_EQ(backward.text(found->schedule),
            "s1 g1 x1 s2 c1 g2 c2 x2 s3 g3 c3 x3 u1 u2 u3 ");
}

/// A call that gathers what was updated after a sum is not one that keeps the
/// sum in its place. What follows from it waits for the next one.
TEST(OverlapCalls, GathersOfUpdatesFollowTheirSums) {
  for (bool gathersUpdates : {true, false}) {
    Backward backward(0, 65536);
    GraphBuilder &builder = backward.builder;
    for (uint32_t k = 1; k <= 3; ++k) {
      std::string number = std::to_string(k);
      ValueId gradient = builder.make("g" + number, {0, 1}, 4096);
      ValueId sum = builder.make("c" + number, {gradient}, 4096);
      builder.graph.ops.back().runsBeside = true;
      ValueId update = builder.make("u" + number, {sum}, 4096);
      ValueId gathered = builder.make("w" + number, {update}, 4096);
      builder.graph.ops.back().runsBeside = true;
      builder.graph.ops.back().gathersUpdates = gathersUpdates;
      builder.op("v" + number, {gathered});
    }
    std::optional<PlacedSchedule> found = backward.overlap();
    ASSERT_TRUE(found);
    EXPECT_EQ(backward.text(found->schedule),
              gathersUpdates ? "g1 c1 g2 c2 g3 c3 u1 w1 u2 w2 v1 u3 w3 v2 v3 "
                             : "g1 c1 u1 w1 g2 c2 u2 w2 g3 c3 u3 w3 v1 v2 v3 ");
  }
}

/// In an order that is placed already, buffers of a call last until its results
/// are read, or until another buffer begins in their bytes.
TEST(OverlapCalls, CallsOfPlacedOrdersKeepTheirBytes) {
  GraphBuilder builder;
  ValueId g = builder.make("g", {}, 4096);
  ValueId c = builder.make("c", {g}, 4096);
  builder.graph.ops.back().runsBeside = true;
  builder.graph.ops.back().workspaceBytes = 4096;
  ValueId y = builder.make("y", {}, 4096);
  builder.op("z", {y});
  builder.op("u", {c});
  PlacedSchedule placed;
  placed.schedule = programOrder(builder.graph);
  placed.liveness = computeLiveness(builder.graph, placed.schedule);
  Liveness &liveness = placed.liveness;
  uint32_t gradient = liveness.bufferOfValue[g],
           sum = liveness.bufferOfValue[c],
           workspace = liveness.workspaceOfOp[1],
           other = liveness.bufferOfValue[y];
  ASSERT_EQ(liveness.buffers[gradient].lastStep, 1u);
  // y takes the bytes of g.
  std::vector<uint64_t> &offsets = placed.placement.offsets;
  offsets.resize(liveness.buffers.size());
  offsets[gradient] = offsets[other] = 0;
  offsets[sum] = 4096;
  offsets[workspace] = 8192;
  placed.placement.height = 12288;
  extendCalls(builder.graph, placed);
  EXPECT_EQ(liveness.buffers[gradient].lastStep, 1u);
  EXPECT_EQ(liveness.buffers[workspace].lastStep, 3u);
  EXPECT_EQ(liveness.buffers[sum].lastStep, 4u);
  EXPECT_EQ(liveness.liveBytes,
            std::vector<uint64_t>({4096, 12288, 12288, 12288, 4096}));
  EXPECT_EQ(
      validate(builder.graph, placed.schedule, liveness, placed.placement), "");
}

/// The first calls are at the peak and take place alone.
TEST(OverlapCalls, TakesNoMoreMemory) {
  Backward backward(4, 4096);
  std::optional<PlacedSchedule> found = backward.overlap();
  uint64_t height = found ? found->placement.height : 0;
  EXPECT_LE(height, 4096u * 4);
  Backward tight(1, 4096);
  ASSERT_TRUE(tight.overlap());
  EXPECT_EQ(tight.text(tight.overlap()->schedule), "g1 c1 u1 ");
}

TEST(OverlapCalls, LeavesOtherGraphsAlone) {
  Backward backward(3, 65536);
  for (Op &op : backward.builder.graph.ops)
    op.runsBeside = false;
  EXPECT_FALSE(backward.overlap());
}

TEST(OverlapCalls, HasValidPlansOfRandomGraphs) {
  uint32_t moved = 0, tighter = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraphOptions options;
    options.ops = seed % 2 == 1 ? 120 : 30;
    Graph graph = makeRandomGraph(seed, options);
    if (seed % 2 == 1) // sizes that do not pack without gaps
      for (Value &value : graph.values)
        value.bytes *= kAlignment;
    for (OpId id = 0; id < graph.ops.size(); ++id)
      if ((id * 7 + seed) % 5 == 0) {
        graph.ops[id].runsBeside = graph.ops[id].runsOnce = true;
        graph.ops[id].workspaceBytes = 640;
      }
    Schedule order = programOrder(graph);
    Liveness liveness = computeLiveness(graph, order);
    uint64_t capacity =
        placeBuffers(liveness.buffers, liveness.maxLive).height +
        seed % 3 * 4096;
    std::optional<PlacedSchedule> found = overlapCalls(graph, order, capacity);
    if (!found)
      continue;
    moved += found->schedule.order != order.order;
    EXPECT_EQ(
        validate(graph, found->schedule, found->liveness, found->placement),
        "");
    EXPECT_LE(found->placement.height, capacity);
    capacity = found->placement.height - kAlignment;
    if (capacity < liveness.maxLive)
      continue;
    std::optional<PlacedSchedule> again = overlapCalls(graph, order, capacity);
    tighter += again.has_value();
    EXPECT_LE(again ? again->placement.height : 0, capacity);
  }
  EXPECT_GT(moved, 50u);
  EXPECT_GT(tighter, 0u);
}

/// The calls of a plan with recomputation: its executions are the same, in an
/// order whose plan is valid.
TEST(OverlapCalls, HasValidPlansWithRecomputation) {
  uint32_t moved = 0, refused = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomGraphOptions options;
    options.ops = 40;
    Graph graph = makeRandomGraph(seed, options);
    std::mt19937_64 random(seed);
    for (Op &op : graph.ops)
      if (random() % 4 == 0) {
        op.runsBeside = op.runsOnce = true;
        op.workspaceBytes = 640;
      }
    Executions executions = programOrder(graph).order;
    for (int k = 0; k < 20; ++k) {
      Executions tried = executions;
      tried.insert(tried.begin() + random() % (tried.size() + 1),
                   random() % graph.ops.size());
      if (checkExecutions(graph, tried).empty())
        executions = tried;
    }
    Plan plan = makePlan(graph, executions);
    uint64_t capacity = plan.height + seed % 3 * 4096;
    std::optional<Plan> found = overlapCalls(graph, plan, capacity);
    if (!found) {
      ++refused;
      continue;
    }
    EXPECT_EQ(validatePlan(graph, *found), "");
    EXPECT_LE(found->height, capacity);
    EXPECT_EQ(found->milliseconds, plan.milliseconds);
    Executions after;
    for (const PlanStep &step : found->steps)
      after.push_back(step.op);
    moved += after != executions;
    std::sort(after.begin(), after.end());
    std::sort(executions.begin(), executions.end());
    EXPECT_EQ(after, executions);
  }
  EXPECT_GT(moved, 50u);
  EXPECT_GT(refused, 0u);
}
