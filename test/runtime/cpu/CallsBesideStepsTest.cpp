//===- CallsBesideStepsTest.cpp - Programs whose calls take long ----------===//
#include "../conformance/ArtifactBuilder.h"
#include "../conformance/SessionHandle.h"
#include "FirstRank.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

using namespace reprise;
using namespace reprise::test;

namespace {
/// The first of two ranks. The other one sends tens, and takes its time.
class SlowRank final : public FirstRank {
public:
  explicit SlowRank(bool takesThreads, bool fails = false)
      : FirstRank(2), takesThreads(takesThreads), fails(fails) {}
  rt::Status exchange(const void *, const rt::Shards &, void *) override {
    return rt::Status::error(RP_INTERNAL, "small sums have no shards");
  }
  rt::Status gather(void *data, const rt::Shards &shards,
                    rt::Patience) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    auto *floats =
        reinterpret_cast<float *>(static_cast<char *>(data) + shards.begin(1));
    std::fill_n(floats, shards.size(1) / sizeof(float), 10.0f);
    caller = std::this_thread::get_id();
    return fails ? rt::Status::error(RP_UNAVAILABLE, "rank 1 has ended")
                 : rt::Status();
  }
  bool takesOtherThreads() const override { return takesThreads; }

  std::thread::id caller;

private:
  bool takesThreads, fails;
};

/// A sum over ranks, a copy beside it, and copies of both to variables.
std::vector<uint8_t> makeStep() {
  ArtifactBuilder builder;
  Tensor w = builder.variable("w", {8}), v = builder.variable("v", {8});
  Tensor x = builder.input("x", {8}), other = builder.input("other", {8});
  Tensor sum = builder.activation("sum", {8});
  EXPECT_EQ(builder.call(LibraryOp::AllReduce, {x}, sum, {2, 0}).message(), "");
  builder.copy(other, v);
  builder.copy(sum, w);
  builder.output("sum", sum);
  builder.finish();
  return builder.seal();
}

Outcome runStep(SlowRank &ranks, std::vector<float> &w, std::vector<float> &v) {
  SessionHandle session;
  EXPECT_EQ(session.open(makeStep(), {}).message, "");
  EXPECT_EQ(take(rp_session_set_communicator(session.session, &ranks)).message,
            "");
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8}, other(8, 3.0f);
  EXPECT_EQ(session.setInput("x", x).message, "");
  EXPECT_EQ(session.setInput("other", other).message, "");
  Outcome outcome = session.run();
  session.readVariable("w", w);
  session.readVariable("v", v);
  return outcome;
}
} // namespace

TEST(CallsBesideSteps, ReadersWaitForTheSum) {
  for (bool takesThreads : {true, false}) {
    SlowRank ranks(takesThreads);
    std::vector<float> w(8), v(8);
    EXPECT_EQ(runStep(ranks, w, v).message, "");
    EXPECT_EQ(w, std::vector<float>({11, 12, 13, 14, 15, 16, 17, 18}));
    EXPECT_EQ(v, std::vector<float>(8, 3.0f));
    EXPECT_EQ(ranks.caller != std::this_thread::get_id(), takesThreads);
  }
}

TEST(CallsBesideSteps, ErrorsOfTheCallEndTheStep) {
  SlowRank ranks(/*takesThreads=*/true, /*fails=*/true);
  std::vector<float> w(8), v(8);
  Outcome outcome = runStep(ranks, w, v);
  EXPECT_EQ(outcome.code, RP_UNAVAILABLE);
  EXPECT_EQ(outcome.message, "rank 1 has ended");
}
