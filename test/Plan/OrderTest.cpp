//===- OrderTest.cpp - Orders are valid and never worse than programs -----===//
#include "GraphBuilder.h"
#include "graph/OrderStrategies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>

using namespace reprise::plan;
using namespace reprise::plan::test;

static uint64_t peakOf(const Graph &graph, const Schedule &schedule) {
  return computeLiveness(graph, schedule).maxLive;
}

/// Whether the order respects producers, viewed bases and `after`.
static bool isValid(const Graph &graph, const std::vector<OpId> &order) {
  std::vector<bool> done(graph.ops.size(), false);
  auto isThere = [&](ValueId value, OpId reader) {
    for (; value != kNone; value = graph.values[value].viewOf) {
      OpId producer = graph.values[value].producer;
      if (producer != kNone && producer != reader && !done[producer])
        return false;
    }
    return true;
  };
  for (OpId id : order) {
    const Op &op = graph.ops[id];
    for (OpId other : op.after)
      if (!done[other])
        return false;
    for (const std::vector<ValueId> *list : {&op.inputs, &op.outputs})
      for (ValueId value : *list)
        if (!isThere(value, id))
          return false;
    done[id] = true;
  }
  return order.size() == graph.ops.size() &&
         std::count(done.begin(), done.end(), true) == int64_t(order.size());
}

/// The least max-live of all valid orders.
static uint64_t leastPeak(const Graph &graph) {
  std::vector<OpId> order = programOrder(graph).order;
  uint64_t least = UINT64_MAX;
  do {
    if (isValid(graph, order))
      least = std::min(least, peakOf(graph, {order}));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(Order, TinyGraphsLieBetweenOptimumAndProgramOrder) {
  uint32_t better = 0, optimal = 0, total = 60;
  for (uint64_t seed = 0; seed < total; ++seed) {
    RandomGraphOptions options;
    options.ops = 7;
    Graph graph = makeRandomGraph(seed, options);
    Schedule chosen = chooseOrder(graph);
    ASSERT_TRUE(isValid(graph, chosen.order)) << seed;
    uint64_t program = peakOf(graph, programOrder(graph));
    uint64_t peak = peakOf(graph, chosen);
    uint64_t least = leastPeak(graph);
    EXPECT_GE(peak, least) << seed;
    EXPECT_LE(peak, program) << seed;
    better += peak < program;
    optimal += peak == least;
  }
  EXPECT_GT(better, 0u);
  // Heuristics: most of them, not all.
  EXPECT_GE(optimal, total * 3 / 4);
  std::cout << optimal << " of " << total << " orders are optimal\n";
}

namespace {

/// The least max-live by dynamic programming over the sets of ops that have
/// run: what is live while `op` runs depends on the set alone. For graphs
/// without views and in-place results.
class SubsetSearch {
public:
  explicit SubsetSearch(const Graph &graph)
      : graph(graph), before(graph.ops.size()), readers(graph.values.size()) {
    for (OpId id = 0; id < graph.ops.size(); ++id) {
      for (OpId other : graph.ops[id].after)
        before[id] |= 1u << other;
      for (ValueId input : graph.ops[id].inputs) {
        readers[input] |= 1u << id;
        if (graph.values[input].producer != kNone)
          before[id] |= 1u << graph.values[input].producer;
      }
    }
  }

  uint64_t run() const {
    uint32_t count = graph.ops.size();
    std::vector<uint64_t> least(size_t(1) << count, UINT64_MAX);
    least[0] = 0;
    for (uint32_t done = 0; done < least.size(); ++done) {
      if (least[done] == UINT64_MAX)
        continue;
      for (OpId op = 0; op < count; ++op) {
        if ((done >> op & 1) || (before[op] & ~done))
          continue;
        uint64_t &next = least[done | 1u << op];
        next = std::min(next, std::max(least[done], liveAt(done, op)));
      }
    }
    return least.back();
  }

private:
  static uint64_t align(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

  uint64_t liveAt(uint32_t done, OpId op) const {
    uint64_t live = align(graph.ops[op].workspaceBytes);
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const Value &value = graph.values[id];
      if (value.storage == StorageClass::Fixed)
        continue;
      bool isInput = value.storage == StorageClass::Input;
      bool isThere =
          isInput || value.producer == op || (done >> value.producer & 1);
      bool isNeeded = value.storage == StorageClass::Output ||
                      (readers[id] & ~done) || value.producer == op ||
                      (isInput && done == 0);
      if (isThere && isNeeded)
        live += align(value.bytes);
    }
    return live;
  }

  const Graph &graph;
  std::vector<uint32_t> before;  // by op: a set of ops
  std::vector<uint32_t> readers; // by value: a set of ops
};

} // namespace

TEST(Order, FourteenOpsComeCloseToTheOptimum) {
  uint32_t optimal = 0, total = 100;
  double sumOfRatios = 0;
  for (uint64_t seed = 0; seed < total; ++seed) {
    RandomGraphOptions options;
    options.ops = 14;
    options.views = options.inPlace = false;
    Graph graph = makeRandomGraph(1000 + seed, options);
    uint64_t least = SubsetSearch(graph).run();
    uint64_t peak = peakOf(graph, chooseOrder(graph));
    EXPECT_GE(peak, least) << seed;
    optimal += peak == least;
    sumOfRatios += double(peak) / double(least);
  }
  std::cout << optimal << " of " << total << " orders are optimal, "
            << sumOfRatios / total << " of the optimum on average\n";
  EXPECT_GE(optimal, total * 9 / 10);
  EXPECT_LE(sumOfRatios / total, 1.01);
}

TEST(Order, RandomGraphsKeepDependences) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomGraphOptions options;
    options.ops = 10 + seed;
    Graph graph = makeRandomGraph(seed, options);
    Schedule chosen = chooseOrder(graph);
    EXPECT_TRUE(isValid(graph, chosen.order)) << seed;
    EXPECT_LE(peakOf(graph, chosen), peakOf(graph, programOrder(graph)))
        << seed;
  }
}

TEST(Order, PrefersProgramOrderAmongEquals) {
  GraphBuilder b;
  ValueId x = b.make("x", {}, 64), y = b.make("y", {}, 64);
  b.make("sum", {y, x}, 64);
  EXPECT_EQ(chooseOrder(b.graph).order, programOrder(b.graph).order);
}

TEST(Order, EmptyGraph) { EXPECT_TRUE(chooseOrder({}).order.empty()); }

TEST(Order, UpdatesRunAsSoonAsTheirGradientExists) {
  // Four gradients of 1 KiB and their updates at the end of the program.
  GraphBuilder b;
  ValueId at = b.make("loss", {}, 64);
  std::vector<ValueId> gradients;
  for (int i = 0; i < 4; ++i) {
    gradients.push_back(b.make("gradient", {at}, 1024));
    at = b.make("next", {at}, 64);
  }
  for (ValueId gradient : gradients) {
    OpId update = b.op("update", {b.fixed(1024), gradient});
    b.result(update, 1024, StorageClass::Fixed);
    b.graph.ops[update].runsOnce = true;
  }
  EXPECT_GE(peakOf(b.graph, programOrder(b.graph)), 4096u);
  EXPECT_LE(peakOf(b.graph, chooseOrder(b.graph)), 1024u + 128u);
}

TEST(Order, UpdatesRunEarlyBelowThePeakToo) {
  // The peak lies in front of the gradients: no order of them changes it.
  GraphBuilder b;
  ValueId at = b.make("loss", {b.make("large", {}, 1 << 20)}, 64);
  std::vector<ValueId> gradients;
  for (int i = 0; i < 4; ++i) {
    gradients.push_back(b.make("gradient", {at}, 1024));
    at = b.make("next", {at}, 64);
  }
  std::vector<OpId> updates;
  for (int i = 0; i < 4; i += 2) { // each of two variables
    ValueId first = b.fixed(1024), second = b.fixed(1024);
    updates.push_back(
        b.op("update", {first, second, gradients[i], gradients[i + 1]}));
    b.result(updates.back(), 1024, StorageClass::Fixed);
    b.result(updates.back(), 1024, StorageClass::Fixed);
    b.graph.ops[updates.back()].runsOnce = true;
  }
  std::vector<OpId> order = chooseOrder(b.graph).order;
  EXPECT_TRUE(isValid(b.graph, order));
  auto rankOf = [&](OpId op) {
    return std::find(order.begin(), order.end(), op) - order.begin();
  };
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(rankOf(updates[i]),
              rankOf(b.graph.values[gradients[2 * i + 1]].producer) + 1);
}

TEST(Order, FreeOpsMovedEarlyRaiseNoStep) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomGraphOptions options;
    options.ops = 10 + seed;
    Graph graph = makeRandomGraph(seed, options);
    OrderProblem problem{graph, analyzeStorages(graph), findDependences(graph)};
    Schedule before = programOrder(graph);
    Schedule after{moveFreeOpsEarly(problem, before.order)};
    EXPECT_TRUE(isValid(graph, after.order)) << seed;
    std::vector<uint64_t> live = computeLiveness(graph, before).liveBytes;
    std::vector<uint64_t> then = computeLiveness(graph, after).liveBytes;
    std::vector<uint64_t> of(graph.ops.size());
    for (OpId rank = 0; rank < before.order.size(); ++rank)
      of[before.order[rank]] = live[rank];
    // What moved finds what the op in front of it leaves.
    for (OpId rank = 0; rank < after.order.size(); ++rank)
      EXPECT_LE(then[rank],
                std::max(of[after.order[rank]], rank ? then[rank - 1] : 0))
          << seed << " at " << rank;
  }
}

TEST(Order, AfterHoldsAnUpdateBack) {
  // The norm over both gradients must be known before either is applied.
  GraphBuilder b;
  ValueId g = b.make("g", {}, 1024), h = b.make("h", {}, 1024);
  ValueId norm = b.make("norm", {g, h}, 64);
  for (ValueId gradient : {g, h}) {
    OpId update = b.op("update", {b.fixed(1024), gradient});
    b.graph.ops[update].after = {b.graph.values[norm].producer};
  }
  Schedule chosen = chooseOrder(b.graph);
  EXPECT_TRUE(isValid(b.graph, chosen.order));
}

TEST(Order, DefinesABranchLate) {
  // The large branch is defined first in the program but read last.
  GraphBuilder b;
  ValueId large = b.make("large", {}, 4096);
  ValueId at = b.make("start", {}, 64);
  for (int i = 0; i < 4; ++i)
    at = b.make("step", {at}, 2048);
  ValueId small = b.make("small", {at}, 64);
  b.make("end", {small, large}, 64);
  EXPECT_GE(peakOf(b.graph, programOrder(b.graph)), 4096u + 4096u);
  EXPECT_LE(peakOf(b.graph, chooseOrder(b.graph)), 4096u + 256u);
}

TEST(Order, TheOpAtThePeakMovesWithWhatItAloneNeeds) {
  // A product with a workspace reads what is made of x; another reader of x
  // needs a large value of its own, so that neither goes before the product.
  GraphBuilder b;
  ValueId x = b.make("x", {}, 1920), g = b.make("g", {x}, 1920);
  ValueId product = b.make("product", {g}, 64);
  b.graph.ops[b.graph.values[product].producer].workspaceBytes = 2048;
  ValueId m = b.make("m", {}, 3072);
  b.make("q", {m, x}, 64);
  std::vector<OpId> program = programOrder(b.graph).order;
  EXPECT_GE(peakOf(b.graph, {program}), 1920u + 1920u + 2048u);
  OrderProblem problem{b.graph, analyzeStorages(b.graph),
                       findDependences(b.graph)};
  std::vector<OpId> moved = movePeakBuffers(problem, program);
  EXPECT_TRUE(isValid(b.graph, moved));
  EXPECT_LE(peakOf(b.graph, {moved}), 1920u + 3072u + 128u);
}

TEST(Order, IsDeterministic) {
  Graph graph = makeResNetStep({{2, 2, 2, 2}, 4, Keep::BlockInputs});
  EXPECT_EQ(chooseOrder(graph).order, chooseOrder(graph).order);
}

TEST(Order, ResNetStepsOfEveryDepth) {
  for (std::vector<uint32_t> blocks :
       {std::vector<uint32_t>{3, 4, 6, 3}, {3, 8, 36, 3}}) {
    Graph graph = makeResNetStep({blocks, 8, Keep::All});
    auto start = std::chrono::steady_clock::now();
    Schedule chosen = chooseOrder(graph);
    std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - start;
    uint64_t program = peakOf(graph, programOrder(graph));
    uint64_t peak = peakOf(graph, chosen);
    EXPECT_TRUE(isValid(graph, chosen.order));
    EXPECT_LT(peak, program); // the updates wait until the end there
    std::cout << graph.ops.size() << " ops: " << program / 1048576
              << " MiB in program order, " << peak / 1048576
              << " MiB chosen in " << took.count() << " ms\n";
  }
}
