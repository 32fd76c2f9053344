//===- OpenMpHostTest.cpp - Sessions in a program that uses OpenMP --------===//
//
// The program has parallel regions of its own, runs sessions within them, and
// neither notices the other.
//
//===----------------------------------------------------------------------===//
#include "../conformance/ArtifactBuilder.h"
#include "../conformance/NaiveLoops.h"
#include "../conformance/SessionHandle.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <thread>

using namespace reprise;
using namespace reprise::test;

// Its kernel waits between its threads and would not end with fewer.
static const ConvShape kShape = {2, 14, 14, 64, 32, 3, 3, 2,
                                 2, 1,  1,  1,  1,  1, 1, 1};

static std::vector<uint8_t> filterGradient(unsigned threads) {
  ArtifactBuilder b(threads);
  Tensor x = b.input("x", kShape.x()), dy = b.input("dy", kShape.y());
  Tensor dw = b.activation("dw", kShape.w());
  EXPECT_EQ(
      b.call(LibraryOp::Conv2DFilterGrad, {x, dy}, dw, kShape.ints()).message(),
      "");
  b.output("dw", dw);
  b.finish();
  return b.seal();
}

static std::vector<float> runOnce(SessionHandle &s) {
  std::vector<float> dw(size_t(elements(kShape.w())));
  EXPECT_EQ(s.setInput("x", smallIntegers(kShape.x(), 1)).message, "");
  EXPECT_EQ(s.setInput("dy", smallIntegers(kShape.y(), 2)).message, "");
  EXPECT_EQ(s.run().message, "");
  EXPECT_EQ(s.getOutput("dw", dw).message, "");
  return dw;
}

static std::vector<float> expected() {
  return naiveFilterGrad(kShape, smallIntegers(kShape.x(), 1),
                         smallIntegers(kShape.y(), 2));
}

TEST(OpenMpHost, ASessionRunsWithinEachThreadOfARegion) {
  constexpr int kThreads = 3;
  std::vector<SessionHandle> sessions(kThreads);
  std::vector<std::vector<float>> results(kThreads);
  for (SessionHandle &s : sessions)
    ASSERT_EQ(s.open(filterGradient(2), {"cpu", 0, 0, 0}).message, "");
  int members = 0;
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single
    members = omp_get_num_threads();
    int me = omp_get_thread_num();
    results[size_t(me)] = runOnce(sessions[size_t(me)]);
  }
  ASSERT_EQ(members, kThreads);
  for (const std::vector<float> &result : results)
    EXPECT_EQ(result, expected());
}

TEST(OpenMpHost, ASessionMayChangeItsThread) {
  SessionHandle s;
  ASSERT_EQ(s.open(filterGradient(2), {"cpu", 0, 0, 0}).message, "");
  EXPECT_EQ(runOnce(s), expected());
  std::vector<float> elsewhere;
  std::thread([&] { elsewhere = runOnce(s); }).join();
  EXPECT_EQ(elsewhere, expected());
#pragma omp parallel num_threads(2)
#pragma omp master
  elsewhere = runOnce(s);
  EXPECT_EQ(elsewhere, expected());
}

TEST(OpenMpHost, TheProgramsRegionsStayItsOwn) {
  omp_set_num_threads(5);
  SessionHandle s;
  ASSERT_EQ(s.open(filterGradient(2), {"cpu", 0, 0, 0}).message, "");
  for (int round = 0; round < 3; ++round) {
    runOnce(s);
    EXPECT_EQ(omp_get_max_threads(), 5);
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += omp_get_num_threads();
    EXPECT_EQ(sum, 25);
  }
}
