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
#include "reprise/Runtime/Cpu/Cpu.h"
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
static void run(const std::string &device, LibraryOp op, const Shape &a,
                const Shape &b, const Shape &out,
                const std::vector<int64_t> &ints, std::vector<float> &got,
                unsigned threads = 2) {
  ArtifactBuilder builder(threads);
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

/// The kernels of a product in f32.
static std::string productKernels(const MatShape &m, bool ta, bool tb) {
  auto info =
      rt::queryLibraryCall({LibraryOp::MatMul,
                            {{RP_F32, m.a(ta), {}}, {RP_F32, m.b(tb), {}}},
                            {{RP_F32, m.c(), {}}},
                            {ta, tb}},
                           2);
  return info.ok() ? info->implementation : info.status().message();
}

static bool hasBlockedProducts() {
  return productKernels({{}, 64, 64, 64}, false, false) == "brg:avx512_core";
}

// Parts are run by the kernels that take no memory of their own, and so is what
// is not cut.
TEST(LongProducts, AreCutForTheSameKernels) {
  if (!hasBlockedProducts())
    GTEST_SKIP() << "no product of f32 without memory of its own";
  auto count = [](const std::string &text, const char *what) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; ++at)
      ++found;
    return found;
  };
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      MatShape m = {{}, 3000, 384, 1000};
      std::string kernels = productKernels(m, ta, tb);
      SCOPED_TRACE(kernels);
      EXPECT_EQ(count(kernels, "in 4 parts"), 1u);
      EXPECT_EQ(count(kernels, "brg:"), 1u);
      EXPECT_EQ(count(kernels, "gemm"), 0u);
      m.k = 256;
      EXPECT_EQ(count(productKernels(m, ta, tb), "parts"), 0u);
      m.k = 1000;
      m.n = 96;
      EXPECT_EQ(count(productKernels(m, ta, tb), "parts"), 0u);
      m.n = 384;
      m.k = 5000;
      EXPECT_EQ(count(productKernels(m, ta, tb), "parts"), 0u);
    }
}

// Of 768 and 1024 numbers in parts of 256 the error is some 0.6 and 0.55 of
// that of one sum.
TEST_P(AccuracyTest, ProductsAddInParts) {
  if (!hasBlockedProducts())
    GTEST_SKIP() << "no product of f32 without memory of its own";
  for (const MatShape &m :
       {MatShape{{}, 64, 144, 1024}, MatShape{{}, 80, 128, 760}})
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        SCOPED_TRACE(testing::Message() << m.k << " " << ta << tb);
        Shape a = m.a(ta), b = m.b(tb);
        std::vector<float> x = numbers(a, 1), y = numbers(b, 2), got;
        run(GetParam(), LibraryOp::MatMul, a, b, m.c(), {ta, tb}, got);
        if (HasFatalFailure())
          return;
        std::vector<double> exact = naiveMatMul(m, wide(x), wide(y), ta, tb);
        EXPECT_LT(errorOf(got, exact),
                  0.75 * errorOf(naiveMatMul(m, x, y, ta, tb), exact));
      }
}

//===----------------------------------------------------------------------===//
// Minimal filtering
//===----------------------------------------------------------------------===//

namespace {
/// A convolution or a gradient of one.
struct Direction {
  LibraryOp op;
  Shape a, b, out;
  template <typename T>
  std::vector<T> naive(const ConvShape &c, const std::vector<T> &x,
                       const std::vector<T> &y) const {
    if (op == LibraryOp::Conv2D)
      return naiveForward(c, x, y);
    return op == LibraryOp::Conv2DInputGrad ? naiveInputGrad(c, x, y)
                                            : naiveFilterGrad(c, x, y);
  }
};
} // namespace

static std::vector<Direction> directions(const ConvShape &c) {
  return {{LibraryOp::Conv2D, c.x(), c.w(), c.y()},
          {LibraryOp::Conv2DInputGrad, c.y(), c.w(), c.x()},
          {LibraryOp::Conv2DFilterGrad, c.x(), c.y(), c.w()}};
}

static std::string kernelsOf(const Direction &d, const ConvShape &c,
                             unsigned threads, rp_element_type type = RP_F32) {
  auto info = rt::queryLibraryCall(
      {d.op, {{type, d.a, {}}, {type, d.b, {}}}, {{type, d.out, {}}}, c.ints()},
      threads);
  EXPECT_TRUE(info.ok()) << info.status().message();
  return info.ok() ? info->implementation : "";
}

/// How many of the three directions are filtered; none may be refused.
static int filters(const ConvShape &c, unsigned threads,
                   rp_element_type type = RP_F32) {
  int found = 0;
  for (const Direction &d : directions(c))
    found += kernelsOf(d, c, threads, type).find("minimal filtering") == 0;
  return found;
}

// n h w c | o kh kw | sh sw | top bottom left right | dh dw | groups
static const ConvShape kTiles = {5, 17, 15, 64, 48, 3, 3, 1,
                                 1, 1,  1,  1,  1,  1, 1, 1};

/// Whether this processor has products for it.
static bool hasFiltering() { return filters(kTiles, 2) == 3; }

// 16 sums of as many numbers as there are channels, and of four of those each
// result: less rounding than in one sum of nine times as many.
TEST_P(AccuracyTest, MinimalFilteringIsAsCloseAsOneSum) {
  if (!hasFiltering())
    GTEST_SKIP() << "no product of f32 without memory of its own";
  for (const Direction &d : directions(kTiles)) {
    SCOPED_TRACE(testing::Message() << "operation " << int(d.op));
    std::vector<float> x = numbers(d.a, 1), y = numbers(d.b, 2), got;
    run(GetParam(), d.op, d.a, d.b, d.out, kTiles.ints(), got);
    if (HasFatalFailure())
      return;
    std::vector<double> exact = d.naive(kTiles, wide(x), wide(y));
    EXPECT_LT(errorOf(got, exact), errorOf(d.naive(kTiles, x, y), exact));
  }
}

// Blocks and shares are cut by threads; sums are not.
TEST_P(AccuracyTest, MinimalFilteringHasOneSetOfBits) {
  if (!hasFiltering())
    GTEST_SKIP() << "no product of f32 without memory of its own";
  for (const Direction &d : directions(kTiles)) {
    SCOPED_TRACE(testing::Message() << "operation " << int(d.op));
    std::vector<float> first;
    run(GetParam(), d.op, d.a, d.b, d.out, kTiles.ints(), first, 1);
    for (unsigned threads : {2u, 3u, 7u}) {
      ASSERT_EQ(filters(kTiles, threads), 3);
      std::vector<float> got;
      run(GetParam(), d.op, d.a, d.b, d.out, kTiles.ints(), got, threads);
      EXPECT_EQ(got, first) << threads << " threads";
    }
  }
}

TEST(MinimalFiltering, TakesManyTilesOfPlainWindows) {
  if (!hasFiltering())
    GTEST_SKIP() << "no product of f32 without memory of its own";
  auto with = [](auto change) {
    ConvShape c = kTiles;
    change(c);
    return c;
  };
  EXPECT_EQ(0, filters(kTiles, 2, RP_BF16));
  EXPECT_EQ(0, filters(kTiles, 32)) << "few tiles a thread";
  EXPECT_EQ(0, filters({1, 1, 700, 64, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 2))
      << "half a tile is outside";
  EXPECT_EQ(0, filters(with([](ConvShape &c) { c.n = 3; }), 2));
  EXPECT_EQ(0, filters(with([](ConvShape &c) { c.c = 16; }), 2));
  EXPECT_EQ(0, filters(with([](ConvShape &c) { c.o = 40; }), 2));
  EXPECT_EQ(0, filters(with([](ConvShape &c) { c.kh = 5; }), 2));
  EXPECT_EQ(0, filters(with([](ConvShape &c) { c.sw = 2; }), 2));
  EXPECT_EQ(0, filters(with([](ConvShape &c) { c.dh = 2; }), 2));
  EXPECT_EQ(0, filters(with([](ConvShape &c) { c.groups = 2; }), 2));
}

//===----------------------------------------------------------------------===//
// Depthwise convolutions
//===----------------------------------------------------------------------===//

// n h w c | o kh kw | sh sw | top bottom left right | dh dw | groups
static const ConvShape kChannels = {3, 19, 17, 70, 70, 5, 5, 1,
                                    1, 2,  2,  2,  2,  1, 1, 70};

static Direction filterGradient(const ConvShape &c) {
  return {LibraryOp::Conv2DFilterGrad, c.x(), c.y(), c.w()};
}

// oneDNN has kernels for windows of three pixels alone.
TEST(Depthwise, RunsWhereTheLibraryHasNoKernel) {
  auto isOwn = [](const Direction &d, const ConvShape &c) {
    return kernelsOf(d, c, 2).find("depthwise") == 0;
  };
  EXPECT_TRUE(isOwn(filterGradient(kChannels), kChannels));
  ConvShape groups = kChannels;
  groups.groups = 35;
  EXPECT_FALSE(isOwn(filterGradient(groups), groups));
  ConvShape small = {2, 8, 8, 64, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 64};
  EXPECT_FALSE(isOwn(filterGradient(small), small));
}

// Rows of 17 products, then sums of at most 24 rows, then eight parts.
TEST_P(AccuracyTest, DepthwiseGradientsAreCloserThanOneSum) {
  Direction d = filterGradient(kChannels);
  std::vector<float> x = numbers(d.a, 1), y = numbers(d.b, 2), got;
  run(GetParam(), d.op, d.a, d.b, d.out, kChannels.ints(), got);
  if (HasFatalFailure())
    return;
  std::vector<double> exact = d.naive(kChannels, wide(x), wide(y));
  EXPECT_LT(errorOf(got, exact), errorOf(d.naive(kChannels, x, y), exact));
}

TEST_P(AccuracyTest, DepthwiseGradientsHaveOneSetOfBits) {
  Direction d = filterGradient(kChannels);
  std::vector<float> first;
  run(GetParam(), d.op, d.a, d.b, d.out, kChannels.ints(), first, 1);
  for (unsigned threads : {2u, 3u, 7u}) {
    std::vector<float> got;
    run(GetParam(), d.op, d.a, d.b, d.out, kChannels.ints(), got, threads);
    EXPECT_EQ(got, first) << threads << " threads";
  }
}
