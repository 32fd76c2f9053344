//===- ClippingTest.cpp - What gradients are clipped to -------------------===//
//
// The modes and norms of clipping beside an independent computation, whatever
// the step is made of; averages are part of states.
//
//===----------------------------------------------------------------------===//

#include "DeclaredPrograms.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

struct Case {
  ClipMode mode;
  NormType normType;
  std::vector<double> weights; // after six steps
  double average, norm;        // after the last step, and of it
};

// torch 1.13.1, float64: SGD(lr=0.125, momentum=0.9) on the matrix and the
// vector with the gradients of gradientAt, clip_grad_norm_ in front of the step
// to 1.5, or to 0.75 times the mean, or the moving average (momentum 0.6,
// beginning with the first), of the norms of the steps before.
const Case kCases[] = {{ClipMode::PreDefined,
                        NormType::One,
                        {-0.349654126955, -0.179403715785, 0.249614796109, 2},
                        0,
                        6.502},
                       {ClipMode::PreDefined,
                        NormType::Two,
                        {-0.993789113844, -0.0700040391045, 0.24974839808, 2},
                        0,
                        4.25734682637},
                       {ClipMode::PreDefined,
                        NormType::Infinity,
                        {-1.50142348606, -0.00336918536191, 0.249670376446, 2},
                        0,
                        3},
                       {ClipMode::Average,
                        NormType::One,
                        {-0.476633319719, -0.177659917505, 0.249554963817, 2},
                        4.002,
                        6.502},
                       {ClipMode::Average,
                        NormType::Two,
                        {-0.385098649188, -0.192110565792, 0.249541394041, 2},
                        2.50997412395,
                        4.25734682637},
                       {ClipMode::Average,
                        NormType::Infinity,
                        {-0.343955008871, -0.199542994173, 0.249529899559, 2},
                        1.75,
                        3},
                       {ClipMode::MovingAverage,
                        NormType::One,
                        {-0.523598784341, -0.174271754057, 0.249565950427, 2},
                        5.11864,
                        6.502},
                       {ClipMode::MovingAverage,
                        NormType::Two,
                        {-0.435220084744, -0.18850381405, 0.249553299816, 2},
                        3.28901644,
                        4.25734682637},
                       {ClipMode::MovingAverage,
                        NormType::Infinity,
                        {-0.394322182184, -0.195996432258, 0.249542494552, 2},
                        2.30832,
                        3}};

CompileOptions optionsOf(const Case &one) {
  CompileOptions options;
  options.evaluation = false;
  options.clipping.mode = one.mode;
  options.clipping.normType = one.normType;
  if (options.clipping.isAverage())
    options.clipping.tolerance = 0.75;
  else
    options.clipping.norm = 1.5;
  options.clipping.momentum = 0.6;
  return options;
}

class ClippedPrograms : public DeclaredPrograms {
protected:
  /// Trains steps that the file of rows is long enough for.
  rt::TrainResult trainOnRows(uint64_t steps);
  double average() {
    double value = NAN;
    EXPECT_TRUE(backend->readVariable("gradient_norm.average", &value, 8).ok());
    return value;
  }
  int64_t count() {
    int64_t value = -1;
    EXPECT_TRUE(backend->readVariable("gradient_norm.count", &value, 8).ok());
    return value;
  }
  void expectAgrees(const Case &one, const rt::TrainResult &result);
};

} // namespace

rt::TrainResult ClippedPrograms::trainOnRows(uint64_t steps) {
  rt::TrainOptions run;
  run.data.keepsOrder = true;
  run.data.source = folder + "/rows.safetensors";
  run.steps = steps;
  run.learningRate.base = 0.125;
  auto result = rt::train(*backend, run);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *result : rt::TrainResult();
}

/// A few roundings of f32 a step.
void ClippedPrograms::expectAgrees(const Case &one,
                                   const rt::TrainResult &result) {
  for (const char *name : {"m", "v"}) {
    std::vector<float> got = read(name);
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(got[i], one.weights[i], 1.2e-6) << name << " " << i;
  }
  EXPECT_NEAR(result.metrics.at("gradient_norm"), one.norm, 1e-6 * one.norm);
  if (one.average == 0)
    return;
  EXPECT_NEAR(average(), one.average, 1e-6 * one.average);
  EXPECT_EQ(count(), 6);
}

TEST_F(ClippedPrograms, ModesAndNormsAgreeWithPyTorch) {
  writeRows(6);
  for (const Case &one : kCases) {
    SCOPED_TRACE(std::string(termName(one.mode)) + " " +
                 termName(one.normType));
    open(kMatrixAndVector, optionsOf(one));
    ASSERT_TRUE(backend);
    expectAgrees(one, trainOnRows(6));
    close();
  }
}

TEST_F(ClippedPrograms, NormsAreOfTheMeanOfMicroBatches) {
  // Two rows whose mean is the gradient of the step.
  std::vector<std::vector<double>> rows;
  for (int t = 0; t < 6; ++t) {
    std::vector<double> less = gradientAt(t), more = less;
    for (size_t i = 0; i < 4; ++i) {
      less[i] -= 0.5;
      more[i] += 0.5;
    }
    rows.insert(rows.end(), {less, more});
  }
  writeRows(rows);
  for (const Case &one : kCases) {
    SCOPED_TRACE(std::string(termName(one.mode)) + " " +
                 termName(one.normType));
    CompileOptions options = optionsOf(one);
    options.microBatches = 2;
    open(kMatrixAndVector, options);
    ASSERT_TRUE(backend);
    expectAgrees(one, trainOnRows(6));
    close();
  }
}

TEST_F(ClippedPrograms, NormsAreOfGradientsThatAreNotScaled) {
  std::vector<std::vector<double>> rows;
  for (int t = 0; t < 6; ++t)
    rows.insert(rows.end(), 2, gradientAt(t));
  writeRows(rows);
  for (const Case &one : kCases) {
    SCOPED_TRACE(std::string(termName(one.mode)) + " " +
                 termName(one.normType));
    CompileOptions options = optionsOf(one);
    options.amp =
        MixedPrecision::F16; // scales the loss; no op of the model is narrow
    options.microBatches = 2;
    open(kMatrixAndVector, options);
    ASSERT_TRUE(backend);
    expectAgrees(one, trainOnRows(6));
    close();
  }
}

TEST_F(ClippedPrograms, ANormThatIsNotFiniteIsNotInTheAverage) {
  // The square of the third row's norm is more than f32 holds; the scale is 0
  // then, and momentum alone moves the weights.
  std::vector<std::vector<double>> rows = {
      {3, 0, 0, 0}, {0, 4, 0, 0}, {1e30, 0, 0, 0}, {0, 0, 5, 0}};
  writeRows(rows);
  const double root = std::sqrt(2.0); // of two equal gradients
  for (bool moves : {false, true}) {
    CompileOptions options;
    options.evaluation = false;
    options.optimizer.values["momentum"] = 0;
    options.clipping.mode = moves ? ClipMode::MovingAverage : ClipMode::Average;
    options.clipping.momentum = 0.5;
    open(kMatrixAndVector, options);
    ASSERT_TRUE(backend);
    trainOnRows(3);
    EXPECT_NEAR(average(), 3.5 * root, 1e-6);
    EXPECT_EQ(count(), 2);
    std::vector<float> before = read("m");
    trainOnRows(4); // begins again, from the variables as they are
    close();

    open(kMatrixAndVector, options);
    ASSERT_TRUE(backend);
    trainOnRows(4);
    EXPECT_NEAR(average(), (moves ? 4.25 : 4.0) * root, 1e-6);
    EXPECT_EQ(count(), 3);
    // The first step clips nothing, the second to 3, the last to 3.5.
    std::vector<float> after = read("m");
    EXPECT_NEAR(before[0], 1 - 0.125 * 3, 1e-6);
    EXPECT_NEAR(before[1], -0.5 - 0.125 * 3, 1e-6);
    EXPECT_NEAR(after[2], 0.25 - 0.125 * 3.5, 1e-6);
    close();
  }
}

TEST_F(ClippedPrograms, AStepThatLossScalingSkipsIsNotInTheAverage) {
  // 65536 times the second row's is more than f32 holds.
  writeRows({{3, 0, 0, 0}, {1e34, 0, 0, 0}, {0, 4, 0, 0}});
  for (NormType type : {NormType::One, NormType::Two, NormType::Infinity}) {
    SCOPED_TRACE(termName(type));
    CompileOptions options;
    options.evaluation = false;
    options.amp = MixedPrecision::F16;
    options.optimizer.values["momentum"] = 0;
    options.clipping.mode = ClipMode::Average;
    options.clipping.normType = type;
    open(kMatrixAndVector, options);
    ASSERT_TRUE(backend);
    rt::TrainResult result = trainOnRows(3);
    EXPECT_EQ(result.metrics.at("loss_scale"), 32768);
    double times = type == NormType::One   ? 2
                   : type == NormType::Two ? std::sqrt(2.0)
                                           : 1;
    EXPECT_NEAR(average(), 3.5 * times, 1e-6);
    EXPECT_EQ(count(), 2);
    EXPECT_NEAR(read("m")[1], -0.5 - 0.125 * 3, 1e-6);
    close();
  }
}

TEST_F(ClippedPrograms, AStateGoesOnWithTheAverage) {
  for (const Case &one : kCases) {
    SCOPED_TRACE(std::string(termName(one.mode)) + " " +
                 termName(one.normType));
    open(kMatrixAndVector, optionsOf(one));
    ASSERT_TRUE(backend);
    writeRows(8);
    rt::TrainOptions run;
    run.data.keepsOrder = true;
    run.data.source = folder + "/rows.safetensors";
    run.steps = 8;
    run.savePath = folder + "/state.safetensors";
    ASSERT_TRUE(rt::train(*backend, run).ok());
    std::vector<float> whole = read("m");
    double wholeAverage = one.average == 0 ? 0 : average();
    // Of another run nothing is left but the state.
    ASSERT_TRUE(backend->initialize(0).ok());
    run.steps = 3;
    ASSERT_TRUE(rt::train(*backend, run).ok());
    ASSERT_TRUE(backend->initialize(9).ok());
    run.resumePath = run.savePath;
    run.steps = 8;
    auto result = rt::train(*backend, run);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->steps, 5u);
    EXPECT_EQ(read("m"), whole);
    EXPECT_EQ(one.average == 0 ? 0 : average(), wholeAverage);
    close();
  }
}
