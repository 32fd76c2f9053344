//===- MixRatioTest.cpp - By what images are mixed ------------------------===//

#include "../../../runtime/trainer/MixRatio.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace reprise::rt;

static constexpr uint64_t kDraws = 40000;

namespace {
struct Point {
  double at, share; // of draws that are at most that
};
struct Case {
  double alpha;
  std::vector<Point> points;
};
} // namespace

// Regularized incomplete beta functions: of 1 the identity, of 1/2 the arcsine
// law, of 2 3x^2 - 2x^3, the others by mpmath's betainc.
static const Case kCases[] = {
    {0.2,
     {{0.001, 0.132201292},
      {0.01, 0.209777690},
      {0.1, 0.336689778},
      {0.25, 0.414055520},
      {0.5, 0.5},
      {0.9, 0.663310222},
      {0.999, 0.867798708}}},
    {0.5, {{0.05, 0.143566}, {0.25, 1.0 / 3}, {0.5, 0.5}, {0.75, 2.0 / 3}}},
    {1, {{0.1, 0.1}, {0.37, 0.37}, {0.5, 0.5}, {0.95, 0.95}}},
    {2, {{0.1, 0.028}, {0.25, 0.15625}, {0.5, 0.5}, {0.8, 0.896}}},
    {3.5,
     {{0.1, 0.004813962},
      {0.25, 0.085235330},
      {0.5, 0.5},
      {0.75, 0.914764670}}}};

TEST(MixRatio, IsDistributedAsTheTablesSay) {
  for (const Case &one : kCases)
    for (const Point &point : one.points) {
      uint64_t below = 0;
      for (uint64_t step = 0; step < kDraws; ++step)
        below += mixRatio(one.alpha, 7, step) <= point.at;
      // Four deviations of a share of so many draws.
      double deviation =
          std::sqrt(point.share * (1 - point.share) / double(kDraws));
      EXPECT_NEAR(double(below) / double(kDraws), point.share, 4 * deviation)
          << one.alpha << " at " << point.at;
    }
}

// The mean is 1/2, the variance 1 / (4 (2 alpha + 1)).
TEST(MixRatio, HasTheMomentsOfItsDistribution) {
  for (double alpha : {0.05, 0.2, 0.999, 1.0, 8.0, 100.0}) {
    double sum = 0, squares = 0;
    for (uint64_t step = 0; step < kDraws; ++step) {
      double away = mixRatio(alpha, 11, step) - 0.5;
      sum += away;
      squares += away * away;
    }
    double variance = 1 / (4 * (2 * alpha + 1));
    EXPECT_NEAR(sum / kDraws, 0, 4 * std::sqrt(variance / kDraws)) << alpha;
    EXPECT_NEAR(squares / kDraws, variance, 0.03 * variance) << alpha;
  }
}

TEST(MixRatio, IsANumberFromZeroToOneWhateverAlphaIs) {
  for (double alpha : {1e-300, 1e-12, 1e-3, 1e6, 1e300})
    for (uint64_t step = 0; step < 1000; ++step) {
      double ratio = mixRatio(alpha, UINT64_MAX, step);
      EXPECT_TRUE(ratio >= 0 && ratio <= 1) << alpha << " gives " << ratio;
    }
}

TEST(MixRatio, IsAFunctionOfSeedAndStep) {
  EXPECT_EQ(mixRatio(0.4, 1, 2), mixRatio(0.4, 1, 2));
  EXPECT_NE(mixRatio(0.4, 1, 2), mixRatio(0.4, 1, 3));
  EXPECT_NE(mixRatio(0.4, 1, 2), mixRatio(0.4, 2, 2));
}
