//===- MaxFlowTest.cpp - Maximum flow against augmenting paths ------------===//
#include "bounds/MaxFlow.h"

#include <gtest/gtest.h>

#include <random>

using namespace reprise::plan;

namespace {

/// One unit a path: slow and plain.
struct NaiveFlow {
  std::vector<std::vector<int64_t>> left;

  bool augment(uint32_t node, uint32_t sink, std::vector<bool> &seen) {
    if (node == sink)
      return true;
    seen[node] = true;
    for (uint32_t next = 0; next < left.size(); ++next)
      if (!seen[next] && left[node][next] > 0 && augment(next, sink, seen)) {
        --left[node][next];
        ++left[next][node];
        return true;
      }
    return false;
  }

  int64_t run(uint32_t source, uint32_t sink) {
    for (int64_t flow = 0;; ++flow) {
      std::vector<bool> seen(left.size(), false);
      if (!augment(source, sink, seen))
        return flow;
    }
  }

  std::vector<bool> reachable(uint32_t source) {
    std::vector<bool> seen(left.size(), false);
    augment(source, left.size(), seen);
    return seen;
  }
};

struct Arc {
  uint32_t from, to;
  int64_t capacity;
};

} // namespace

static std::vector<Arc> randomArcs(std::mt19937_64 &random, uint32_t nodes) {
  std::vector<Arc> arcs(random() % (4 * nodes));
  for (Arc &arc : arcs)
    arc = {uint32_t(random() % nodes), uint32_t(random() % nodes),
           int64_t(random() % 12)};
  return arcs;
}

TEST(MaxFlow, EqualsAugmentingPaths) {
  std::mt19937_64 random(7);
  int64_t total = 0;
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    uint32_t nodes = 2 + random() % 9;
    std::vector<Arc> arcs = randomArcs(random, nodes);
    MaxFlow flow(nodes);
    std::vector<uint32_t> ids;
    for (const Arc &arc : arcs)
      ids.push_back(flow.addArc(arc.from, arc.to, arc.capacity));
    // More runs with other capacities begin with the flow that there is.
    for (int again = 0; again < 6; ++again) {
      NaiveFlow naive;
      naive.left.assign(nodes, std::vector<int64_t>(nodes, 0));
      for (const Arc &arc : arcs)
        naive.left[arc.from][arc.to] += arc.capacity;
      int64_t expected = naive.run(0, 1);
      ASSERT_EQ(flow.run(0, 1), expected);
      total += expected;
      std::vector<bool> onSource = naive.reachable(0);
      for (uint32_t node = 0; node < nodes; ++node)
        EXPECT_EQ(flow.isOnSourceSide(node), onSource[node]) << node;
      for (size_t at = 0; at < arcs.size(); ++at) {
        arcs[at].capacity = random() % 12;
        flow.setCapacity(ids[at], arcs[at].capacity);
      }
    }
  }
  EXPECT_GT(total, 2000);
}

TEST(MaxFlow, TakesInfiniteArcsAndLargeCapacities) {
  MaxFlow flow(4);
  int64_t large = int64_t(1) << 60;
  flow.addArc(0, 2, large);
  flow.addArc(2, 3, MaxFlow::kInfinite);
  flow.addArc(3, 1, large - 1);
  EXPECT_EQ(flow.run(0, 1), large - 1);
  EXPECT_TRUE(flow.isOnSourceSide(3));
}

// Capacities of more than 64 bits: as if all were so many times smaller.
TEST(MaxFlow, IsExactBeyond64Bits) {
  std::mt19937_64 random(11);
  constexpr Wide factor = (Wide(1) << 100) + 12345;
  for (int round = 0; round < 200; ++round) {
    uint32_t nodes = 2 + random() % 8;
    MaxFlow small(nodes), large(nodes);
    for (const Arc &arc : randomArcs(random, nodes)) {
      small.addArc(arc.from, arc.to, arc.capacity);
      large.addArc(arc.from, arc.to, arc.capacity * factor);
    }
    EXPECT_TRUE(large.run(0, 1) == small.run(0, 1) * factor) << round;
    for (uint32_t node = 0; node < nodes; ++node)
      EXPECT_EQ(large.isOnSourceSide(node), small.isOnSourceSide(node));
  }
}
