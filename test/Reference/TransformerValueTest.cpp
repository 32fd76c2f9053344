//===- TransformerValueTest.cpp - Known values of transformers' layers ----===//

#include "Support.h"
#include "reprise/Reference/Philox.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace reprise::reference;
using namespace reprise::reference::testing;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Of sg.`op` with attributes on a vector.
void expectUnary(std::string op, std::string attributes, ArrayRef<double> x,
                 ArrayRef<double> y, double tolerance) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf64>";
  Program p("func.func @f(%x: " + type + ") -> " + type + " {\n%y = sg." + op +
            " %x " + attributes + " : " + type + "\nreturn %y : " + type +
            "\n}");
  int64_t size = x.size();
  expectClose(p.run({p.reals({size}, x)})[0], p.reals({size}, y), tolerance);
}

TEST(Activations, GiveTheTabulatedValues) {
  // The normal distribution at 1 and -1 (Abramowitz and Stegun, table 26.1).
  expectUnary("gelu", "", {0.0, 1.0, -1.0, kNaN},
              {0.0, 0.841344746068543, -0.158655253931457, kNaN}, 1e-15);
  // PyTorch 1.13, float64, approximate="tanh".
  expectUnary("gelu", "{tanh}", {0.0, 1.0, -2.0},
              {0.0, 0.841191990608276, -0.045402305912225}, 1e-14);
  expectUnary("silu", "", {0.0, std::log(3.0)}, {0.0, 0.75 * std::log(3.0)},
              1e-15);
  expectUnary("hard_sigmoid", "", {-4.0, -3.0, 0.0, 1.5, 3.0, 9.0, kNaN},
              {0.0, 0.0, 0.5, 0.75, 1.0, 1.0, kNaN}, 1e-15);
  expectUnary("hard_swish", "", {-4.0, -3.0, -1.5, 1.5, 3.0, 9.0, kNaN},
              {0.0, 0.0, -0.375, 1.125, 3.0, 9.0, kNaN}, 1e-15);
}

TEST(LayerNorm, NormalizesEachRow) {
  Program p(R"(
    func.func @f(%x: tensor<2x4xf64>, %g: tensor<4xf64>, %b: tensor<4xf64>)
        -> (tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>) {
      %y, %mean, %rstd = sg.layer_norm %x, %g, %b {epsilon = 1.0 : f64}
        : (tensor<2x4xf64>, tensor<4xf64>, tensor<4xf64>)
        -> (tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>)
      return %y, %mean, %rstd : tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>
    })");
  // Variances 3 and 0: with epsilon 1, rstd is 1/2 and 1.
  double far = std::sqrt(3.0);
  SmallVector<Tensor> r =
      p.run({p.reals({2, 4}, {5 - far, 5 + far, 5 - far, 5 + far, 7, 7, 7, 7}),
             p.reals({4}, {1, 2, 3, 4}), p.reals({4}, {0, 10, 20, 30})});
  expectClose(r[1], p.reals({2}, {5, 7}), 1e-15);
  expectClose(r[2], p.reals({2}, {0.5, 1}), 1e-15);
  expectClose(r[0],
              p.reals({2, 4}, {-far / 2, 10 + far, 20 - 3 * far / 2,
                               30 + 2 * far, 0, 10, 20, 30}),
              1e-14);
}

// Two tokens, of one head of one number: q = (1, 2), k = (0, log 3), v = (4,
// 8). The scores are (0, log 3) and (0, 2 log 3), so the weights (1/4, 3/4) and
// (1/10, 9/10). With a bias of log 9 on (1, 0) the second row's are (1/2, 1/2).
TEST(Attention, MixesByTheSoftmaxOfScores) {
  Program p(R"(
    func.func @f(%x: tensor<1x2x3x1x1xf64>, %b: tensor<1x1x2x2xf64>)
        -> (tensor<1x2x1x1xf64>, tensor<1x1x2xf64>, tensor<1x2x1x1xf64>) {
      %y, %lse = sg.attention %x {scale = 1.0 : f64}
        : (tensor<1x2x3x1x1xf64>) -> (tensor<1x2x1x1xf64>, tensor<1x1x2xf64>)
      %z, %zlse = sg.attention %x, %b {scale = 1.0 : f64}
        : (tensor<1x2x3x1x1xf64>, tensor<1x1x2x2xf64>)
        -> (tensor<1x2x1x1xf64>, tensor<1x1x2xf64>)
      return %y, %lse, %z
        : tensor<1x2x1x1xf64>, tensor<1x1x2xf64>, tensor<1x2x1x1xf64>
    })");
  double log3 = std::log(3.0);
  SmallVector<Tensor> r =
      p.run({p.reals({1, 2, 3, 1, 1}, {1, 0, 4, 2, log3, 8}),
             p.reals({1, 1, 2, 2}, {0, 0, 2 * log3, 0})});
  expectClose(r[0], p.reals({1, 2, 1, 1}, {7, 7.6}), 1e-15);
  expectClose(r[1], p.reals({1, 1, 2}, {std::log(4.0), std::log(10.0)}), 1e-15);
  expectClose(r[2], p.reals({1, 2, 1, 1}, {7, 6}), 1e-15);
}

// What is kept is what sg.dropout keeps of a tensor of ones.
TEST(Attention, DropsAsDropoutDoes) {
  Program p(R"(
    func.func @f(%x: tensor<2x3x3x2x1xf64>, %ones: tensor<2x2x3x3xf64>,
                 %seed: tensor<i64>, %step: tensor<i64>)
        -> (tensor<2x3x2x1xf64>, tensor<2x2x3xf64>, tensor<2x2x3x3xf64>) {
      %y, %lse = sg.attention %x dropout(%seed, %step)
        {scale = 0.0 : f64, probability = 0.4 : f64, stream = 9 : i64}
        : (tensor<2x3x3x2x1xf64>, tensor<i64>, tensor<i64>)
        -> (tensor<2x3x2x1xf64>, tensor<2x2x3xf64>)
      %kept = sg.dropout %ones, %seed, %step
        {probability = 0.4 : f64, stream = 9 : i64}
        : (tensor<2x2x3x3xf64>, tensor<i64>, tensor<i64>)
        -> tensor<2x2x3x3xf64>
      return %y, %lse, %kept
        : tensor<2x3x2x1xf64>, tensor<2x2x3xf64>, tensor<2x2x3x3xf64>
    })");
  Tensor x = p.reals({2, 3, 3, 2, 1}, std::vector<double>(36, 1.0));
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t n = 0; n < 3; ++n)
      for (int64_t h = 0; h < 2; ++h)
        x.real(x.position({b, n, 2, h, 0})) = 1.0 + n + 10.0 * h;
  SmallVector<Tensor> r =
      p.run({x, p.reals({2, 2, 3, 3}, std::vector<double>(36, 1.0)),
             p.integers({}, {7}, 64), p.integers({}, {4}, 64)});
  int64_t dropped = 0;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t n = 0; n < 3; ++n) {
        double mixed = 0.0;
        for (int64_t m = 0; m < 3; ++m) {
          double kept = r[2].real(r[2].position({b, h, n, m}));
          dropped += kept == 0.0;
          mixed += kept / 3.0 * (1.0 + m + 10.0 * h);
        }
        EXPECT_NEAR(r[0].real(r[0].position({b, n, h, 0})), mixed, 1e-14);
        EXPECT_NEAR(r[1].real(r[1].position({b, h, n})), std::log(3.0), 1e-14);
      }
  EXPECT_GT(dropped, 5);
  EXPECT_LT(dropped, 25);
}

TEST(Roll, ShiftsCyclically) {
  Program p(R"(
    func.func @f(%x: tensor<2x4xf64>) -> tensor<2x4xf64> {
      %y = sg.roll %x by [1, -1] : tensor<2x4xf64>
      return %y : tensor<2x4xf64>
    })");
  Tensor y = p.run({p.reals({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})})[0];
  expectSame(y, p.reals({2, 4}, {6, 7, 8, 5, 2, 3, 4, 1}));
}

TEST(Gather, TakesRowsAndItsGradientAddsThem) {
  Program p(R"(
    func.func @f(%t: tensor<3x2xf64>, %i: tensor<5xi32>, %dy: tensor<5x2xf64>)
        -> (tensor<5x2xf64>, tensor<3x2xf64>) {
      %y = sg.gather %t, %i
        : (tensor<3x2xf64>, tensor<5xi32>) -> tensor<5x2xf64>
      %d = sg.gather_grad %i, %dy
        : (tensor<5xi32>, tensor<5x2xf64>) -> tensor<3x2xf64>
      return %y, %d : tensor<5x2xf64>, tensor<3x2xf64>
    })");
  SmallVector<Tensor> r = p.run(
      {p.reals({3, 2}, {1, 2, 3, 4, 5, 6}), p.integers({5}, {2, 0, -1, 3, 2}),
       p.reals({5, 2}, {1, 10, 2, 20, 4, 40, 8, 80, 16, 160})});
  expectSame(r[0], p.reals({5, 2}, {5, 6, 1, 2, 0, 0, 0, 0, 5, 6}));
  expectSame(r[1], p.reals({3, 2}, {2, 20, 0, 0, 17, 170}));
}

TEST(Dropout, OfSamplesDrawsOnceForEach) {
  Program p(R"(
    func.func @f(%x: tensor<64x3xf64>, %seed: tensor<i64>, %step: tensor<i64>)
        -> tensor<64x3xf64> {
      %y = sg.dropout %x, %seed, %step
          {probability = 2.5e-01 : f64, stream = 7 : i64, per_sample}
        : (tensor<64x3xf64>, tensor<i64>, tensor<i64>) -> tensor<64x3xf64>
      return %y : tensor<64x3xf64>
    })");
  Tensor x = Tensor::splat(
      cast<RankedTensorType>(p.function.getArgumentTypes()[0]), 3.0);
  Tensor y = p.run({x, p.integers({}, {42}, 64), p.integers({}, {3}, 64)})[0];
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t c = 0; c < 3; ++c)
      EXPECT_EQ(y.real({i, c}),
                uniformElement(42, 3, 7, i) >= 0.25 ? 4.0 : 0.0);
}

} // namespace
