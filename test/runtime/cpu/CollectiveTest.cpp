//===- CollectiveTest.cpp - Calls that all ranks make together ------------===//
//
// Sums of ranks against plain sums in the order of the ranks, to the bit.
//
//===----------------------------------------------------------------------===//
#include "../../../runtime/cpu/Collective.h"
#include "FirstRank.h"
#include "ThreadRanks.h"
#include "reprise/Runtime/Link.h"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

using namespace reprise;
using rt::BoundCollective;
using rt::CollectivePlan;
using rt::LibraryCallDesc;
using rt::Team;

static std::unique_ptr<Team> makeTeam(unsigned threads) {
  rt::Expected<std::unique_ptr<Team>> team = Team::create(threads);
  EXPECT_EQ(team.status().message(), "");
  return std::move(*team);
}

template <typename Number> constexpr rp_element_type typeOf() {
  return sizeof(Number) == 8 ? RP_F64 : RP_F32;
}

/// Numbers whose sums depend on the order of the additions.
template <typename Number>
static std::vector<Number> numbersOf(unsigned rank, int64_t count) {
  std::vector<Number> numbers(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    numbers[size_t(i)] = Number(std::sin(double(i + 1) * (rank + 1)) *
                                std::pow(10.0, double((i + 3 * rank) % 8)));
  return numbers;
}

template <typename Number>
static LibraryCallDesc describe(LibraryOp op, unsigned ranks, int64_t count) {
  std::vector<int64_t> whole = {count}, shape = whole,
                       shard = {(count + ranks - 1) / ranks};
  if (op == LibraryOp::AllGather)
    shape.insert(shape.begin(), ranks);
  else if (op != LibraryOp::AllReduce)
    shape = shard;
  if (op == LibraryOp::GatherShards)
    std::swap(whole, shape);
  return {op,
          {{typeOf<Number>(), whole, {}}},
          {{typeOf<Number>(), shape, {}}},
          {ranks, 0}};
}

template <typename Number>
static void checkSum(unsigned ranks, int64_t count, bool isInPlace) {
  SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(count));
  std::vector<Number> expected = numbersOf<Number>(0, count);
  for (unsigned r = 1; r < ranks; ++r) {
    std::vector<Number> more = numbersOf<Number>(r, count);
    for (size_t i = 0; i < more.size(); ++i)
      expected[i] += more[i];
  }
  auto call = describe<Number>(LibraryOp::AllReduce, ranks, count);
  ASSERT_TRUE(rt::verifyLibraryCall(call).ok());
  CollectivePlan plan = rt::planCollective(call);
  EXPECT_TRUE(plan.info().addsInPlace);
  std::vector<std::vector<Number>> results(ranks);
  std::vector<bool> isIntact(ranks);
  ThreadRanks(ranks).run([&](rt::Communicator &rank) {
    std::vector<Number> input = numbersOf<Number>(rank.rank(), count),
                        output(input.size());
    // Bytes behind the workspace must not change.
    std::vector<char> workspace(plan.info().workspaceBytes + 8, 42);
    std::unique_ptr<Team> team = makeTeam(2);
    BoundCollective bound(plan, {input.data()},
                          {isInPlace ? input.data() : output.data()},
                          workspace.data());
    rt::Status status = bound.run(&rank, *team);
    EXPECT_TRUE(status.ok()) << status.message();
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    results[rank.rank()] = isInPlace ? input : output;
    isIntact[rank.rank()] =
        std::string(workspace.end() - 8, workspace.end()) == "********";
  });
  for (unsigned r = 0; r < ranks; ++r) {
    EXPECT_TRUE(isIntact[r]);
    EXPECT_EQ(std::memcmp(results[r].data(), expected.data(),
                          expected.size() * sizeof(Number)),
              0)
        << "rank " << r;
  }
}

TEST(Collective, SumsHaveTheOrderOfTheRanks) {
  for (unsigned ranks : {2u, 3u, 4u, 7u})
    for (int64_t count : {1, 3, 4, 5, 1000, 4099, 100003})
      for (bool isInPlace : {false, true}) {
        checkSum<float>(ranks, count, isInPlace);
        checkSum<double>(ranks, count, isInPlace);
      }
}

/// The workspace of a large sum is small beside the tensor, and its bits are
/// those of any other. The last piece, and the last rank's part, are shorter.
TEST(Collective, LargeSumsAreReceivedInPieces) {
  constexpr int64_t kElements = 3 * (1 << 20) + 5; // of 4 bytes: 4 pieces
  for (unsigned ranks : {2u, 3u, 7u}) {
    CollectivePlan plan = rt::planCollective(
        describe<float>(LibraryOp::AllReduce, ranks, kElements));
    EXPECT_EQ(plan.info().implementation, "sums by shards in pieces");
    EXPECT_LE(plan.info().workspaceBytes, (4u << 20) + 64);
    checkSum<float>(ranks, kElements, /*isInPlace=*/false);
    checkSum<float>(ranks, kElements, /*isInPlace=*/true);
  }
  // A sixteenth of a tensor of 1 GiB.
  EXPECT_EQ(
      rt::planCollective(describe<float>(LibraryOp::ReduceScatter, 8, 1 << 28))
          .info()
          .workspaceBytes,
      uint64_t(1) << 26);
  EXPECT_EQ(
      rt::planCollective(describe<float>(LibraryOp::AllReduce, 8, 1 << 20))
          .info()
          .implementation,
      "sums by shards");
}

/// Sums several tensors together, some of them in place: their bits are those
/// of each alone.
static void checkPacked(unsigned ranks, const std::vector<int64_t> &counts) {
  LibraryCallDesc call =
      describe<float>(LibraryOp::AllReduce, ranks, counts[0]);
  std::vector<std::vector<float>> expected;
  for (size_t k = 0; k < counts.size(); ++k) {
    auto one = describe<float>(LibraryOp::AllReduce, ranks, counts[k]);
    if (k > 0) {
      call.inputs.push_back(one.inputs[0]);
      call.outputs.push_back(one.outputs[0]);
    }
    std::vector<float> sum = numbersOf<float>(0, counts[k]);
    for (unsigned r = 1; r < ranks; ++r) {
      std::vector<float> more = numbersOf<float>(r, counts[k]);
      for (size_t i = 0; i < sum.size(); ++i)
        sum[i] += more[i];
    }
    expected.push_back(sum);
  }
  ASSERT_EQ(rt::verifyLibraryCall(call).message(), "");
  CollectivePlan plan = rt::planCollective(call);
  ThreadRanks(ranks).run([&](rt::Communicator &rank) {
    std::vector<std::vector<float>> inputs, results;
    std::vector<void *> from, to;
    for (int64_t count : counts) {
      inputs.push_back(numbersOf<float>(rank.rank(), count));
      results.emplace_back(size_t(count));
    }
    for (size_t k = 0; k < counts.size(); ++k) {
      from.push_back(inputs[k].data());
      to.push_back(k % 2 ? inputs[k].data() : results[k].data());
    }
    std::vector<char> workspace(plan.info().workspaceBytes + 8, 42);
    std::unique_ptr<Team> team = makeTeam(2);
    BoundCollective bound(plan, from, to, workspace.data());
    EXPECT_EQ(bound.run(&rank, *team).message(), "");
    for (size_t k = 0; k < counts.size(); ++k)
      EXPECT_EQ(k % 2 ? inputs[k] : results[k], expected[k]) << k;
    EXPECT_EQ(std::string(workspace.end() - 8, workspace.end()), "********");
  });
}

TEST(Collective, SumsOfSeveralTensorsAreThoseOfEach) {
  for (unsigned ranks : {2u, 3u, 5u}) {
    checkPacked(ranks, {1, 1});
    checkPacked(ranks, {5, 1, 64, 3});
    checkPacked(ranks, {1000, 100003, 7, 4099});
    checkPacked(ranks, {1000003, 7, 600000}); // in two pieces
  }
}

/// The numbers above would not notice another order otherwise.
TEST(Collective, SumsDependOnTheOrder) {
  std::vector<float> a = numbersOf<float>(0, 1000),
                     b = numbersOf<float>(1, 1000),
                     c = numbersOf<float>(2, 1000);
  bool differs = false;
  for (size_t i = 0; i < a.size(); ++i)
    differs |= (a[i] + b[i]) + c[i] != a[i] + (b[i] + c[i]);
  EXPECT_TRUE(differs);
}

/// Runs one call on all ranks; returns the outputs, which begin as 42, with the
/// output's elements and one more.
static std::vector<std::vector<float>>
runAll(LibraryOp op, unsigned ranks, int64_t count,
       const std::vector<std::vector<float>> &inputs) {
  auto call = describe<float>(op, ranks, count);
  EXPECT_EQ(rt::verifyLibraryCall(call).message(), "");
  CollectivePlan plan = rt::planCollective(call);
  std::vector<std::vector<float>> outputs(
      ranks, std::vector<float>(size_t(call.outputs[0].shape[0]) + 1, 42));
  ThreadRanks(ranks).run([&](rt::Communicator &rank) {
    std::vector<char> workspace(plan.info().workspaceBytes);
    std::unique_ptr<Team> team = makeTeam(2);
    std::vector<float> input = inputs[rank.rank()];
    BoundCollective bound(plan, {input.data()}, {outputs[rank.rank()].data()},
                          workspace.data());
    rt::Status status = bound.run(&rank, *team);
    EXPECT_EQ(status.message(), "");
  });
  return outputs;
}

/// Shards of sums have the sums' bits, zeros behind the last element, and are
/// gathered to the sums again: also where ranks have fewer elements, or none.
TEST(Collective, ShardsAreThoseOfTheSum) {
  for (unsigned ranks : {2u, 3u, 4u, 7u})
    for (int64_t count : {1, 3, 5, 9, 1000, 4099, 100003, 2500009}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(count));
      size_t each = (size_t(count) + ranks - 1) / ranks;
      std::vector<std::vector<float>> inputs;
      for (unsigned r = 0; r < ranks; ++r)
        inputs.push_back(numbersOf<float>(r, count));
      std::vector<float> sum = inputs[0];
      for (unsigned r = 1; r < ranks; ++r)
        for (size_t i = 0; i < sum.size(); ++i)
          sum[i] += inputs[r][i];
      auto shards = runAll(LibraryOp::ReduceScatter, ranks, count, inputs);
      auto taken = runAll(LibraryOp::TakeShard, ranks, count,
                          std::vector<std::vector<float>>(ranks, sum));
      std::vector<float> padded = sum;
      padded.resize(each * ranks);
      for (unsigned r = 0; r < ranks; ++r) {
        std::vector<float> expected(padded.begin() + long(r * each),
                                    padded.begin() + long((r + 1) * each));
        expected.push_back(42);
        EXPECT_EQ(shards[r], expected) << "rank " << r;
        EXPECT_EQ(taken[r], expected) << "rank " << r;
      }
      std::vector<float> whole = sum;
      whole.push_back(42);
      for (const std::vector<float> &gathered :
           runAll(LibraryOp::GatherShards, ranks, count, shards))
        EXPECT_EQ(gathered, whole);
    }
}

namespace {
/// A rank whose link has a latency and a rate.
class SlowLink final : public FirstRank {
public:
  SlowLink(unsigned ranks, const rt::Link &link)
      : FirstRank(ranks), link(link) {}
  rt::Status exchange(const void *, const rt::Shards &shards, void *) override {
    double time = link.milliseconds(shards.bytes - shards.size(0));
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::milli>(time));
    return {};
  }

private:
  rt::Link link;
};
} // namespace

/// The rate is that of the bytes that a rank sends to all others. A busy
/// machine sleeps longer, never shorter.
TEST(Collective, MeasuresTheLink) {
  for (unsigned ranks : {2u, 5u}) {
    SlowLink slow(ranks, {0.5, 2000});
    rt::Expected<rt::Link> link = rt::measureLink(slow);
    ASSERT_TRUE(link.ok());
    EXPECT_GE(link->microseconds, 2000);
    EXPECT_LT(link->microseconds, 4000);
    EXPECT_NEAR(link->gigabytesPerSecond, 0.5, 0.1);
  }
}

TEST(Collective, GathersRowsByRank) {
  constexpr unsigned kRanks = 3;
  auto call = describe<float>(LibraryOp::AllGather, kRanks, 5);
  ASSERT_TRUE(rt::verifyLibraryCall(call).ok());
  CollectivePlan plan = rt::planCollective(call);
  EXPECT_EQ(plan.info().workspaceBytes, 0u);
  ThreadRanks(kRanks).run([&](rt::Communicator &rank) {
    std::vector<float> input = numbersOf<float>(rank.rank(), 5), output(15);
    std::unique_ptr<Team> team = makeTeam(1);
    BoundCollective bound(plan, {input.data()}, {output.data()}, nullptr);
    EXPECT_TRUE(bound.run(&rank, *team).ok());
    for (unsigned r = 0; r < kRanks; ++r)
      EXPECT_EQ(std::vector<float>(output.begin() + r * 5,
                                   output.begin() + r * 5 + 5),
                numbersOf<float>(r, 5));
  });
}

TEST(Collective, RefusesAnotherNumberOfRanks) {
  auto call = describe<float>(LibraryOp::AllReduce, 2, 4);
  std::vector<float> data(4), workspace(4);
  std::unique_ptr<Team> team = makeTeam(1);
  BoundCollective bound(rt::planCollective(call), {data.data()}, {data.data()},
                        workspace.data());
  EXPECT_EQ(bound.run(nullptr, *team).message(),
            "the program's step is one of 2 ranks, but the session has 1");
}

TEST(Collective, RefusesWrongCalls) {
  auto call = describe<float>(LibraryOp::AllReduce, 2, 4);
  call.ints = {1, 0};
  EXPECT_EQ(rt::verifyLibraryCall(call).message(),
            "all_reduce number 0 of 1 ranks; 2 to 4096 are possible");
  call.ints = {2, 0};
  call.outputs[0].shape = {5};
  EXPECT_EQ(rt::verifyLibraryCall(call).message(),
            "all_reduce of 4 to 5; a dense 4 is needed");
  call.outputs[0].shape = {4};
  call.inputs.push_back(call.inputs[0]);
  EXPECT_EQ(rt::verifyLibraryCall(call).message(),
            "all_reduce of 2 tensors to 1");
  call.outputs.push_back(call.outputs[0]);
  EXPECT_EQ(rt::verifyLibraryCall(call).message(), "");
  call.inputs[0].type = call.outputs[0].type = RP_F64;
  EXPECT_EQ(rt::verifyLibraryCall(call).message(),
            "all_reduce of f64 and f32; one type is needed");
  call = describe<float>(LibraryOp::AllGather, 2, 4);
  call.ints = {3, 0};
  EXPECT_EQ(rt::verifyLibraryCall(call).message(),
            "all_gather of 4 to 2x4; a dense 3x4 is needed");
  auto shard = describe<float>(LibraryOp::ReduceScatter, 2, 5);
  shard.outputs[0].shape = {2};
  EXPECT_EQ(rt::verifyLibraryCall(shard).message(),
            "reduce_scatter of 5 with shards of 2; a dense 3 is needed");
  shard = describe<float>(LibraryOp::GatherShards, 2, 5);
  shard.inputs[0].shape = {5};
  EXPECT_EQ(rt::verifyLibraryCall(shard).message(),
            "gather_shards of 5 with shards of 5; a dense 3 is needed");
  call.inputs[0].type = call.outputs[0].type = RP_BF16;
  EXPECT_EQ(rt::verifyLibraryCall(call).message(),
            "all_gather of bf16 to bf16; one type, f32 or f64, is needed");
}
