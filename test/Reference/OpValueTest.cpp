//===- OpValueTest.cpp - Values worked out by hand ------------------------===//

#include "Support.h"
#include "reprise/Reference/Philox.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace reprise::reference;
using namespace reprise::reference::testing;

static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Expects an op on one vector of f64 to give another.
static void expectUnary(std::string op, ArrayRef<double> x,
                        ArrayRef<double> y) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf64>";
  Program p("func.func @f(%x: " + type + ") -> " + type + " {\n%y = sg." + op +
            " %x : " + type + "\nreturn %y : " + type + "\n}");
  int64_t size = x.size();
  expectClose(p.run({p.reals({size}, x)})[0], p.reals({size}, y), 1e-15);
}

TEST(Unary, GivesTheTabulatedValues) {
  double e = std::exp(1.0);
  expectUnary("neg", {1.5, -2.0}, {-1.5, 2.0});
  expectUnary("abs", {1.5, -2.0}, {1.5, 2.0});
  expectUnary("exp", {0.0, 1.0}, {1.0, e});
  expectUnary("log", {1.0, e}, {0.0, 1.0});
  expectUnary("sqrt", {4.0, 2.25}, {2.0, 1.5});
  expectUnary("rsqrt", {4.0, 0.25}, {0.5, 2.0});
  // Abramowitz and Stegun, tables 4.15 and 7.1.
  expectUnary("tanh", {0.0, 1.0}, {0.0, 0.761594155955764888});
  expectUnary("erf", {0.5, 1.0}, {0.520499877813046538, 0.842700792949714869});
  expectUnary("sigmoid", {0.0, std::log(3.0)}, {0.5, 0.75});
  expectUnary("relu", {-1.0, 2.0, kNaN}, {0.0, 2.0, kNaN});
}

TEST(Binary, ExtremaPropagateNaN) {
  Program p(R"(
    func.func @f(%x: tensor<4xf64>, %y: tensor<4xf64>)
        -> (tensor<4xf64>, tensor<4xf64>) {
      %a = sg.maximum %x, %y : tensor<4xf64>
      %b = sg.minimum %x, %y : tensor<4xf64>
      return %a, %b : tensor<4xf64>, tensor<4xf64>
    })");
  SmallVector<Tensor> results = p.run(
      {p.reals({4}, {1, kNaN, 3, -kInfinity}), p.reals({4}, {2, 0, kNaN, 0})});
  expectClose(results[0], p.reals({4}, {2, kNaN, kNaN, 0}), 0);
  expectClose(results[1], p.reals({4}, {1, kNaN, kNaN, -kInfinity}), 0);
}

TEST(Binary, IntegersWrapAround) {
  Program p(R"(
    func.func @f(%x: tensor<2xi8>, %y: tensor<2xi8>)
        -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) {
      %a = sg.add %x, %y : tensor<2xi8>
      %b = sg.sub %x, %y : tensor<2xi8>
      %c = sg.mul %x, %y : tensor<2xi8>
      return %a, %b, %c : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>
    })");
  SmallVector<Tensor> results =
      p.run({p.integers({2}, {127, -128}, 8), p.integers({2}, {2, 3}, 8)});
  EXPECT_EQ(results[0].getIntegers().vec(), (std::vector<int64_t>{-127, -125}));
  EXPECT_EQ(results[1].getIntegers().vec(), (std::vector<int64_t>{125, 125}));
  EXPECT_EQ(results[2].getIntegers().vec(), (std::vector<int64_t>{-2, -128}));
}

TEST(Compare, IsFalseOnNaNButForNotEqual) {
  for (auto [predicate, expected] :
       {std::pair("eq", std::vector<int64_t>{0, 1, 0, 0}),
        std::pair("ne", std::vector<int64_t>{1, 0, 1, 1}),
        std::pair("lt", std::vector<int64_t>{1, 0, 0, 0}),
        std::pair("le", std::vector<int64_t>{1, 1, 0, 0}),
        std::pair("gt", std::vector<int64_t>{0, 0, 1, 0}),
        std::pair("ge", std::vector<int64_t>{0, 1, 1, 0})}) {
    Program p(std::string(R"(
      func.func @f(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xi1> {
        %m = sg.compare )") +
              predicate + R"( %x, %y : tensor<4xf64> -> tensor<4xi1>
        return %m : tensor<4xi1>
      })");
    Tensor m =
        p.run({p.reals({4}, {1, 2, 3, kNaN}), p.reals({4}, {2, 2, 2, 2})})[0];
    EXPECT_EQ(m.getIntegers().vec(), expected) << predicate;
  }
}

TEST(Cast, TruncatesTowardsZeroAndTestsForZero) {
  Program p(R"(
    func.func @f(%x: tensor<4xf64>)
        -> (tensor<4xi8>, tensor<4xi1>, tensor<4xf64>) {
      %i = sg.cast %x : tensor<4xf64> to tensor<4xi8>
      %b = sg.cast %x : tensor<4xf64> to tensor<4xi1>
      %r = sg.cast %b : tensor<4xi1> to tensor<4xf64>
      return %i, %b, %r : tensor<4xi8>, tensor<4xi1>, tensor<4xf64>
    })");
  SmallVector<Tensor> results = p.run({p.reals({4}, {1.9, -1.9, 0.0, 0.5})});
  EXPECT_EQ(results[0].getIntegers().vec(),
            (std::vector<int64_t>{1, -1, 0, 0}));
  EXPECT_EQ(results[1].getIntegers().vec(), (std::vector<int64_t>{1, 1, 0, 1}));
  EXPECT_EQ(results[2].getReals().vec(), (std::vector<double>{1, 1, 0, 1}));
}

TEST(Cast, RoundsToBf16WhenResultsAreStored) {
  Program p(R"(
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %b = sg.cast %x : tensor<2xf32> to tensor<2xbf16>
      %y = sg.cast %b : tensor<2xbf16> to tensor<2xf32>
      return %y : tensor<2xf32>
    })");
  Tensor x(cast<RankedTensorType>(p.function.getArgumentTypes()[0]));
  x.real(0) = 257.0;
  x.real(1) = 1.0;
  EvaluationOptions options;
  options.precision = Precision::Stored;
  EXPECT_EQ(p.run({x}, options)[0].getReals().vec(),
            (std::vector<double>{256.0, 1.0}));
  EXPECT_EQ(p.run({x})[0].getReals().vec(), (std::vector<double>{257.0, 1.0}));
}

TEST(Shape, OpsMoveEachElement) {
  Program p(R"(
    func.func @f(%x: tensor<2x3xf64>)
        -> (tensor<3x2xf64>, tensor<2x2xf64>, tensor<4x4xf64>, tensor<3x3xf64>,
            tensor<2x3xi32>, tensor<2x2x3xf64>) {
      %t = sg.transpose %x perm [1, 0] : tensor<2x3xf64> -> tensor<3x2xf64>
      %s = sg.slice %x [0, 0] to [2, 3] by [1, 2]
        : tensor<2x3xf64> -> tensor<2x2xf64>
      %p = sg.pad %x low [0, 1] high [1, 0] interior [1, 0] value 9.0
        : tensor<2x3xf64> -> tensor<4x4xf64>
      %r = sg.slice %x [1, 0] to [2, 3] by [1, 1]
        : tensor<2x3xf64> -> tensor<1x3xf64>
      %c = sg.concat %r, %x dim 0
        : (tensor<1x3xf64>, tensor<2x3xf64>) -> tensor<3x3xf64>
      %i = sg.iota 1 : tensor<2x3xi32>
      %b = sg.broadcast %r dims [1, 2] : tensor<1x3xf64> -> tensor<2x2x3xf64>
      return %t, %s, %p, %c, %i, %b
        : tensor<3x2xf64>, tensor<2x2xf64>, tensor<4x4xf64>, tensor<3x3xf64>,
          tensor<2x3xi32>, tensor<2x2x3xf64>
    })");
  SmallVector<Tensor> r = p.run({p.reals({2, 3}, {1, 2, 3, 4, 5, 6})});
  using Reals = std::vector<double>;
  EXPECT_EQ(r[0].getReals().vec(), (Reals{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(r[1].getReals().vec(), (Reals{1, 3, 4, 6}));
  EXPECT_EQ(r[2].getReals().vec(),
            (Reals{9, 1, 2, 3, 9, 9, 9, 9, 9, 4, 5, 6, 9, 9, 9, 9}));
  EXPECT_EQ(r[3].getReals().vec(), (Reals{4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(r[4].getIntegers().vec(), (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(r[5].getReals().vec(), (Reals{4, 5, 6, 4, 5, 6, 4, 5, 6, 4, 5, 6}));
}

TEST(Reductions, SumAndTakeTheMaximum) {
  Program p(R"(
    func.func @f(%x: tensor<2x3xf64>)
        -> (tensor<3xf64>, tensor<2xf64>, tensor<3xf64>) {
      %s = sg.reduce_sum %x dims [0] : tensor<2x3xf64> -> tensor<3xf64>
      %t = sg.reduce_sum %x dims [1] : tensor<2x3xf64> -> tensor<2xf64>
      %m = sg.reduce_max %x dims [0] : tensor<2x3xf64> -> tensor<3xf64>
      return %s, %t, %m : tensor<3xf64>, tensor<2xf64>, tensor<3xf64>
    })");
  SmallVector<Tensor> r = p.run({p.reals({2, 3}, {1, -2, kNaN, 4, -5, 6})});
  expectClose(r[0], p.reals({3}, {5, -7, kNaN}), 0);
  expectClose(r[1], p.reals({2}, {kNaN, 5}), 0);
  expectClose(r[2], p.reals({3}, {4, -2, kNaN}), 0);
}

TEST(MatMul, MultipliesWithTransposedOperands) {
  Program p(R"(
    func.func @f(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>)
        -> (tensor<2x2xf64>, tensor<3x3xf64>) {
      %c = sg.matmul %a, %b {transpose_b}
        : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x2xf64>
      %d = sg.matmul %a, %b {transpose_a}
        : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<3x3xf64>
      return %c, %d : tensor<2x2xf64>, tensor<3x3xf64>
    })");
  SmallVector<Tensor> r = p.run({p.reals({2, 3}, {1, 2, 3, 4, 5, 6}),
                                 p.reals({2, 3}, {1, 0, 2, 0, 1, 3})});
  EXPECT_EQ(r[0].getReals().vec(), (std::vector<double>{7, 11, 16, 23}));
  EXPECT_EQ(r[1].getReals().vec(),
            (std::vector<double>{1, 4, 14, 2, 5, 19, 3, 6, 24}));
}

TEST(Conv2D, CorrelatesWithoutFlippingTheFilter) {
  Program p(R"(
    func.func @f(%x: tensor<1x2x3x1xf64>, %w: tensor<1x2x2x1xf64>)
        -> tensor<1x2x2x1xf64> {
      %y = sg.conv2d %x, %w {strides = array<i64: 1, 2>,
          padding = array<i64: 1, 0, 0, 1>, dilation = array<i64: 1, 1>,
          groups = 1 : i64}
        : (tensor<1x2x3x1xf64>, tensor<1x2x2x1xf64>) -> tensor<1x2x2x1xf64>
      return %y : tensor<1x2x2x1xf64>
    })");
  Tensor y = p.run({p.reals({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}),
                    p.reals({1, 2, 2, 1}, {1, 10, 100, 1000})})[0];
  EXPECT_EQ(y.getReals().vec(), (std::vector<double>{2100, 300, 5421, 603}));
}

TEST(Conv2D, GroupsSeeTheirOwnChannels) {
  Program p(R"(
    func.func @f(%x: tensor<1x1x1x4xf64>, %w: tensor<2x1x1x2xf64>)
        -> tensor<1x1x1x2xf64> {
      %y = sg.conv2d %x, %w {strides = array<i64: 1, 1>,
          padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
          groups = 2 : i64}
        : (tensor<1x1x1x4xf64>, tensor<2x1x1x2xf64>) -> tensor<1x1x1x2xf64>
      return %y : tensor<1x1x1x2xf64>
    })");
  Tensor y = p.run({p.reals({1, 1, 1, 4}, {1, 2, 3, 4}),
                    p.reals({2, 1, 1, 2}, {1, 10, 100, 1000})})[0];
  EXPECT_EQ(y.getReals().vec(), (std::vector<double>{21, 4300}));
}

TEST(Pools, PaddingIsBelowAllOrNotCounted) {
  Program p(R"(
    func.func @f(%x: tensor<1x1x3x1xf64>)
        -> (tensor<1x1x3x1xf64>, tensor<1x1x3x1xf64>, tensor<1x1x3x1xf64>) {
      %m = sg.max_pool2d %x {window = array<i64: 1, 2>,
          strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 0>}
        : (tensor<1x1x3x1xf64>) -> tensor<1x1x3x1xf64>
      %a = sg.avg_pool2d %x {window = array<i64: 1, 2>,
          strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 0>}
        : (tensor<1x1x3x1xf64>) -> tensor<1x1x3x1xf64>
      %b = sg.avg_pool2d %x {count_include_pad, window = array<i64: 1, 2>,
          strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 0>}
        : (tensor<1x1x3x1xf64>) -> tensor<1x1x3x1xf64>
      return %m, %a, %b : tensor<1x1x3x1xf64>, tensor<1x1x3x1xf64>,
        tensor<1x1x3x1xf64>
    })");
  SmallVector<Tensor> r = p.run({p.reals({1, 1, 3, 1}, {-4, -2, -6})});
  EXPECT_EQ(r[0].getReals().vec(), (std::vector<double>{-4, -2, -2}));
  EXPECT_EQ(r[1].getReals().vec(), (std::vector<double>{-4, -3, -4}));
  EXPECT_EQ(r[2].getReals().vec(), (std::vector<double>{-2, -3, -4}));
}

TEST(Pools, MaxGradientGoesToTheFirstMaximum) {
  Program p(R"(
    func.func @f(%x: tensor<1x1x4x1xf64>, %dy: tensor<1x1x3x1xf64>)
        -> tensor<1x1x4x1xf64> {
      %dx = sg.max_pool2d_grad %x, %dy {window = array<i64: 1, 2>,
          strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>}
        : (tensor<1x1x4x1xf64>, tensor<1x1x3x1xf64>) -> tensor<1x1x4x1xf64>
      return %dx : tensor<1x1x4x1xf64>
    })");
  Tensor dx = p.run({p.reals({1, 1, 4, 1}, {1, 5, 5, 2}),
                     p.reals({1, 1, 3, 1}, {1, 10, 100})})[0];
  EXPECT_EQ(dx.getReals().vec(), (std::vector<double>{0, 11, 100, 0}));
}

/// The program above as steps run it, by positions.
static mlir::SmallVector<Tensor> runByPositions(const std::vector<double> &x,
                                                const std::vector<double> &dy) {
  Program p(R"(
    func.func @f(%x: tensor<1x1x4x1xf64>, %dy: tensor<1x1x4x1xf64>)
        -> (tensor<1x1x4x1xi8>, tensor<1x1x4x1xf64>) {
      %at = sg.max_pool2d_argmax %x {window = array<i64: 1, 3>,
          strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 2, 0>}
        : (tensor<1x1x4x1xf64>) -> tensor<1x1x4x1xi8>
      %dx = sg.max_pool2d_scatter %at, %dy {window = array<i64: 1, 3>,
          strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 2, 0>}
        : (tensor<1x1x4x1xi8>, tensor<1x1x4x1xf64>) -> tensor<1x1x4x1xf64>
      return %at, %dx : tensor<1x1x4x1xi8>, tensor<1x1x4x1xf64>
    })");
  return p.run({p.reals({1, 1, 4, 1}, x), p.reals({1, 1, 4, 1}, dy)});
}

// Windows end at each element: [x0], [x0 x1], [x0 x1 x2], [x1 x2 x3].
TEST(Pools, PositionsAreThoseOfFirstMaxima) {
  auto expect = [](const std::vector<double> &x, std::vector<int64_t> at,
                   std::vector<double> dx) {
    mlir::SmallVector<Tensor> r = runByPositions(x, {1, 10, 100, 1000});
    EXPECT_EQ(r[0].getIntegers().vec(), at);
    EXPECT_EQ(r[1].getReals().vec(), dx);
  };
  double nan = std::nan(""), low = -std::numeric_limits<double>::infinity();
  expect({1, 5, 5, 2}, {2, 2, 1, 0}, {1, 1110, 0, 0});
  expect({1, nan, nan, 9}, {2, 2, 1, 0}, {1, 1110, 0, 0});
  expect({low, low, low, low}, {2, 1, 0, 0}, {111, 1000, 0, 0});
  expect({4, 3, 2, 1}, {2, 1, 0, 0}, {111, 1000, 0, 0});
}

TEST(Softmax, OfLogarithmsAreProportions) {
  expectUnary("softmax", {0.0, std::log(2.0), std::log(3.0)},
              {1.0 / 6, 2.0 / 6, 3.0 / 6});
  expectUnary("softmax", {1000.0, 1000.0}, {0.5, 0.5});
}

TEST(CrossEntropy, IsTheNegativeLogProbabilityOfTheLabel) {
  Program p(R"(
    func.func @f(%x: tensor<3x2xf64>, %t: tensor<3xi32>)
        -> (tensor<3xf64>, tensor<3xf64>, tensor<3x2xf64>) {
      %losses, %lse = sg.cross_entropy %x, %t
        : (tensor<3x2xf64>, tensor<3xi32>) -> (tensor<3xf64>, tensor<3xf64>)
      %d = sg.constant dense<2.0> : tensor<3xf64>
      %dx = sg.cross_entropy_grad %x, %t, %lse, %d
        : (tensor<3x2xf64>, tensor<3xi32>, tensor<3xf64>, tensor<3xf64>)
        -> tensor<3x2xf64>
      return %losses, %lse, %dx
        : tensor<3xf64>, tensor<3xf64>, tensor<3x2xf64>
    })");
  double ln3 = std::log(3.0), ln4 = std::log(4.0);
  SmallVector<Tensor> r = p.run({p.reals({3, 2}, {0, ln3, 1000, 1000, 0, ln3}),
                                 p.integers({3}, {1, 0, -1})});
  // The log-sum-exp of 1000 and 1000 is rounded to a multiple of 1e-13.
  expectClose(r[0], p.reals({3}, {ln4 - ln3, std::log(2.0), ln4}), 1e-12);
  expectClose(r[1], p.reals({3}, {ln4, 1000 + std::log(2.0), ln4}), 1e-15);
  expectClose(r[2], p.reals({3, 2}, {0.5, -0.5, -1, 1, 0.5, 1.5}), 1e-12);
}

TEST(AuxiliaryLoss, IsWeighted) {
  Program p(R"(
    func.func @f(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
      %z = sg.auxiliary_loss %x, %y weight 0.25 : tensor<f64>
      return %z : tensor<f64>
    })");
  SmallVector<Tensor> r = p.run({p.reals({}, {2}), p.reals({}, {-3})});
  expectClose(r[0], p.reals({}, {1.25}), 1e-15);
}

TEST(Dropout, DropsWhereTheNumberIsBelowAndScalesTheRest) {
  Program p(R"(
    func.func @f(%x: tensor<64xf64>, %seed: tensor<i64>, %step: tensor<i64>)
        -> tensor<64xf64> {
      %y = sg.dropout %x, %seed, %step
          {probability = 2.5e-01 : f64, stream = 7 : i64}
        : (tensor<64xf64>, tensor<i64>, tensor<i64>) -> tensor<64xf64>
      return %y : tensor<64xf64>
    })");
  Tensor x = Tensor::splat(
      cast<RankedTensorType>(p.function.getArgumentTypes()[0]), 3.0);
  Tensor y = p.run({x, p.integers({}, {42}, 64), p.integers({}, {3}, 64)})[0];
  int kept = 0;
  for (int64_t i = 0; i < 64; ++i) {
    bool isKept = uniformElement(42, 3, 7, i) >= 0.25;
    EXPECT_EQ(y.real(i), isKept ? 4.0 : 0.0);
    kept += isKept;
  }
  EXPECT_GT(kept, 32);
  EXPECT_LT(kept, 64);
}
