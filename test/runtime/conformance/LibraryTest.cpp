//===- LibraryTest.cpp - Library calls against naive loops ----------------===//
//
// Inputs are small integers, so that every product and sum is exact in f32
// and results must be equal to the bit, whatever the library's order. A GPU's
// gradients of f32 filters may round: cuDNN has kernels for them that filter
// minimally by transforms that do, and does not say so.
//
//===----------------------------------------------------------------------===//
#include "ArtifactBuilder.h"
#include "Devices.h"
#include "NaiveLoops.h"
#include "SessionHandle.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include "reprise/Runtime/Device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {
struct ConvCase {
  const char *name;
  ConvShape shape;
};

using Param = std::tuple<std::string, ConvCase>;
class ConvolutionTest : public testing::TestWithParam<Param> {
protected:
  /// Runs one call as a program, with poison, and compares.
  void check(LibraryOp op, const Shape &a, const Shape &b, const Shape &out,
             const std::vector<float> &expected,
             const std::vector<float> &errors = {});
};
} // namespace

// n h w c | o kh kw | sh sw | top bottom left right | dh dw | groups
static const ConvCase kCases[] = {
    {"plain", {2, 7, 9, 5, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"one_by_one", {2, 5, 6, 16, 24, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
    {"one_by_one_stride2", {1, 7, 8, 32, 16, 1, 1, 2, 2, 0, 0, 0, 0, 1, 1, 1}},
    {"one_by_one_three_channels",
     {3, 6, 8, 3, 5, 1, 1, 1, 2, 0, 0, 0, 0, 1, 1, 1}},
    {"one_by_one_twelve_channels",
     {4, 32, 32, 12, 16, 1, 1, 2, 2, 0, 0, 0, 0, 1, 1, 1}},
    {"stem", {2, 23, 21, 3, 16, 7, 7, 2, 2, 3, 3, 3, 3, 1, 1, 1}},
    {"grey_stem", {3, 28, 28, 1, 64, 7, 7, 2, 2, 3, 3, 3, 3, 1, 1, 1}},
    {"stride2", {2, 14, 14, 64, 32, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1}},
    {"uneven_stride", {1, 9, 12, 4, 6, 3, 2, 3, 2, 1, 0, 1, 1, 1, 1, 1}},
    {"asymmetric", {1, 6, 7, 17, 19, 3, 3, 1, 1, 2, 0, 0, 1, 1, 1, 1}},
    {"dilated", {1, 11, 10, 8, 16, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, 1}},
    {"groups", {2, 8, 8, 12, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 4}},
    {"groups32", {1, 7, 7, 64, 64, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 32}},
    {"depthwise", {2, 9, 9, 16, 16, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 16}},
    {"depthwise_5x5", {2, 9, 11, 24, 24, 5, 5, 1, 1, 2, 2, 2, 2, 1, 1, 24}},
    {"depthwise_7x7", {2, 8, 9, 35, 35, 7, 7, 1, 1, 3, 3, 3, 3, 1, 1, 35}},
    {"depthwise_strided",
     {2, 11, 10, 40, 40, 5, 5, 2, 2, 2, 2, 2, 2, 1, 1, 40}},
    {"depthwise_dilated",
     {1, 13, 12, 17, 17, 5, 4, 1, 2, 4, 3, 4, 3, 2, 2, 17}},
    {"depthwise_long", {1, 4, 21, 16, 16, 1, 15, 1, 1, 0, 0, 7, 7, 1, 1, 16}},
    {"depthwise_outside", {1, 3, 2, 16, 16, 5, 5, 3, 3, 5, 4, 6, 4, 1, 1, 16}},
    {"one_pixel", {1, 1, 1, 33, 7, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
    {"padding_beyond_windows",
     {2, 8, 3, 6, 5, 1, 3, 2, 1, 0, 1, 0, 0, 1, 1, 1}},
    {"few_pixels", {2, 5, 7, 64, 256, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"strided_windows", {3, 10, 8, 64, 256, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1}},
    {"odd_windows", {3, 9, 8, 64, 256, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1}},
    {"uneven_windows", {1, 8, 12, 80, 256, 3, 2, 2, 2, 2, 1, 0, 1, 2, 3, 1}},
    {"strides_into_padding",
     {2, 2, 3, 16, 24, 1, 1, 2, 2, 0, 1, 0, 2, 1, 1, 1}},
    {"whole_windows", {2, 6, 8, 64, 256, 2, 3, 2, 2, 0, 0, 0, 0, 1, 1, 1}},
    {"unpadded", {1, 7, 7, 16, 16, 7, 7, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
    {"smaller_result", {2, 5, 5, 65, 16, 3, 3, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
    {"larger_result", {2, 5, 6, 80, 48, 3, 2, 1, 1, 2, 1, 1, 0, 1, 1, 1}},
    {"one_by_one_odd_blocks",
     {2, 5, 6, 80, 65, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
    // 256 tiles and more.
    {"tiles", {2, 24, 22, 32, 48, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"odd_tiles", {3, 23, 21, 48, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"unpadded_tiles", {5, 18, 17, 32, 80, 3, 3, 1, 1, 0, 0, 0, 0, 1, 1, 1}},
    {"padded_tiles", {4, 15, 16, 64, 32, 3, 3, 1, 1, 2, 0, 3, 1, 1, 1, 1}},
    {"tiles_of_rows", {1, 4, 300, 32, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"wide", {1, 4, 4, 128, 256, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
};

INSTANTIATE_TEST_SUITE_P(Devices, ConvolutionTest,
                         testing::Combine(devicesHere(),
                                          testing::ValuesIn(kCases)),
                         [](const auto &info) {
                           return std::get<0>(info.param) + "_" +
                                  std::get<1>(info.param).name;
                         });

/// Exact for the small whole numbers used here.
static std::vector<uint16_t> toBF16(const std::vector<float> &values) {
  std::vector<uint16_t> bits(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t word;
    std::memcpy(&word, &values[i], 4);
    bits[i] = uint16_t(word >> 16);
  }
  return bits;
}

/// `errors`: how far from what is expected; empty: not at all.
static void runAndCompare(const std::string &device, ArtifactBuilder &builder,
                          const Shape &a, const Shape &b, const Shape &out,
                          const std::vector<float> &expected,
                          fb::ElementType type = fb::ElementType::F32,
                          const std::vector<float> &errors = {}) {
  SessionHandle s;
  ASSERT_EQ(s.open(builder.seal(), {device.c_str(), 1, 0, 1}).message, "");
  std::vector<float> got(size_t(elements(out)));
  auto set = [&](const char *name, const std::vector<float> &values) {
    Outcome outcome = type == fb::ElementType::BF16
                          ? s.setInput(name, toBF16(values))
                          : s.setInput(name, values);
    ASSERT_EQ(outcome.message, "");
  };
  set("a", smallIntegers(a, 1));
  set("b", smallIntegers(b, 2));
  ASSERT_EQ(s.run().message, "");
  ASSERT_EQ(s.getOutput("out", got).message, "");
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (errors.empty())
      ASSERT_EQ(got[i], expected[i]) << "element " << i;
    else
      ASSERT_NEAR(got[i], expected[i], errors[i]) << "element " << i;
  size_t predicted = 0;
  rp_status_free(rp_program_peak_bytes(s.program, "step", &predicted));
  EXPECT_EQ(s.memory().high_water_bytes, predicted);
}

void ConvolutionTest::check(LibraryOp op, const Shape &a, const Shape &b,
                            const Shape &out,
                            const std::vector<float> &expected,
                            const std::vector<float> &errors) {
  // Sums of products of small whole numbers of either type are exact in f32.
  for (fb::ElementType type : {fb::ElementType::F32, fb::ElementType::BF16})
    for (unsigned threads : {1u, 2u, 5u}) {
      SCOPED_TRACE(type == fb::ElementType::F32 ? "f32" : "bf16");
      ArtifactBuilder builder(threads);
      Tensor x = builder.input("a", a, type), w = builder.input("b", b, type);
      Tensor y = builder.activation("y", out), z = builder.activation("z", out);
      rt::Status status =
          builder.call(op, {x, w}, y, std::get<1>(GetParam()).shape.ints());
      if (type == fb::ElementType::BF16 && status.code() == RP_UNAVAILABLE)
        continue;
      ASSERT_EQ(status.message(), "");
      builder.copy(y, z);
      builder.output("out", z);
      builder.finish();
      bool mayRound = type == fb::ElementType::F32;
      runAndCompare(std::get<0>(GetParam()), builder, a, b, out, expected, type,
                    mayRound ? errors : std::vector<float>());
    }
}

TEST_P(ConvolutionTest, Forward) {
  ConvShape c = std::get<1>(GetParam()).shape;
  check(LibraryOp::Conv2D, c.x(), c.w(), c.y(),
        naiveForward(c, smallIntegers(c.x(), 1), smallIntegers(c.w(), 2)));
}

TEST_P(ConvolutionTest, InputGradient) {
  ConvShape c = std::get<1>(GetParam()).shape;
  check(LibraryOp::Conv2DInputGrad, c.y(), c.w(), c.x(),
        naiveInputGrad(c, smallIntegers(c.y(), 1), smallIntegers(c.w(), 2)));
}

static std::vector<float> magnitudes(std::vector<float> values) {
  for (float &value : values)
    value = std::fabs(value);
  return values;
}

TEST_P(ConvolutionTest, FilterGradient) {
  const auto &[device, conv] = GetParam();
  ConvShape c = conv.shape;
  std::vector<float> x = smallIntegers(c.x(), 1), dy = smallIntegers(c.y(), 2),
                     errors;
  if (device == "cuda") {
    errors = naiveFilterGrad(c, magnitudes(x), magnitudes(dy));
    for (float &error : errors)
      error *= 1e-6f; // an H200's: 2e-7
  }
  check(LibraryOp::Conv2DFilterGrad, c.x(), c.y(), c.w(),
        naiveFilterGrad(c, x, dy), errors);
}

/// The kernels of the gradient of a filter in bf16.
static std::string filterKernels(const ConvShape &c) {
  rt::LibraryCallDesc desc{LibraryOp::Conv2DFilterGrad,
                           {{RP_BF16, c.x(), {}}, {RP_BF16, c.y(), {}}},
                           {{RP_F32, c.w(), {}}},
                           c.ints()};
  auto info = rt::queryLibraryCall(desc, 2);
  return info.ok() ? info->implementation : "";
}

// The cases above are run as a copy for each position of the window and one
// product, unless oneDNN has no product that takes no memory here.
TEST(FilterProducts, RunWhereTheyAreFaster) {
  rt::LibraryCallDesc product{
      LibraryOp::MatMul,
      {{RP_BF16, {70, 256}, {}}, {RP_BF16, {70, 576}, {}}},
      {{RP_F32, {256, 576}, {}}},
      {1, 0}};
  auto info = rt::queryLibraryCall(product, 2);
  if (!info.ok() || info->implementation.find("gemm:jit") != std::string::npos)
    GTEST_SKIP() << "no product of bf16 without memory of its own";
  auto copies = [](const char *name) {
    for (const ConvCase &each : kCases)
      if (!std::strcmp(each.name, name)) {
        std::string kernels = filterKernels(each.shape);
        return std::count(kernels.begin(), kernels.end(), ',');
      }
    return std::ptrdiff_t(-1);
  };
  EXPECT_EQ(copies("few_pixels"), 9);
  EXPECT_EQ(copies("strided_windows"), 9);
  EXPECT_EQ(copies("uneven_windows"), 6);
  EXPECT_EQ(copies("whole_windows"), 6);
  EXPECT_LT(copies("odd_windows"), 2);
  EXPECT_LT(copies("strides_into_padding"), 2);
}

/// What the library does with a convolution of f32, or its gradients.
static rt::LibraryCallInfo callOf(const ConvShape &c, LibraryOp op) {
  rt::TensorDesc x{RP_F32, c.x(), {}}, w{RP_F32, c.w(), {}},
      y{RP_F32, c.y(), {}};
  rt::LibraryCallDesc desc{op, {x, w}, {y}, c.ints()};
  if (op == LibraryOp::Conv2DInputGrad)
    desc = {op, {y, w}, {x}, c.ints()};
  else if (op == LibraryOp::Conv2DFilterGrad)
    desc = {op, {x, y}, {w}, c.ints()};
  auto info = rt::queryLibraryCall(desc, 2);
  EXPECT_TRUE(info.ok());
  return info.ok() ? *info : rt::LibraryCallInfo();
}

// Where the forward pass has kernels of blocked products, the gradient of its
// input is run by them, unless it strides or is larger than the result.
TEST(InputGradients, AreConvolutionsWhereThatIsFaster) {
  ConvShape c = {2, 14, 14, 256, 256, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  auto isBlocked = [&](LibraryOp op) {
    return callOf(c, op).implementation.find("brgconv") != std::string::npos;
  };
  if (!isBlocked(LibraryOp::Conv2D))
    GTEST_SKIP() << "no kernels of blocked products without AVX-512";
  EXPECT_TRUE(isBlocked(LibraryOp::Conv2DInputGrad));
  ConvShape strided = c, unpadded = c;
  strided.sh = strided.sw = 2;
  unpadded.top = unpadded.bottom = unpadded.left = unpadded.right = 0;
  for (const ConvShape &other : {strided, unpadded})
    EXPECT_EQ(callOf(other, LibraryOp::Conv2DInputGrad)
                  .implementation.find("brgconv"),
              std::string::npos);
}

// In f32 a gradient of a 1x1 filter is a product where filters are as many as
// channels, or pixels are few.
TEST(FilterGradients, AreProductsWhereThatIsFaster) {
  auto isProduct = [](int64_t size, int64_t channels, int64_t filters) {
    ConvShape c = {8, size, size, channels, filters, 1, 1, 1,
                   1, 0,    0,    0,        0,       1, 1, 1};
    std::string name = callOf(c, LibraryOp::Conv2DFilterGrad).implementation;
    return name.rfind("brg:", 0) == 0;
  };
  if (!isProduct(56, 64, 256))
    GTEST_SKIP() << "no product of f32 without memory of its own";
  EXPECT_TRUE(isProduct(56, 64, 64));
  EXPECT_TRUE(isProduct(7, 2048, 512));
  EXPECT_FALSE(isProduct(56, 256, 64));
}

// A gradient in the library's blocks takes a copy of 16 filters a thread, not
// of all of them: the forward pass, which packs the filter, takes that.
TEST(FilterGradients, AreTurnedInTheirPlace) {
  ConvShape c = {8, 7, 7, 512, 512, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  rt::LibraryCallInfo grad = callOf(c, LibraryOp::Conv2DFilterGrad);
  if (grad.implementation.find("avx512") == std::string::npos)
    GTEST_SKIP() << "no blocks of 16 without AVX-512";
  uint64_t bytes = uint64_t(elements(c.w())) * 4, group = bytes / (512 / 16);
  EXPECT_NE(grad.implementation.find("turned in place"), std::string::npos);
  EXPECT_LT(grad.workspaceBytes, 2 * group + bytes / 16);
  EXPECT_GE(callOf(c, LibraryOp::Conv2D).workspaceBytes, bytes);
}

namespace {
class MatMulTest : public testing::TestWithParam<std::string> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, MatMulTest, devicesHere(), deviceLabel);

static void checkProduct(const std::string &device, const MatShape &m, bool ta,
                         bool tb) {
  Shape a = m.a(ta), b = m.b(tb);
  std::vector<float> expected =
      naiveMatMul(m, smallIntegers(a, 1), smallIntegers(b, 2), ta, tb);
  ArtifactBuilder builder;
  Tensor x = builder.input("a", a), y = builder.input("b", b);
  Tensor z = builder.activation("z", m.c());
  rt::Status status = builder.call(LibraryOp::MatMul, {x, y}, z, {ta, tb});
  ASSERT_EQ(status.message(), "");
  builder.output("out", z);
  builder.finish();
  runAndCompare(device, builder, a, b, m.c(), expected);
}

TEST_P(MatMulTest, AllTransposesOnOddShapes) {
  // batch, m, n, k
  const MatShape shapes[] = {
      {{}, 7, 5, 3},      {{}, 128, 64, 256}, {{}, 1, 10, 512},
      {{3}, 17, 33, 9},   {{2, 3}, 8, 16, 4}, {{}, 65, 1, 31},
      {{}, 34, 144, 900}, {{2}, 21, 64, 600}, {{}, 2200, 496, 272}};
  for (const MatShape &m : shapes)
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << m.m << "x" << m.n << "x" << m.k << " " << ta << tb);
        checkProduct(GetParam(), m, ta, tb);
      }
}

// Descriptions that differ in their numbers alone are two calls.
TEST_P(MatMulTest, TransposesOfOneProgramStayApart) {
  Shape square = {24, 24};
  ArtifactBuilder builder;
  Tensor x = builder.input("a", square), y = builder.input("b", square);
  Tensor plain = builder.activation("plain", square),
         transposed = builder.activation("transposed", square);
  ASSERT_TRUE(builder.call(LibraryOp::MatMul, {x, y}, plain, {0, 0}).ok());
  ASSERT_TRUE(builder.call(LibraryOp::MatMul, {x, y}, transposed, {0, 1}).ok());
  builder.output("plain", plain);
  builder.output("out", transposed);
  builder.finish();
  MatShape m = {{}, 24, 24, 24};
  runAndCompare(GetParam(), builder, square, square, square,
                naiveMatMul(m, smallIntegers(square, 1),
                            smallIntegers(square, 2), false, true));
}

TEST_P(MatMulTest, BF16ConvolutionIsExactOnSmallIntegers) {
  // Sums of 18 products of at most 9 stay below 256, the integers bf16 holds.
  // In the second the last row of windows lies in the padding alone.
  const ConvShape shapes[] = {
      {2, 5, 6, 16, 24, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1},
      {2, 8, 3, 6, 5, 1, 3, 2, 1, 0, 1, 0, 0, 1, 1, 1}};
  for (const ConvShape &c : shapes) {
    ArtifactBuilder builder;
    Tensor x = builder.input("x", c.x(), fb::ElementType::BF16);
    Tensor w = builder.input("w", c.w(), fb::ElementType::BF16);
    Tensor y = builder.activation("y", c.y(), fb::ElementType::BF16);
    rt::Status status = builder.call(LibraryOp::Conv2D, {x, w}, y, c.ints());
    if (status.code() == RP_UNAVAILABLE)
      GTEST_SKIP() << status.message();
    ASSERT_EQ(status.message(), "");
    builder.output("y", y);
    builder.finish();
    SessionHandle s;
    ASSERT_EQ(s.open(builder.seal(), {GetParam().c_str(), 1, 0, 1}).message,
              "");
    std::vector<float> xs = smallIntegers(c.x(), 1),
                       ws = smallIntegers(c.w(), 2);
    ASSERT_EQ(s.setInput("x", toBF16(xs)).message, "");
    ASSERT_EQ(s.setInput("w", toBF16(ws)).message, "");
    ASSERT_EQ(s.run().message, "");
    std::vector<uint16_t> got(size_t(elements(c.y())));
    ASSERT_EQ(s.getOutput("y", got).message, "");
    EXPECT_EQ(got, toBF16(naiveForward(c, xs, ws)));
  }
}

//===----------------------------------------------------------------------===//
// The query
//===----------------------------------------------------------------------===//

static rt::LibraryCallDesc smallConvolution() {
  return {LibraryOp::Conv2D,
          {{RP_F32, {1, 5, 5, 4}, {}}, {RP_F32, {8, 3, 3, 4}, {}}},
          {{RP_F32, {1, 3, 3, 8}, {}}},
          {1, 1, 0, 0, 0, 0, 1, 1, 1}};
}

static std::string refusal(const rt::LibraryCallDesc &desc) {
  rt::Expected<rt::LibraryCallInfo> info = rt::queryLibraryCall(desc, 2);
  EXPECT_EQ(info.status().code(), RP_INVALID_ARGUMENT);
  return info.status().message();
}

TEST(LibraryQuery, AnswersTheSameTwice) {
  auto first = rt::queryLibraryCall(smallConvolution(), 2);
  auto second = rt::queryLibraryCall(smallConvolution(), 2);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(first->implementation, second->implementation);
  EXPECT_EQ(first->workspaceBytes, second->workspaceBytes);
  EXPECT_EQ(first->workspaceBytes % 64, 0u);
  EXPECT_FALSE(first->implementation.empty());
}

// oneDNN's issue 6035: with few channels and a stride its kernel of 1x1 filters
// writes past its scratchpad, and what comes out depends on what lies there.
TEST(LibraryQuery, PassesOverTheKernelThatWritesPastItsScratchpad) {
  for (int64_t channels : {3, 12, 24}) {
    rt::LibraryCallDesc desc = {
        LibraryOp::Conv2DFilterGrad,
        {{RP_F32, {3, 6, 8, channels}, {}}, {RP_F32, {3, 6, 4, 5}, {}}},
        {{RP_F32, {5, 1, 1, channels}, {}}},
        {1, 2, 0, 0, 0, 0, 1, 1, 1}};
    auto info = rt::queryLibraryCall(desc, 2);
    ASSERT_TRUE(info.ok()) << info.status().message();
    EXPECT_EQ(info->implementation.find("jit_1x1"), std::string::npos)
        << channels << ": " << info->implementation;
  }
}

TEST(LibraryQuery, RefusesWrongShapes) {
  rt::LibraryCallDesc desc = smallConvolution();
  desc.outputs[0].shape[1] = 4;
  EXPECT_EQ(refusal(desc), "a convolution of 1x5x5x4 with 8x3x3x4 gives "
                           "1x3x3x8, not 1x4x3x8");
  desc = smallConvolution();
  desc.ints[8] = 3;
  EXPECT_EQ(refusal(desc),
            "a filter of 8x3x3x4 in 3 groups does not fit 4 input channels");
  desc = smallConvolution();
  desc.ints[0] = 0;
  EXPECT_EQ(refusal(desc), "a stride of a convolution is 0");
  desc = smallConvolution();
  desc.ints.pop_back();
  EXPECT_EQ(refusal(desc), "conv2d takes 9 ints and 0 floats, not 8 and 0");
  desc = smallConvolution();
  desc.inputs[0].strides = {400, 20, 4, 1};
  EXPECT_TRUE(rt::queryLibraryCall(desc, 2).ok()) << "stride of a batch of 1";
  desc.inputs[0].strides = {100, 4, 20, 1};
  EXPECT_EQ(refusal(desc), "operand 1x5x5x4 of a convolution is not a dense "
                           "tensor of rank 4");
  desc = smallConvolution();
  desc.inputs[0].type = RP_I32;
  EXPECT_EQ(refusal(desc),
            "library calls take floating-point operands, not i32");
}

TEST(LibraryQuery, RefusesWrongProducts) {
  rt::LibraryCallDesc desc{LibraryOp::MatMul,
                           {{RP_F32, {2, 3}, {}}, {RP_F32, {4, 5}, {}}},
                           {{RP_F32, {2, 5}, {}}},
                           {0, 0}};
  EXPECT_EQ(refusal(desc), "a matrix product of 2x3 and 4x5 does not give 2x5");
  desc.ints = {0, 2};
  EXPECT_EQ(refusal(desc), "a matrix product takes two parameters of 0 or 1");
}

TEST(LibraryQuery, AnotherKernelAtLoadTimeIsRefused) {
  ArtifactBuilder b;
  Tensor x = b.input("a", {1, 5, 5, 4}), w = b.input("b", {8, 3, 3, 4});
  Tensor y = b.activation("y", {1, 3, 3, 8});
  ASSERT_TRUE(
      b.call(LibraryOp::Conv2D, {x, w}, y, {1, 1, 0, 0, 0, 0, 1, 1, 1}).ok());
  b.finish();
  fb::LibraryCallT &call = *b.entry().steps[0]->action.AsLibraryCall();
  std::string chosen = call.implementation;
  call.implementation = "magic:avx1024";
  SessionHandle s;
  Outcome outcome = s.open(b.seal(), {"cpu", 0, 0, 0});
  EXPECT_EQ(outcome.code, RP_INCOMPATIBLE);
  EXPECT_EQ(outcome.message, "the artifact was compiled for the library kernel "
                             "'magic:avx1024', '" +
                                 chosen +
                                 "' would run here; compile the model again");
}
