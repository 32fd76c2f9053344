//===- NormalizationModels.cpp - Batch normalization ----------------------===//
//
// Channels are the last dimension, so that element i of x has channel i % C.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

namespace {
struct Statistics {
  Tensor mean, variance;
};
} // namespace

static int64_t channels(const Tensor &x) { return x.getShape().back(); }

/// The number of elements per channel.
static double elementsPerChannel(const Tensor &x) {
  return x.size() / channels(x);
}

/// Mean and biased variance of each channel of x, as tensors of type `type`.
static Statistics statisticsOf(const Tensor &x, RankedTensorType type) {
  Statistics s = {Tensor(type), Tensor(type)};
  int64_t c = channels(x);
  double count = elementsPerChannel(x);
  for (int64_t i = 0; i < x.size(); ++i)
    s.mean.real(i % c) += x.real(i) / count;
  for (int64_t i = 0; i < x.size(); ++i) {
    double distance = x.real(i) - s.mean.real(i % c);
    s.variance.real(i % c) += distance * distance / count;
  }
  return s;
}

static void normalizeBy(const Tensor &x, const Tensor &mean, const Tensor &rstd,
                        const Tensor &gamma, const Tensor &beta, Tensor &y) {
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t c = i % channels(x);
    y.real(i) = (x.real(i) - mean.real(c)) * rstd.real(c) * gamma.real(c) +
                beta.real(c);
  }
}

/// 1 / sqrt(variance + epsilon), rounded to its stored type.
static Tensor rstdOf(const Tensor &variance, double epsilon, Frame &frame) {
  Tensor rstd(variance.getType());
  for (int64_t c = 0; c < variance.size(); ++c)
    rstd.real(c) = frame.stored(variance.getElementType(),
                                1.0 / std::sqrt(variance.real(c) + epsilon));
  return rstd;
}

static void batchNormTraining(sg::BatchNormTrainingOp op, Frame &frame,
                              Operands operands, Results results) {
  const Tensor &x = operands[0], &gamma = operands[1], &beta = operands[2];
  Statistics s = statisticsOf(x, gamma.getType());
  // Other ops normalize by the stored statistics, to the same bits.
  for (int64_t c = 0; c < channels(x); ++c)
    s.mean.real(c) = frame.stored(gamma.getElementType(), s.mean.real(c));
  Tensor rstd = rstdOf(s.variance, op.getEpsilon().convertToDouble(), frame);
  normalizeBy(x, s.mean, rstd, gamma, beta, results[0]);
  results[1] = s.mean;
  results[2] = s.variance;
  results[3] = rstd;
}

static void normalize(sg::NormalizeOp op, Frame &, Operands operands,
                      Results results) {
  normalizeBy(operands[0], operands[1], operands[2], operands[3], operands[4],
              results[0]);
}

static void batchNormInference(sg::BatchNormInferenceOp op, Frame &frame,
                               Operands operands, Results results) {
  const Tensor &x = operands[0], &gamma = operands[1], &beta = operands[2],
               &mean = operands[3], &variance = operands[4];
  Tensor rstd = rstdOf(variance, op.getEpsilon().convertToDouble(), frame);
  normalizeBy(x, mean, rstd, gamma, beta, results[0]);
}

/// running = (1 - momentum) * running + momentum * statistic.
static LogicalResult updateRunning(sg::BatchNormOp op, Frame &frame,
                                   StringRef variable,
                                   const Tensor &statistic) {
  const Tensor *before = frame.read(op, variable, statistic.getType());
  if (!before)
    return failure();
  double momentum = op.getMomentum().convertToDouble();
  Tensor after = *before;
  for (int64_t c = 0; c < after.size(); ++c)
    after.real(c) = frame.stored(after.getElementType(),
                                 (1.0 - momentum) * before->real(c) +
                                     momentum * statistic.real(c));
  return frame.write(op, variable, after);
}

static LogicalResult batchNorm(sg::BatchNormOp op, Frame &frame,
                               Operands operands, Results results) {
  const Tensor &x = operands[0], &gamma = operands[1], &beta = operands[2];
  double epsilon = op.getEpsilon().convertToDouble();
  if (frame.getMode() == Mode::Inference) {
    const Tensor *mean =
        frame.read(op, op.getRunningMean(), op.getGamma().getType());
    const Tensor *variance =
        frame.read(op, op.getRunningVariance(), op.getGamma().getType());
    if (!mean || !variance)
      return failure();
    normalizeBy(x, *mean, rstdOf(*variance, epsilon, frame), gamma, beta,
                results[0]);
    return success();
  }
  Statistics s = statisticsOf(x, gamma.getType());
  normalizeBy(x, s.mean, rstdOf(s.variance, epsilon, frame), gamma, beta,
              results[0]);
  // The running variance is unbiased; that of one element is unchanged.
  double count = elementsPerChannel(x);
  for (int64_t c = 0; c < channels(x); ++c)
    s.variance.real(c) *= count / std::max(count - 1.0, 1.0);
  if (failed(updateRunning(op, frame, op.getRunningMean(), s.mean)))
    return failure();
  return updateRunning(op, frame, op.getRunningVariance(), s.variance);
}

static void batchNormGrad(sg::BatchNormGradOp op, Frame &, Operands operands,
                          Results results) {
  const Tensor &x = operands[0], &gamma = operands[1], &mean = operands[2],
               &rstd = operands[3], &dy = operands[4];
  Tensor &dx = results[0], &dgamma = results[1], &dbeta = results[2];
  auto xhat = [&](int64_t i) {
    int64_t c = i % channels(x);
    return (x.real(i) - mean.real(c)) * rstd.real(c);
  };
  for (int64_t i = 0; i < x.size(); ++i) {
    dgamma.real(i % channels(x)) += dy.real(i) * xhat(i);
    dbeta.real(i % channels(x)) += dy.real(i);
  }
  double count = elementsPerChannel(x);
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t c = i % channels(x);
    dx.real(i) =
        gamma.real(c) * rstd.real(c) *
        (dy.real(i) - dbeta.real(c) / count - xhat(i) * dgamma.real(c) / count);
  }
}

static void runningAverage(sg::RunningAverageOp op, Frame &frame,
                           Operands operands, Results results) {
  const Tensor &initial = operands[0], &rows = operands[1];
  Type element = initial.getElementType();
  double keep = frame.stored(element, op.getKeep().convertToDouble());
  int64_t width = rows.getShape()[1];
  for (int64_t c = 0; c < initial.size(); ++c) {
    double average = initial.real(c);
    for (int64_t k = 0; k < rows.getShape()[0]; ++k)
      average = average * keep + rows.real(k * width + op.getStart() + c);
    results[0].real(c) = average;
  }
}

void reference::registerNormalizationModels(MLIRContext *context) {
  attach<sg::RunningAverageOp, runningAverage>(context);
  attach<sg::BatchNormOp, batchNorm>(context);
  attach<sg::BatchNormTrainingOp, batchNormTraining>(context);
  attach<sg::NormalizeOp, normalize>(context);
  attach<sg::BatchNormInferenceOp, batchNormInference>(context);
  attach<sg::BatchNormGradOp, batchNormGrad>(context);
}
