//===- AccuracyTest.cpp - How far library calls are from exact sums -------===//
//
// Errors of f32 against double precision, as the root of the mean square, and
// beside them those of plain loops that add in f32 one by one.
//
//===----------------------------------------------------------------------===//
#include "ArtifactBuilder.h"
#include "Devices.h"
#include "NaiveLoops.h"
#include "SessionHandle.h"
#include "reprise/Runtime/Philox.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {
class AccuracyTest : public testing::TestWithParam<std::string> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, AccuracyTest, devicesHere(), deviceLabel);

/// Evenly in [-1, 1).
static std::vector<float> numbers(const Shape &shape, uint64_t seed) {
  std::vector<float> values(size_t(elements(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(int32_t(rt::philoxBlock(seed, 0, i / 4).word[i % 4])) /
                2147483648.0f;
  return values;
}

static std::vector<double> wide(const std::vector<float> &values) {
  return {values.begin(), values.end()};
}

/// The error of `got`, of the size of what is exact.
static double errorOf(const std::vector<float> &got,
                      const std::vector<double> &exact) {
  double errors = 0, squares = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    errors += (got[i] - exact[i]) * (got[i] - exact[i]);
    squares += exact[i] * exact[i];
  }
  return std::sqrt(errors / squares);
}

/// One call's result.
static void run(const std::string &device, rt::LibraryOp op, const Shape &a,
                const Shape &b, const Shape &out,
                const std::vector<int64_t> &ints, std::vector<float> &got) {
  ArtifactBuilder builder(2);
  Tensor x = builder.input("a", a), y = builder.input("b", b);
  Tensor z = builder.activation("z", out);
  ASSERT_EQ(builder.call(op, {x, y}, z, ints).message(), "");
  builder.output("out", z);
  builder.finish();
  SessionHandle s;
  ASSERT_EQ(s.open(builder.seal(), {device.c_str(), 1, 0, 1}).message, "");
  ASSERT_EQ(s.setInput("a", numbers(a, 1)).message, "");
  ASSERT_EQ(s.setInput("b", numbers(b, 2)).message, "");
  ASSERT_EQ(s.run().message, "");
  got.resize(size_t(elements(out)));
  ASSERT_EQ(s.getOutput("out", got).message, "");
}

// Of 768 and 1024 numbers in parts of 256 the error is some 0.6 and 0.55 of
// that of one sum.
TEST_P(AccuracyTest, ProductsAddInParts) {
  for (const MatShape &m :
       {MatShape{{}, 64, 96, 1024}, {{}, 80, 64, 760}, {{2}, 48, 64, 1000}})
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        SCOPED_TRACE(testing::Message() << m.k << " " << ta << tb);
        Shape a = m.a(ta), b = m.b(tb);
        std::vector<float> x = numbers(a, 1), y = numbers(b, 2), got;
        run(GetParam(), rt::LibraryOp::MatMul, a, b, m.c(), {ta, tb}, got);
        if (HasFatalFailure())
          return;
        std::vector<double> exact = naiveMatMul(m, wide(x), wide(y), ta, tb);
        EXPECT_LT(errorOf(got, exact),
                  0.75 * errorOf(naiveMatMul(m, x, y, ta, tb), exact));
      }
}
