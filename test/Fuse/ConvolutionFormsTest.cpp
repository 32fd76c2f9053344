//===- ConvolutionFormsTest.cpp - Convolutions as a library wants them ----===//
//
// The reference computes the same numbers before and after: in double, the
// elements of both are sums of the same products.
//
//===----------------------------------------------------------------------===//
#include "reprise/IR/ConvolutionForms.h"
#include "../Reference/Support.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference::testing;

/// Numbers of f32 by fours.
static void formConvolutions(func::FuncOp function, int64_t multiple,
                             bool avoids) {
  RewritePatternSet patterns(function.getContext());
  sg::populateConvolutionFormPatterns(
      patterns, {[=](Type) { return multiple; }, [=](Type) { return avoids; }});
  walkAndApplyPatterns(function, std::move(patterns));
  EXPECT_TRUE(succeeded(verify(function)));
}

template <typename OpTy> static unsigned countOf(func::FuncOp function) {
  unsigned count = 0;
  function.walk([&](OpTy) { ++count; });
  return count;
}

static std::string convolution(const std::string &op, const std::string &a,
                               const std::string &b, const std::string &result,
                               int64_t strides, int64_t padding,
                               int64_t groups = 1) {
  auto twice = [](int64_t x) {
    return std::to_string(x) + ", " + std::to_string(x);
  };
  std::string types =
      "(tensor<" + a + ">, tensor<" + b + ">) -> tensor<" + result + ">";
  return "func.func @f(%a: tensor<" + a + ">, %b: tensor<" + b +
         ">) -> tensor<" + result + "> {\n%y = sg." + op +
         " %a, %b {strides = array<i64: " + twice(strides) +
         ">, padding = array<i64: " + twice(padding) + ", " + twice(padding) +
         ">, dilation = array<i64: 1, 1>, groups = " + std::to_string(groups) +
         " : i64} : " + types + "\nreturn %y : tensor<" + result + ">\n}";
}

static void expectTheSame(const std::string &source, int64_t multiple,
                          bool avoids, unsigned pads, unsigned slices) {
  SCOPED_TRACE(source);
  Program program(source);
  ASSERT_TRUE(program.function);
  auto arguments = fillArguments(program.function);
  auto expected = program.run(arguments);
  formConvolutions(program.function, multiple, avoids);
  EXPECT_EQ(countOf<sg::PadOp>(program.function), pads);
  EXPECT_EQ(countOf<sg::SliceOp>(program.function), slices);
  auto got = program.run(arguments);
  ASSERT_EQ(expected.size(), 1u);
  ASSERT_EQ(got.size(), 1u);
  expectClose(got[0], expected[0], 1e-6);
}

TEST(ConvolutionForms, channels_are_filled_up) {
  expectTheSame(
      convolution("conv2d", "2x5x6x3xf32", "4x3x3x3xf32", "2x3x3x4xf32", 2, 1),
      8, false, 2, 0);
  expectTheSame(convolution("conv2d_input_grad", "2x3x3x4xf32", "4x3x3x3xf32",
                            "2x5x6x3xf32", 2, 1),
                8, false, 1, 1);
  expectTheSame(convolution("conv2d_filter_grad", "2x5x6x3xf32", "2x3x3x4xf32",
                            "4x3x3x3xf32", 2, 1),
                8, false, 1, 1);
}

TEST(ConvolutionForms, what_is_wanted_stays) {
  expectTheSame(
      convolution("conv2d", "2x5x6x3xf32", "4x3x3x3xf32", "2x3x3x4xf32", 2, 1),
      3, true, 0, 0);
  expectTheSame(convolution("conv2d", "2x5x6x6xf32", "4x3x3x3xf32",
                            "2x3x3x4xf32", 2, 1, 2),
                8, true, 0, 0);
}

TEST(ConvolutionForms, points_are_spread) {
  // Even and odd extents: what lies behind the last point has no gradient.
  for (auto [size, points] : {std::pair(5, 3), {6, 3}, {7, 4}})
    expectTheSame(convolution("conv2d_input_grad",
                              "2x" + std::to_string(points) + "x3x4xf32",
                              "4x1x1x3xf32",
                              "2x" + std::to_string(size) + "x6x3xf32", 2, 0),
                  1, true, 1, 0);
  // Not of larger windows, without strides, or where it is not asked for.
  expectTheSame(convolution("conv2d_input_grad", "2x3x3x4xf32", "4x3x3x3xf32",
                            "2x5x6x3xf32", 2, 1),
                1, true, 0, 0);
  expectTheSame(convolution("conv2d_input_grad", "2x5x6x4xf32", "4x1x1x3xf32",
                            "2x5x6x3xf32", 1, 0),
                1, true, 0, 0);
  expectTheSame(convolution("conv2d_input_grad", "2x3x3x4xf32", "4x1x1x3xf32",
                            "2x5x6x3xf32", 2, 0),
                1, false, 0, 0);
}

TEST(ConvolutionForms, casts_stay_behind_pads) {
  Program program(R"(
    func.func @f(%x: tensor<2x5x6x3xf32>, %w: tensor<4x3x3x3xbf16>)
        -> tensor<2x3x3x4xbf16> {
      %c = sg.cast %x : tensor<2x5x6x3xf32> to tensor<2x5x6x3xbf16>
      %y = sg.conv2d %c, %w {strides = array<i64: 2, 2>,
          padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>,
          groups = 1 : i64}
        : (tensor<2x5x6x3xbf16>, tensor<4x3x3x3xbf16>) -> tensor<2x3x3x4xbf16>
      return %y : tensor<2x3x3x4xbf16>
    })");
  ASSERT_TRUE(program.function);
  formConvolutions(program.function, 8, false);
  program.function.walk([](sg::Conv2DOp op) {
    auto cast = op.getX().getDefiningOp<sg::CastOp>();
    ASSERT_TRUE(cast);
    EXPECT_TRUE(cast.getOperand().getDefiningOp<sg::PadOp>());
    EXPECT_TRUE(op.getFilter().getDefiningOp<sg::PadOp>());
  });
}
