//===- ConvolutionFormsTest.cpp - Convolutions as a library wants them ----===//
//
// The reference computes the same numbers before and after: in double, the
// elements of both are sums of the same products.
//
//===----------------------------------------------------------------------===//
#include "../../passes/Rewrites/ConvolutionForms.h"
#include "../Reference/Support.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference::testing;

/// `most`: channels that strides may become.
static void formConvolutions(func::FuncOp function, int64_t multiple,
                             bool avoids, int64_t most = 0) {
  RewritePatternSet patterns(function.getContext());
  sg::populateConvolutionFormPatterns(patterns, {[=](Type) { return multiple; },
                                                 [=](Type) { return most; },
                                                 [=](Type) { return avoids; }});
  walkAndApplyPatterns(function, std::move(patterns));
  EXPECT_TRUE(succeeded(verify(function)));
}

template <typename OpTy> static unsigned countOf(func::FuncOp function) {
  unsigned count = 0;
  function.walk([&](OpTy) { ++count; });
  return count;
}

static std::string join(ArrayRef<int64_t> numbers) {
  return llvm::join(
      llvm::map_range(numbers, [](int64_t x) { return std::to_string(x); }),
      ", ");
}

/// `strides`: of height and width; `padding`: top, bottom, left, right.
static std::string convolution(const std::string &op, const std::string &a,
                               const std::string &b, const std::string &result,
                               ArrayRef<int64_t> strides,
                               ArrayRef<int64_t> padding, int64_t groups = 1) {
  std::string types =
      "(tensor<" + a + ">, tensor<" + b + ">) -> tensor<" + result + ">";
  return "func.func @f(%a: tensor<" + a + ">, %b: tensor<" + b +
         ">) -> tensor<" + result + "> {\n%y = sg." + op +
         " %a, %b {strides = array<i64: " + join(strides) +
         ">, padding = array<i64: " + join(padding) +
         ">, dilation = array<i64: 1, 1>, groups = " + std::to_string(groups) +
         " : i64} : " + types + "\nreturn %y : tensor<" + result + ">\n}";
}

static std::string convolution(const std::string &op, const std::string &a,
                               const std::string &b, const std::string &result,
                               int64_t strides, int64_t padding,
                               int64_t groups = 1) {
  return convolution(op, a, b, result, {strides, strides},
                     {padding, padding, padding, padding}, groups);
}

static void expectTheSame(const std::string &source, int64_t multiple,
                          bool avoids, unsigned pads, unsigned slices,
                          int64_t most = 0) {
  SCOPED_TRACE(source);
  Program program(source);
  ASSERT_TRUE(program.function);
  auto arguments = fillArguments(program.function);
  auto expected = program.run(arguments);
  formConvolutions(program.function, multiple, avoids, most);
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

namespace {
struct StridedConvolution {
  std::string image, filter, points;
  std::vector<int64_t> strides, padding;
};
/// What forms add: zeros around images and filters, cuts of gradients.
struct Additions {
  unsigned imagePads, filterPads, slices;
};
} // namespace

/// The convolution and the gradient of its filter, whose strides become up to
/// 18 channels, a multiple of `multiple`.
static void expectForms(const StridedConvolution &c, Additions additions,
                        bool isFolded, int64_t multiple = 4) {
  int64_t most = 18;
  expectTheSame(
      convolution("conv2d", c.image, c.filter, c.points, c.strides, c.padding),
      multiple, false, additions.imagePads + additions.filterPads, 0, most);
  std::string gradient = convolution("conv2d_filter_grad", c.image, c.points,
                                     c.filter, c.strides, c.padding);
  expectTheSame(gradient, multiple, false, additions.imagePads,
                additions.slices, most);
  Program program(gradient);
  formConvolutions(program.function, multiple, false, most);
  unsigned folded = 0;
  program.function.walk([&](sg::Conv2DFilterGradOp op) {
    folded += llvm::all_of(op.getStrides(), [](int64_t s) { return s == 1; });
  });
  EXPECT_EQ(folded, isFolded ? 1u : 0u) << gradient;
}

TEST(ConvolutionForms, strides_become_channels) {
  auto expectFolded = [](const StridedConvolution &c, Additions additions,
                         int64_t multiple = 4) {
    expectForms(c, additions, /*isFolded=*/true, multiple);
  };
  // A stem: the image gets points around, the filter a row and a column of
  // zeros in front.
  expectFolded(
      {"2x10x12x3xf32", "4x7x7x3xf32", "2x5x6x4xf32", {2, 2}, {3, 3, 3, 3}},
      {1, 1, 1});
  // Windows as wide as a multiple of the strides; nothing is filled up.
  expectFolded(
      {"2x9x9x1xf32", "4x3x3x1xf32", "2x3x3x4xf32", {3, 3}, {0, 0, 0, 0}},
      {0, 0, 0}, 9);
  expectFolded(
      {"2x8x12x4xf32", "4x4x2x4xf32", "2x3x6x4xf32", {2, 2}, {0, 0, 0, 0}},
      {0, 0, 0});
  // A window that is no multiple.
  expectFolded(
      {"2x10x12x3xf32", "4x3x5x3xf32", "2x4x4x4xf32", {2, 2}, {0, 0, 0, 0}},
      {0, 1, 1});
  // Padding that is a multiple of the strides.
  expectFolded(
      {"2x6x6x2xf32", "4x3x3x2xf32", "2x4x4x4xf32", {2, 2}, {2, 2, 2, 2}},
      {1, 1, 1});
  // Of one dimension alone, and different ones.
  expectFolded(
      {"2x5x8x3xf32", "4x3x3x3xf32", "2x5x4x4xf32", {1, 2}, {1, 1, 1, 1}},
      {1, 1, 1});
  expectFolded(
      {"2x8x5x3xf32", "4x3x3x3xf32", "2x4x5x4xf32", {2, 1}, {1, 1, 1, 1}},
      {1, 1, 1});
  expectFolded(
      {"2x8x9x2xf32", "4x5x4x2xf32", "2x4x3x4xf32", {2, 3}, {1, 3, 2, 0}},
      {1, 1, 1});
  // Other padding on each side; more of it than a window has points.
  expectFolded(
      {"2x8x8x3xf32", "4x3x3x3xf32", "2x4x5x4xf32", {2, 2}, {1, 0, 2, 1}},
      {1, 1, 1});
  expectFolded(
      {"2x4x4x2xf32", "4x1x2x2xf32", "2x5x5x4xf32", {2, 2}, {3, 2, 3, 3}},
      {1, 1, 1});
  // Windows narrower than strides are apart.
  expectFolded(
      {"2x8x8x1xf32", "4x3x3x1xf32", "2x2x2x4xf32", {4, 4}, {0, 0, 1, 1}},
      {1, 1, 1});
  expectFolded(
      {"2x8x8x4xf32", "4x1x1x4xf32", "2x4x4x4xf32", {2, 2}, {0, 0, 0, 0}},
      {0, 1, 1});
}

TEST(ConvolutionForms, strides_stay_where_channels_are_many) {
  // 20 channels; five are no multiple of 4 yet.
  expectForms(
      {"2x8x8x5xf32", "4x3x3x5xf32", "2x4x4x4xf32", {2, 2}, {1, 1, 1, 1}},
      {1, 1, 1}, /*isFolded=*/false);
  // An odd extent.
  expectForms(
      {"2x9x8x4xf32", "4x3x3x4xf32", "2x5x4x4xf32", {2, 2}, {1, 1, 1, 1}},
      {0, 0, 0}, /*isFolded=*/false);
  // There are no strides.
  expectTheSame(
      convolution("conv2d", "2x5x6x4xf32", "4x3x3x4xf32", "2x5x6x4xf32", 1, 1),
      4, false, 0, 0, 16);
  // Nothing of them is said.
  expectTheSame(
      convolution("conv2d", "2x8x8x4xf32", "4x3x3x4xf32", "2x4x4x4xf32", 2, 1),
      4, false, 0, 0, 0);
}

/// A cast of what was moved and got zeros around.
static void expectFoldBelowCast(Value x) {
  EXPECT_EQ(cast<RankedTensorType>(x.getType()).getShape(),
            ArrayRef<int64_t>({2, 4, 4, 16}));
  auto whole = x.getDefiningOp<sg::ReshapeOp>();
  ASSERT_TRUE(whole);
  auto cast = whole.getOperand().getDefiningOp<sg::CastOp>();
  ASSERT_TRUE(cast);
  EXPECT_TRUE(cast.getOperand().getDefiningOp<sg::PadOp>());
}

TEST(ConvolutionForms, folds_stay_below_casts) {
  const std::string geometry =
      " {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, "
      "dilation = array<i64: 1, 1>, groups = 1 : i64} : ";
  Program program("func.func @f(%x: tensor<2x6x6x3xf32>, %w: "
                  "tensor<4x3x3x3xbf16>) -> (tensor<2x3x3x4xbf16>, "
                  "tensor<4x3x3x3xbf16>) {\n%c = sg.cast %x : "
                  "tensor<2x6x6x3xf32> to tensor<2x6x6x3xbf16>\n"
                  "%y = sg.conv2d %c, %w" +
                  geometry +
                  "(tensor<2x6x6x3xbf16>, tensor<4x3x3x3xbf16>) -> "
                  "tensor<2x3x3x4xbf16>\n"
                  "%g = sg.conv2d_filter_grad %c, %y" +
                  geometry +
                  "(tensor<2x6x6x3xbf16>, tensor<2x3x3x4xbf16>) -> "
                  "tensor<4x3x3x3xbf16>\nreturn %y, %g : "
                  "tensor<2x3x3x4xbf16>, tensor<4x3x3x3xbf16>\n}");
  ASSERT_TRUE(program.function);
  formConvolutions(program.function, 8, false, 16);
  unsigned seen = 0;
  program.function.walk([&](Operation *op) {
    if (!isa<sg::Conv2DOp, sg::Conv2DFilterGradOp>(op))
      return;
    ++seen;
    expectFoldBelowCast(op->getOperand(0));
  });
  EXPECT_EQ(seen, 2u);
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
