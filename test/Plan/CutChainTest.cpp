//===- CutChainTest.cpp - Bounds from several cuts ------------------------===//
#include "bounds/CutChain.h"

#include "BruteForce.h"
#include "GraphBuilder.h"
#include "bounds/BoundSearch.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace reprise::plan;
using namespace reprise::plan::test;

namespace {

constexpr uint64_t kSeeds = 800;

struct Prepared {
  explicit Prepared(const Graph &graph)
      : order(graph.ops.size()), compact(makeInOrder(graph)),
        precedence(findPrecedence(graph, compact)) {}

  CompactGraph makeInOrder(const Graph &graph) {
    std::iota(order.begin(), order.end(), 0);
    return makeCompact(graph, order);
  }
  double milliseconds(int64_t extra) const {
    return (compact.totalCost() + extra) / CompactGraph::kPerMillisecond;
  }

  std::vector<OpId> order;
  CompactGraph compact;
  Precedence precedence;
};

/// What single cuts prove, and what chains do.
struct Proofs {
  int64_t single = 0, several = 0;
};

} // namespace

/// From every single cut, with every other op as a further one.
static Proofs proveAll(const Prepared &problem, int64_t budget,
                       uint32_t rounds) {
  Proofs proofs;
  for (Rank cut = 0; cut < problem.compact.opCount(); ++cut) {
    CutRelaxation relaxation(problem.compact, problem.precedence, cut);
    CutRelaxation::Answer one = relaxation.bound(budget);
    EXPECT_TRUE(one.feasible);
    int64_t refined = relaxation.refine(budget, 1000).extra;
    EXPECT_GE(refined, one.extra);
    proofs.single = std::max(proofs.single, refined);
    CutChain chain(problem.compact, problem.precedence, budget, cut);
    EXPECT_EQ(chain.extra(), one.extra) << "cut " << cut;
    int64_t before = chain.extra();
    for (Rank other = 0; other < problem.compact.opCount(); ++other) {
      bool grew = chain.extend(other, rounds);
      EXPECT_EQ(grew, chain.extra() > before);
      before = chain.extra();
    }
    proofs.several = std::max(proofs.several, chain.extra());
  }
  return proofs;
}

// No chain proves more than what the best schedule of any order costs.
TEST(CutChain, IsABoundInAnyOrder) {
  unsigned proven = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    RandomGraphOptions options;
    options.ops = 5 + seed % 2;
    Graph graph = makeRandomGraph(seed, options);
    for (OpId op = 0; op < graph.ops.size(); ++op)
      graph.ops[op].cost = 0.25 * double(1 + (seed * 3 + 5 * op) % 9);
    uint64_t least = bruteForcePeak(graph, {true, 3});
    SCOPED_TRACE(seed);
    for (uint64_t budget : {least, least + 128}) {
      std::optional<double> best = bruteForceCost(graph, budget, {true, 3});
      ASSERT_TRUE(best);
      Prepared problem(graph);
      Proofs proofs = proveAll(problem, budget, 60);
      EXPECT_LE(problem.milliseconds(std::max(proofs.single, proofs.several)),
                *best + 1e-6);
      proven += proofs.single > 0;
    }
  }
  EXPECT_GE(proven, 20u);
}

/// A chain and its backward pass: each op reads the gradient and what its
/// forward op read and maybe made.
static Graph makeChainStep(uint64_t seed) {
  std::mt19937_64 random(seed);
  GraphBuilder b;
  uint32_t length = 3;
  auto units = [&] { return 64 * (1 + random() % 6); };
  auto milliseconds = [&] { return 0.25 * double(1 + random() % 12); };
  std::vector<ValueId> values = {b.fixed(64)};
  for (uint32_t at = 0; at < length; ++at) {
    values.push_back(b.make("forward", {values.back()}, units()));
    b.graph.ops.back().cost = milliseconds();
  }
  ValueId gradient = b.make("loss", {values.back()}, 64);
  for (uint32_t at = length; at-- > 0;) {
    std::vector<ValueId> inputs = {gradient, values[at]};
    if (random() % 2)
      inputs.push_back(values[at + 1]);
    gradient = b.make("backward", inputs, units());
    b.graph.ops.back().cost = milliseconds();
    // An update in between, in whose way a value may be that is read again.
    gradient = b.make("update", {gradient}, 64);
    b.graph.ops.back().workspaceBytes = 64 * (4 + random() % 12);
  }
  return b.graph;
}

// Several cuts prove more on few small graphs: these are looked for, and only
// they are given to the oracle.
TEST(CutChain, IsABoundOfTrainingGraphs) {
  unsigned checked = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Graph graph = makeChainStep(seed);
    Prepared problem(graph);
    int64_t least = lowestBytes(graph).bytes;
    SCOPED_TRACE(seed);
    for (int64_t budget : {least, least + 64, least + 128}) {
      Proofs proofs = proveAll(problem, budget, 60);
      if (proofs.several <= proofs.single)
        continue;
      std::optional<double> best = bruteForceCost(graph, budget, {false, 3});
      if (!best)
        continue;
      EXPECT_LE(problem.milliseconds(proofs.several), *best + 1e-6);
      ++checked;
    }
  }
  std::printf("%u budgets checked\n", checked);
  EXPECT_GT(checked, 5u);
}

// Near the fewest bytes, a ResNet's backward pass computes large values twice:
// once behind the loss, and again behind a later peak.
TEST(CutChain, ProvesMoreThanOneCut) {
  Graph graph = makeResNetStep({});
  Prepared problem(graph);
  int64_t least = lowestBytes(graph).bytes;
  BoundSearch search(problem.compact, problem.precedence);
  int64_t budget = least + least / 50;
  BoundSearch::Result one = search.find(budget, 160);
  CutRelaxation::Answer several = search.prove(one, budget, 1);
  EXPECT_GT(several.extra, one.answer.extra + one.answer.extra / 50);
  EXPECT_GT(several.multiplier, one.answer.multiplier);
}
