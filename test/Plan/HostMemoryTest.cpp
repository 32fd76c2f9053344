//===- HostMemoryTest.cpp - Plans that copy values to the host ------------===//
#include "reprise/Plan/HostMemory.h"
#include "GraphBuilder.h"

#include <gtest/gtest.h>

#include <random>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

constexpr HostStep run(OpId op) { return {HostStep::Kind::Execute, op}; }
constexpr HostStep offload(ValueId value) {
  return {HostStep::Kind::Offload, value};
}
constexpr HostStep fetch(ValueId value) {
  return {HostStep::Kind::Fetch, value};
}

/// a, b, c of 1 KiB, each from the one before, then their gradients, which read
/// them in reverse. Each op takes a millisecond.
struct Chain {
  explicit Chain(uint32_t length) {
    ValueId last = builder.input(1024);
    for (uint32_t k = 0; k < length; ++k)
      values.push_back(last =
                           builder.make("f" + std::to_string(k), {last}, 1024));
    for (uint32_t k = length; k-- > 0;) {
      last = builder.make("g" + std::to_string(k), {last, values[k]}, 1024);
      builder.graph.ops.back().backward = true;
    }
    builder.graph.values[last].storage = StorageClass::Output;
    for (Op &op : builder.graph.ops)
      op.cost = 1;
  }
  const Graph &graph() const { return builder.graph; }
  GraphBuilder builder;
  std::vector<ValueId> values;
};

uint64_t liveOf(const Graph &graph) {
  return computeLiveness(graph, programOrder(graph)).maxLive;
}

SolverOptions quick() {
  SolverOptions options;
  options.work = 0.25;
  options.effort = Effort::Quick;
  return options;
}

} // namespace

TEST(HostMemory, ChecksTheStepsOfASchedule) {
  Chain chain(2);
  ValueId a = chain.values[0];
  EXPECT_EQ(checkHostSteps(chain.graph(), {run(0), run(1), offload(a), run(2),
                                           fetch(a), run(3)}),
            "");
  EXPECT_EQ(checkHostSteps(chain.graph(), {offload(a), run(0)}),
            "step 0 offloads, before it is computed, value 'f0'");
  EXPECT_EQ(checkHostSteps(chain.graph(), {run(0), offload(a), offload(a)}),
            "step 2 offloads again value 'f0'");
  EXPECT_EQ(checkHostSteps(chain.graph(), {run(0), fetch(a)}),
            "step 1 fetches, before it was offloaded, value 'f0'");
  EXPECT_EQ(checkHostSteps(chain.graph(), {run(0), offload(99)}),
            "step 1 copies value 99 of 5");
  EXPECT_EQ(checkHostSteps(chain.graph(), {run(0), offload(0)}),
            "step 1 offloads a view, an input, an output or a variable, value "
            "'v0'");
  EXPECT_EQ(checkHostSteps(chain.graph(), {run(0), run(1), run(2)}),
            "op 3 'g0' never runs");
}

// One copy at a time in each direction, beside the ops:
//
//   ops      f0 f1 f2 .. g2 g1 .. g0      0.5 ms of latency, 1 KiB a ms
//   out         |-a-||--b-|
//   in                   |-b-||-a-|
TEST(HostMemory, SimulatesCopiesBesideOps) {
  Chain chain(3);
  ValueId a = chain.values[0], b = chain.values[1];
  HostLink link{1024, 0.5};
  HostSteps steps = {run(0),   run(1), offload(a), run(2), offload(b),
                     fetch(b), run(3), fetch(a),   run(4), run(5)};
  HostTimes times = simulate(chain.graph(), steps, link);
  // f0 to 1, a from there to 2.5; f1 to 2, then a is waited for to 2.5; b from
  // 2.5 to 4; f2 to 3.5, b is waited for to 4; b back from 4 to 5.5; g2 to 5;
  // a back from 5.5 to 7; g1 from 5.5 to 6.5; g0 from 7 to 8.
  EXPECT_DOUBLE_EQ(times.milliseconds, 8);
  std::vector<double> waits = {0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5, 0, 0};
  EXPECT_EQ(times.waitingFor, waits);
  EXPECT_DOUBLE_EQ(times.waiting(), 2);
}

TEST(HostMemory, UnrollsCopiesToOpsWithoutDeviceBytesOnTheHost) {
  Chain chain(3);
  ValueId a = chain.values[0];
  HostSteps steps = {run(0), run(1), offload(a), run(2),
                     run(3), run(4), fetch(a),   run(5)};
  UnrolledGraph unrolled = unroll(chain.graph(), steps);
  EXPECT_EQ(checkGraph(unrolled.graph), "");
  // Four values are live while g2 runs: a, b, c and its result. Three are
  // left if a is on the host.
  EXPECT_EQ(liveOf(chain.graph()), 4 * 1024u);
  Liveness liveness =
      computeLiveness(unrolled.graph, programOrder(unrolled.graph));
  EXPECT_EQ(liveness.liveBytes[4], 3 * 1024u);
  EXPECT_EQ(unrolled.opOf[2], kNone);
  EXPECT_EQ(unrolled.opOf[6], kNone);
}

TEST(HostMemory, OffloadsInPlaceOfRecomputing) {
  Chain chain(12);
  const Graph &graph = chain.graph();
  std::vector<OpId> order = programOrder(graph).order;
  std::vector<FrontierPoint> frontier = computeFrontier(graph, order, quick());
  HostOptions options;
  options.solver.budgetBytes = 7 * 1024;
  options.host = {UINT64_MAX, {1024 * 16, 0}};
  HostPlan plan = planWithHost(graph, frontier, options);
  ASSERT_FALSE(plan.steps.empty());
  EXPECT_LE(plan.maxLive, 7 * 1024u);
  // The link moves sixteen values while one is computed: nothing is waited for.
  EXPECT_DOUBLE_EQ(plan.times.milliseconds, 24);
  EXPECT_DOUBLE_EQ(boundWithHost(graph, options, 24), 24);
  // No value is copied to a host without memory, or by a link that takes an
  // hour.
  options.host.bytes = 0;
  EXPECT_EQ(planWithHost(graph, frontier, options).hostBytes, 0u);
  options.host = {UINT64_MAX, {1024 * 16, 3.6e6}};
  EXPECT_EQ(planWithHost(graph, frontier, options).hostBytes, 0u);
  // A budget that recomputation alone exceeds is met by copies, but not by
  // copies that take longer than a plan can say.
  options.solver.budgetBytes = frontier.front().solution.maxLive - 1024;
  options.host = {UINT64_MAX, {1024, 0}};
  EXPECT_FALSE(planWithHost(graph, frontier, options).steps.empty());
  for (double slow : {1e-9, 0.0}) {
    options.host.link = {slow, 0};
    EXPECT_TRUE(planWithHost(graph, frontier, options).steps.empty());
  }
}

namespace {

/// A random graph with its frontier, and a link that takes some steps for all
/// of its bytes.
struct Problem {
  explicit Problem(uint64_t seed) {
    TrainingGraphOptions shape;
    shape.forwardOps = 8 + seed % 5 * 6;
    graph = makeRandomTrainingGraph(seed, shape);
    order = programOrder(graph).order;
    plain = maxLiveOf(graph, order);
    frontier = computeFrontier(graph, order, quick());
    options.solver = quick();
    double step = costOf(graph, order);
    options.host = {UINT64_MAX,
                    {double(plain) * double(1 + seed % 4) / step, step / 1000}};
  }
  Graph graph;
  std::vector<OpId> order;
  std::vector<FrontierPoint> frontier;
  uint64_t plain;
  HostOptions options;
};

/// Places copies of random values anywhere in a schedule.
HostSteps randomSteps(const Graph &graph, const Executions &executions,
                      std::mt19937_64 &random) {
  HostSteps steps;
  for (OpId id : executions)
    steps.push_back(run(id));
  for (ValueId value = 0; value < graph.values.size(); ++value) {
    if (random() % 3)
      continue;
    HostSteps trial = steps;
    size_t out = random() % (steps.size() + 1);
    trial.insert(trial.begin() + out, offload(value));
    size_t in = out + 1 + random() % (trial.size() - out);
    trial.insert(trial.begin() + in, fetch(value));
    if (checkHostSteps(graph, trial).empty())
      steps = std::move(trial);
  }
  return steps;
}

} // namespace

static void checkPlans(Problem &problem) {
  auto &[graph, order, frontier, plain, options] = problem;
  for (uint64_t percent : {90, 70, 50, 35}) {
    options.solver.budgetBytes = plain * percent / 100;
    for (uint64_t host : {UINT64_MAX, plain / 5}) {
      options.host.bytes = host;
      HostPlan plan = planWithHost(graph, frontier, options);
      double recomputing = INFINITY;
      for (const FrontierPoint &point : frontier)
        if (point.solution.maxLive <= options.solver.budgetBytes)
          recomputing = std::min(recomputing, point.solution.milliseconds);
      if (plan.steps.empty()) {
        EXPECT_EQ(recomputing, INFINITY);
        continue;
      }
      EXPECT_EQ(checkHostSteps(graph, plan.steps), "");
      UnrolledGraph unrolled = unroll(graph, plan.steps);
      ASSERT_EQ(checkGraph(unrolled.graph), "");
      Schedule schedule = programOrder(unrolled.graph);
      Liveness liveness = computeLiveness(unrolled.graph, schedule);
      EXPECT_EQ(validate(unrolled.graph, schedule, liveness,
                         placeBuffers(liveness.buffers, liveness.maxLive)),
                "");
      EXPECT_LE(liveness.maxLive, options.solver.budgetBytes);
      uint64_t copied = 0;
      for (const HostStep &step : plan.steps)
        if (step.kind == HostStep::Kind::Offload)
          copied += (graph.values[step.id].bytes + 63) / 64 * 64;
      EXPECT_EQ(copied, plan.hostBytes);
      EXPECT_LE(copied, host);
      EXPECT_LE(plan.times.milliseconds, recomputing);
      EXPECT_NEAR(simulate(graph, plan.steps, options.host.link).milliseconds,
                  plan.times.milliseconds, 1e-9);
      EXPECT_LE(boundWithHost(graph, options, plan.times.milliseconds),
                plan.times.milliseconds);
    }
  }
}

TEST(HostMemory, PlansAreValidAndWithinBothBudgets) {
  for (uint64_t seed = 1; seed < 13; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem(seed);
    checkPlans(problem);
  }
}

TEST(HostMemory, NoRandomScheduleBeatsTheBound) {
  int tried = 0;
  for (uint64_t seed = 1; seed < 13; ++seed) {
    auto [graph, order, frontier, plain, options] = Problem(seed);
    std::mt19937_64 random(seed);
    for (uint64_t percent : {80, 60, 45}) {
      options.solver.budgetBytes = plain * percent / 100;
      double bound = boundWithHost(graph, options, 1e6);
      for (int trial = 0; trial < 60; ++trial) {
        const Executions &executions =
            frontier[random() % frontier.size()].solution.executions;
        HostSteps steps = randomSteps(graph, executions, random);
        if (liveOf(unroll(graph, steps).graph) > options.solver.budgetBytes)
          continue;
        ++tried;
        EXPECT_GE(simulate(graph, steps, options.host.link).milliseconds,
                  bound * (1 - 1e-12))
            << seed;
      }
    }
  }
  EXPECT_GT(tried, 60);
}

TEST(HostMemory, LowestBytesAreThoseOfTheLargestOp) {
  Chain chain(5);
  ByteBound bound = lowestBytesWithHost(chain.graph());
  // A gradient reads two values and makes one.
  EXPECT_EQ(bound.bytes, 3 * 1024u);
  EXPECT_EQ(bound.pinned.size(), 3u);
}
