//===- ScalingTest.cpp - Times of steps of several ranks ------------------===//

#include "reprise/Program/Scaling.h"
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::driver;

static StepFacts computes(uint64_t picoseconds) {
  StepFacts step;
  step.picoseconds = picoseconds;
  return step;
}

static StepFacts calls(LibraryOp op, uint64_t read, uint64_t written) {
  StepFacts step;
  step.collective = op;
  step.picoseconds = 1000000; // by the roofline, which is not the link
  step.reads = {{0, read}};
  step.writes = {{1, written}};
  return step;
}

// 1 GB/s and 10 us: a million bytes take 1 ms.
static const rt::Link kLink = {1, 10};

TEST(Scaling, adds_the_messages_of_each_call) {
  EntryFacts entry;
  entry.steps = {computes(3000000000), computes(1000000000)};
  ScalingFacts alone = scalingOf(entry, 4, kLink);
  EXPECT_DOUBLE_EQ(alone.computation, 4);
  EXPECT_DOUBLE_EQ(alone.communication, 0);
  EXPECT_DOUBLE_EQ(alone.efficiency(), 1);

  // Two phases, in each of which a rank sends three quarters of 4 MB.
  entry.steps.push_back(calls(LibraryOp::AllReduce, 4000000, 4000000));
  ScalingFacts sum = scalingOf(entry, 4, kLink);
  EXPECT_EQ(sum.calls, 1u);
  EXPECT_EQ(sum.sent, 6000000u);
  EXPECT_DOUBLE_EQ(sum.computation, 4);
  EXPECT_DOUBLE_EQ(sum.communication, 2 * (3 + 0.01));
  EXPECT_DOUBLE_EQ(sum.efficiency(), 4 / (4 + 6.02));
}

TEST(Scaling, knows_the_phases_of_each_function) {
  auto of = [](const StepFacts &step) {
    EntryFacts entry;
    entry.steps = {step};
    return scalingOf(entry, 4, kLink);
  };
  // A small sum goes whole to each of the three others.
  ScalingFacts small = of(calls(LibraryOp::AllReduce, 8192, 8192));
  EXPECT_EQ(small.sent, 3 * 8192u);
  EXPECT_DOUBLE_EQ(small.communication, 0.01 + 3 * 8192e-6);
  ScalingFacts larger = of(calls(LibraryOp::AllReduce, 8256, 8256));
  EXPECT_EQ(larger.sent, 2 * 3 * 8256u / 4);
  // The larger side is the whole tensor.
  for (const StepFacts &step :
       {calls(LibraryOp::ReduceScatter, 4000000, 1000000),
        calls(LibraryOp::GatherShards, 1000000, 4000000),
        calls(LibraryOp::AllGather, 1000000, 4000000)}) {
    ScalingFacts one = of(step);
    EXPECT_EQ(one.calls, 1u);
    EXPECT_EQ(one.sent, 3000000u);
    EXPECT_DOUBLE_EQ(one.communication, 3.01);
  }
  // A large sum comes in pieces, each with a latency.
  ScalingFacts large = of(calls(LibraryOp::AllReduce, 12000000, 12000000));
  EXPECT_EQ(large.sent, 2 * 9000000u);
  EXPECT_DOUBLE_EQ(large.communication, 2 * 9 + 4 * 0.01);
  ScalingFacts scattered =
      of(calls(LibraryOp::ReduceScatter, 12000000, 3000000));
  EXPECT_DOUBLE_EQ(scattered.communication, 9 + 3 * 0.01);
  // Nothing is sent.
  ScalingFacts part = of(calls(LibraryOp::TakeShard, 4000000, 1000000));
  EXPECT_EQ(part.calls, 0u);
  EXPECT_DOUBLE_EQ(part.milliseconds(), 0);
}
