//===- BatchNormTest.cpp - The model-level op and its running statistics --===//

#include "Support.h"
#include <cmath>

using namespace mlir;
using namespace reprise::reference;
using namespace reprise::reference::testing;

static const char *const kModel = R"(
    sg.variable @m : tensor<1xf64> {role = #sg.role<running_statistics>,
                                    init = #sg.init<zeros>}
    sg.variable @v : tensor<1xf64> {role = #sg.role<running_statistics>,
                                    init = #sg.init<ones>}
    func.func @f(%x: tensor<4x1xf64>, %g: tensor<1xf64>, %b: tensor<1xf64>)
        -> tensor<4x1xf64> {
      %y = sg.batch_norm %x, %g, %b
          {epsilon = 7.5e-01 : f64, momentum = 2.5e-01 : f64,
           running_mean = @m, running_variance = @v}
        : (tensor<4x1xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<4x1xf64>
      return %y : tensor<4x1xf64>
    })";

// 1, 2, 3, 4 have mean 2.5, variance 1.25 and, unbiased, 5/3; with epsilon .75
// the deviation is sqrt(2).
TEST(BatchNorm, TrainsOnTheBatchAndUpdatesTheRunningStatistics) {
  Program p(kModel);
  VariableStore variables = {{"m", p.reals({1}, {10.0})},
                             {"v", p.reals({1}, {3.0})}};
  Tensor y = p.run(
      {p.reals({4, 1}, {1, 2, 3, 4}), p.reals({1}, {2.0}), p.reals({1}, {5.0})},
      variables)[0];
  double r = std::sqrt(2.0);
  expectClose(
      y, p.reals({4, 1}, {5 - 1.5 * r, 5 - .5 * r, 5 + .5 * r, 5 + 1.5 * r}),
      1e-15);
  EXPECT_DOUBLE_EQ(variables.at("m").real(0), 0.75 * 10.0 + 0.25 * 2.5);
  EXPECT_DOUBLE_EQ(variables.at("v").real(0), 0.75 * 3.0 + 0.25 * 5.0 / 3.0);
}

TEST(BatchNorm, InfersFromTheRunningStatisticsAndKeepsThem) {
  Program p(kModel);
  VariableStore variables = {{"m", p.reals({1}, {2.0})},
                             {"v", p.reals({1}, {3.25})}};
  EvaluationOptions options;
  options.mode = Mode::Inference;
  Tensor y = p.run(
      {p.reals({4, 1}, {1, 2, 3, 4}), p.reals({1}, {2.0}), p.reals({1}, {5.0})},
      variables, options)[0];
  expectClose(y, p.reals({4, 1}, {4, 5, 6, 7}), 1e-15);
  EXPECT_EQ(variables.at("m").real(0), 2.0);
  EXPECT_EQ(variables.at("v").real(0), 3.25);
}

TEST(BatchNorm, TrainingGivesMeanBiasedVarianceAndReciprocalDeviation) {
  Program p(R"(
    func.func @f(%x: tensor<4x1xf64>, %g: tensor<1xf64>, %b: tensor<1xf64>)
        -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) {
      %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %g, %b
          {epsilon = 7.5e-01 : f64}
        : (tensor<4x1xf64>, tensor<1xf64>, tensor<1xf64>)
        -> (tensor<4x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
      return %mean, %variance, %rstd
        : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
    })");
  SmallVector<Tensor> results =
      p.run({p.reals({4, 1}, {1, 2, 3, 4}), p.reals({1}, {2.0}),
             p.reals({1}, {5.0})});
  EXPECT_DOUBLE_EQ(results[0].real(0), 2.5);
  EXPECT_DOUBLE_EQ(results[1].real(0), 1.25);
  EXPECT_DOUBLE_EQ(results[2].real(0), std::sqrt(0.5));
}
