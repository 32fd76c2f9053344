//===- PlacementTest.cpp - Offsets against max-live -----------------------===//
//
// The instances in minimalloc/ are from google/minimalloc (Apache-2.0, LICENSE
// there); the number in a name is the capacity they are known to fit in.
//
//===----------------------------------------------------------------------===//
#include "GraphBuilder.h"
#include "TightInstance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace reprise::plan;
using namespace reprise::plan::test;

static Buffer makeBuffer(uint64_t bytes, uint32_t first, uint32_t last) {
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.firstStep = first;
  buffer.lastStep = last;
  return buffer;
}

/// Sum of the live sizes where a buffer begins, at its largest.
static uint64_t findMaxLive(const std::vector<Buffer> &buffers) {
  uint64_t most = 0;
  for (const Buffer &at : buffers) {
    uint64_t live = 0;
    for (const Buffer &other : buffers)
      if (other.firstStep <= at.firstStep && at.firstStep <= other.lastStep)
        live += other.bytes;
    most = std::max(most, live);
  }
  return most;
}

static void expectDisjoint(const std::vector<Buffer> &buffers,
                           const Placement &placement) {
  ASSERT_EQ(placement.offsets.size(), buffers.size());
  uint64_t height = 0;
  for (size_t a = 0; a < buffers.size(); ++a) {
    uint64_t end = placement.offsets[a] + buffers[a].bytes;
    height = std::max(height, end);
    for (size_t b = 0; b < a; ++b) {
      bool apart =
          buffers[a].lastStep < buffers[b].firstStep ||
          buffers[b].lastStep < buffers[a].firstStep ||
          end <= placement.offsets[b] ||
          placement.offsets[b] + buffers[b].bytes <= placement.offsets[a];
      EXPECT_TRUE(apart) << a << " and " << b;
    }
  }
  EXPECT_EQ(placement.height, height);
}

static std::vector<Buffer> readInstance(const std::string &name) {
  std::ifstream file(std::string(REPRISE_MINIMALLOC_DIR "/") + name);
  EXPECT_TRUE(file.good()) << name;
  std::vector<Buffer> buffers;
  std::string line, id, lower, upper, size;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::getline(fields, id, ',');
    std::getline(fields, lower, ',');
    std::getline(fields, upper, ',');
    std::getline(fields, size, ',');
    buffers.push_back(makeBuffer(std::stoull(size), std::stoul(lower),
                                 std::stoul(upper) - 1));
  }
  return buffers;
}

/// Places, checks, prints; returns height / max-live.
static double place(const std::string &name, const std::vector<Buffer> &buffers,
                    uint64_t workLimit = kPlacementWork) {
  uint64_t maxLive = findMaxLive(buffers);
  auto start = std::chrono::steady_clock::now();
  Placement placement = placeBuffers(buffers, maxLive, workLimit);
  std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - start;
  expectDisjoint(buffers, placement);
  double ratio = double(placement.height) / double(maxLive);
  std::cout << name << ": " << buffers.size() << " buffers, " << ratio
            << " of max-live by " << placement.strategy << " in "
            << took.count() << " ms\n";
  return ratio;
}

TEST(Placement, NothingToPlace) {
  Placement placement = placeBuffers({}, 0);
  EXPECT_TRUE(placement.offsets.empty());
  EXPECT_EQ(placement.height, 0u);
}

/// What takes no bytes fits anywhere, and must not stand in the way of a proof.
TEST(Placement, EmptyBuffersChangeNothing) {
  std::vector<Buffer> buffers = {makeBuffer(0, 0, 2),  makeBuffer(2, 0, 2),
                                 makeBuffer(7, 3, 3),  makeBuffer(6, 1, 8),
                                 makeBuffer(4, 0, 8),  makeBuffer(3, 5, 7),
                                 makeBuffer(4, 9, 20), makeBuffer(4, 8, 17)};
  Placement placement = placeBuffers(buffers, 0, 10000);
  EXPECT_EQ(placement.height, 17u);
  ASSERT_EQ(placement.offsets.size(), buffers.size());
  FitResult fit = placeWithin(buffers, 17, 10000);
  EXPECT_EQ(fit.outcome, FitOutcome::Found);
  EXPECT_EQ(fit.placement.offsets.size(), buffers.size());
  EXPECT_EQ(placeBuffers({makeBuffer(0, 0, 2)}, 0).offsets,
            std::vector<uint64_t>{0});
  EXPECT_EQ(placeWithin({makeBuffer(0, 0, 2)}, 0, 10).outcome,
            FitOutcome::Found);
}

TEST(Placement, DisjointLifetimesShareBytes) {
  std::vector<Buffer> buffers = {makeBuffer(64, 0, 1), makeBuffer(128, 2, 3)};
  EXPECT_EQ(placeBuffers(buffers, 128).height, 128u);
}

TEST(Placement, NeighboursInTimeShareAStep) {
  // Lifetimes include both ends: step 1 belongs to both.
  std::vector<Buffer> buffers = {makeBuffer(64, 0, 1), makeBuffer(128, 1, 3)};
  EXPECT_EQ(placeBuffers(buffers, 192).height, 192u);
}

TEST(Placement, NestedLifetimesFitExactly) {
  std::vector<Buffer> buffers;
  for (uint32_t i = 0; i < 40; ++i)
    buffers.push_back(makeBuffer(64 * (1 + i * 7 % 11), i, 100 - i));
  EXPECT_EQ(place("nested", buffers), 1.0);
}

TEST(Placement, ToyOfMinimallocFitsItsCapacity) {
  Placement placement = placeBuffers(readInstance("input.12.csv"), 12);
  expectDisjoint(readInstance("input.12.csv"), placement);
  EXPECT_EQ(placement.height, 12u);
}

/// Some order of the buffers leads to the least height when each goes to the
/// lowest place that is free: that by offsets of a packing pushed down.
static uint64_t leastHeight(const std::vector<Buffer> &buffers) {
  std::vector<uint32_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  uint64_t least = UINT64_MAX;
  do {
    std::vector<uint64_t> offsets(buffers.size(), 0);
    uint64_t height = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const Buffer &at = buffers[order[i]];
      uint64_t offset = 0;
      for (size_t k = 0; k < i; ++k) {
        const Buffer &other = buffers[order[k]];
        uint64_t begin = offsets[order[k]], end = begin + other.bytes;
        bool apart = at.lastStep < other.firstStep ||
                     other.lastStep < at.firstStep || end <= offset ||
                     offset + at.bytes <= begin;
        if (apart)
          continue;
        offset = end; // and look at all of them again
        k = size_t(-1);
      }
      offsets[order[i]] = offset;
      height = std::max(height, offset + at.bytes);
    }
    least = std::min(least, height);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

/// Buffers that fill `load` units at each of `steps` steps, so that there is
/// no slack below max-live.
static std::vector<Buffer> makeDense(uint64_t load, uint32_t steps,
                                     uint64_t &state) {
  auto below = [&](uint64_t limit) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % limit;
  };
  std::vector<Buffer> buffers;
  std::vector<uint64_t> full(steps, 0);
  for (uint32_t step = 0; step < steps; ++step)
    while (full[step] < load) {
      uint64_t units = 1 + below(std::min<uint64_t>(load - full[step], 3));
      uint32_t end = step, longest = step + below(4);
      while (end + 1 < steps && end < longest && full[end + 1] + units <= load)
        ++end;
      for (uint32_t at = step; at <= end; ++at)
        full[at] += units;
      buffers.push_back(makeBuffer(64 * units, step, end));
    }
  return buffers;
}

TEST(Placement, TinyInstancesReachTheLeastHeight) {
  uint32_t aboveMaxLive = 0;
  uint64_t state = 7;
  for (int round = 0; round < 120000; ++round) {
    uint64_t load = 4 + round % 3;
    std::vector<Buffer> buffers = makeDense(load, 5 + round % 4, state);
    if (buffers.size() > 8)
      continue;
    Placement placement = placeBuffers(buffers, 64 * load);
    if (placement.height == 64 * load)
      continue; // nothing is lower
    ++aboveMaxLive;
    expectDisjoint(buffers, placement);
    EXPECT_EQ(placement.height, leastHeight(buffers)) << round;
    EXPECT_EQ(
        placeWithin(buffers, placement.height - 64, kPlacementWork).outcome,
        FitOutcome::Impossible)
        << round;
  }
  EXPECT_GT(aboveMaxLive, 3u);
  std::cout << aboveMaxLive << " instances need more than max-live\n";
}

TEST(Placement, WorkLimitOfZeroIsGreedy) {
  std::vector<Buffer> buffers = readInstance("A.1048576.csv");
  Placement placement = placeBuffers(buffers, findMaxLive(buffers), 0);
  expectDisjoint(buffers, placement);
  EXPECT_EQ(placement.strategy.rfind("greedy by", 0), 0u);
  EXPECT_GT(placement.height,
            placeBuffers(buffers, 1048576, kPlacementWork / 20).height);
}

TEST(Placement, InstancesOfMinimallocFitTheirCapacity) {
  EXPECT_EQ(place("A", readInstance("A.1048576.csv")), 1.0);
  EXPECT_EQ(place("G", readInstance("G.1048576.csv")), 1.0);
  // Max-live of C is below its capacity.
  EXPECT_LE(place("C", readInstance("C.1048576.csv")) * 1039360, 1048576);
}

/// With an eighth of the effort of `reprise-plan place`.
static void expectFits(const std::string &name,
                       const std::vector<Buffer> &buffers, uint64_t capacity) {
  auto start = std::chrono::steady_clock::now();
  FitResult fit = placeWithin(buffers, capacity, kPlacementWork);
  std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - start;
  EXPECT_EQ(fit.outcome, FitOutcome::Found) << name;
  EXPECT_LE(fit.placement.height, capacity) << name;
  expectDisjoint(buffers, fit.placement);
  std::cout << name << ": " << buffers.size() << " buffers, "
            << fit.placement.strategy << ", " << took.count() << " ms\n";
}

namespace {
class Minimalloc : public testing::TestWithParam<const char *> {};
class Tight : public testing::TestWithParam<std::pair<uint32_t, uint64_t>> {};
} // namespace

TEST_P(Minimalloc, FitsItsCapacity) {
  std::string name = std::string(GetParam()) + ".1048576.csv";
  expectFits(name, readInstance(name), 1048576);
}

INSTANTIATE_TEST_SUITE_P(All, Minimalloc,
                         testing::Values("A", "B", "C", "D", "E", "F", "G", "H",
                                         "I", "J", "K"),
                         [](const auto &info) { return info.param; });

TEST_P(Tight, FillsItsRectangle) {
  auto [count, seed] = GetParam();
  std::vector<Buffer> buffers = makeTightInstance(count, seed);
  for (uint32_t step = 0; step < kTightSteps; ++step) {
    uint64_t live = 0;
    for (const Buffer &buffer : buffers)
      if (buffer.firstStep <= step && step <= buffer.lastStep)
        live += buffer.bytes;
    ASSERT_EQ(live, kTightBytes) << step; // no room for a hole
  }
  expectFits("tight " + std::to_string(count) + ", seed " +
                 std::to_string(seed),
             buffers, kTightBytes);
}

INSTANTIATE_TEST_SUITE_P(Cut, Tight,
                         testing::Values(std::pair(150, 3), std::pair(300, 2),
                                         std::pair(300, 4), std::pair(300, 5),
                                         std::pair(400, 2)));

TEST(Placement, InstanceEOfMinimallocComesClose) {
  // Heights are halved with an eighth of the work, some of it on other ways.
  EXPECT_LE(place("E", readInstance("E.1048576.csv"), kPlacementWork / 8),
            1.10);
}

TEST(Placement, ResNetStepsStayCloseToMaxLive) {
  for (std::vector<uint32_t> blocks :
       {std::vector<uint32_t>{3, 4, 6, 3}, {3, 8, 36, 3}})
    for (Keep keep : {Keep::All, Keep::BlockInputs}) {
      Graph graph = makeResNetStep({blocks, 8, keep});
      ASSERT_EQ(checkGraph(graph), "");
      Schedule schedule = chooseOrder(graph);
      Liveness l = computeLiveness(graph, schedule);
      EXPECT_LE(place("resnet", l.buffers, kPlacementWork / 4), 1.005);
    }
}

TEST(Placement, IsDeterministic) {
  std::vector<Buffer> buffers = readInstance("A.1048576.csv");
  uint64_t work = kPlacementWork / 20;
  EXPECT_EQ(placeBuffers(buffers, 1048576, work).offsets,
            placeBuffers(buffers, 1048576, work).offsets);
}
