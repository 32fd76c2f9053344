//===- Decompose.cpp - Composite ops as primitives ------------------------===//
//
// The order of operations is part of the meaning: batch_norm_training's first
// result and sg.normalize are the same function below, so that a block
// recomputed from kept statistics has the bits of the original.
//
//===----------------------------------------------------------------------===//

#include "DecomposeModel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

// If parameters and statistics are wider than x, everything is computed in
// their type: x is cast at the beginning, and results of its type at the end.

/// ((x - mean) * rstd) * gamma + beta, each rounded.
static Value normalize(Emitter &e, Value x, Value mean, Value rstd, Value gamma,
                       Value beta) {
  Value centered = e.sub(x, e.trailing(mean, x));
  Value xhat = e.mul(centered, e.trailing(rstd, x));
  Value scaled = e.mul(xhat, e.trailing(gamma, x));
  return e.add(scaled, e.trailing(beta, x));
}

/// 1 / sqrt(variance + epsilon).
static Value reciprocalDeviation(Emitter &e, Value variance, double epsilon) {
  Value summand = e.splat(variance, epsilon);
  return e.make<RsqrtOp>(e.add(variance, summand));
}

/// The number of elements per channel.
static double channelCount(Value x) {
  auto type = tensorOf(x);
  return type.getNumElements() / type.getShape().back();
}

/// Mean and biased variance of the elements of a channel.
struct Moments {
  Value mean, variance;
};

/// Two passes over x, used if it has only one sample: the difference of two
/// large sums would lose the variance.
static Moments momentsOfOne(Emitter &e, Value x) {
  Value sum = e.sumToLast(x);
  Value count = e.splat(sum, channelCount(x));
  Value mean = e.div(sum, count);
  Value centered = e.sub(x, e.trailing(mean, x));
  Value squares = e.sumToLast(e.mul(centered, centered));
  return {mean, e.div(squares, count)};
}

/// The mean of the first sixteenth of the samples, rounded up.
static Value roughMean(Emitter &e, Value x, Value like) {
  constexpr int64_t share = 16;
  SmallVector<int64_t> limits(tensorOf(x).getShape());
  limits[0] = llvm::divideCeil(limits[0], share);
  SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
  Value few = e.as(e.make<SliceOp>(x, starts, limits, strides), like);
  Value sum = e.sumToLast(few);
  Value count = e.splat(sum, channelCount(few));
  return e.div(sum, count);
}

/// One pass over x, with sums about a rough mean k: with d = mean - k the
/// variance is sum (x - k)^2 / n - d^2. The mean of m of n numbers is at most
/// sqrt(variance (n/m - 1)) away from that of all, whatever they are, so that
/// the subtracted term is at most 15 times the result: at most four bits of the
/// mantissa's 24 are lost.
static Moments momentsAbout(Emitter &e, Value x, Value rough) {
  Value moved = e.sub(x, e.trailing(rough, x));
  Value sum = e.sumToLast(moved);
  Value squares = e.sumToLast(e.mul(moved, moved));
  Value count = e.splat(sum, channelCount(x));
  Value distance = e.div(sum, count);
  Value spread = e.div(squares, count);
  Value variance = e.sub(spread, e.mul(distance, distance));
  Value floor = e.zeros(variance);
  return {e.add(rough, distance), e.make<MaximumOp>(variance, floor)};
}

static Values decompose(BatchNormTrainingOp op, Emitter &e) {
  Value x = e.as(op.getX(), op.getGamma());
  auto [mean, variance] =
      tensorOf(x).getDimSize(0) > 1
          ? momentsAbout(e, x, roughMean(e, op.getX(), op.getGamma()))
          : momentsOfOne(e, x);
  Value rstd =
      reciprocalDeviation(e, variance, op.getEpsilon().convertToDouble());
  Value y = normalize(e, x, mean, rstd, op.getGamma(), op.getBeta());
  return {e.as(y, op.getX()), mean, variance, rstd};
}

static Values decompose(NormalizeOp op, Emitter &e) {
  Value x = e.as(op.getX(), op.getGamma());
  Value y =
      normalize(e, x, op.getMean(), op.getRstd(), op.getGamma(), op.getBeta());
  return {e.as(y, op.getX())};
}

static Values decompose(BatchNormInferenceOp op, Emitter &e) {
  Value rstd = reciprocalDeviation(e, op.getVariance(),
                                   op.getEpsilon().convertToDouble());
  Value x = e.as(op.getX(), op.getGamma());
  Value y = normalize(e, x, op.getMean(), rstd, op.getGamma(), op.getBeta());
  return {e.as(y, op.getX())};
}

/// dx = (gamma * rstd) * ((dy - dbeta / M) - xhat * (dgamma / M)).
static Values decompose(BatchNormGradOp op, Emitter &e) {
  Value x = e.as(op.getX(), op.getGamma());
  Value dy = e.as(op.getDy(), op.getGamma());
  Value centered = e.sub(x, e.trailing(op.getMean(), x));
  Value xhat = e.mul(centered, e.trailing(op.getRstd(), x));
  Value dbeta = e.sumToLast(dy);
  Value dgamma = e.sumToLast(e.mul(dy, xhat));
  Value count = e.splat(dbeta, channelCount(x));
  Value meanDy = e.div(dbeta, count);
  Value meanProduct = e.div(dgamma, count);
  Value slope = e.mul(op.getGamma(), op.getRstd());
  Value shifted = e.sub(dy, e.trailing(meanDy, x));
  Value projected = e.mul(xhat, e.trailing(meanProduct, x));
  Value rest = e.sub(shifted, projected);
  Value dx = e.mul(e.trailing(slope, x), rest);
  return {e.as(dx, op.getX()), dgamma, dbeta};
}

//===----------------------------------------------------------------------===//
// Activations and pooling
//===----------------------------------------------------------------------===//

static Values decompose(ReluGradOp op, Emitter &e) {
  Value zero = e.zeros(op.getY());
  Value above = e.compare(ComparePredicate::GT, op.getY(), zero);
  return {e.select(above, op.getDy(), zero)};
}

static Values decompose(GlobalAvgPoolOp op, Emitter &e) {
  auto type = tensorOf(op.getX());
  Value sum = e.make<ReduceSumOp>(op.getX(), ArrayRef<int64_t>{1, 2});
  Value count = e.splat(sum, type.getDimSize(1) * type.getDimSize(2));
  return {e.div(sum, count)};
}

//===----------------------------------------------------------------------===//
// Softmax and its loss
//===----------------------------------------------------------------------===//

template <typename OpTy> static Value reduceLast(Emitter &e, Value x) {
  return e.make<OpTy>(x, ArrayRef<int64_t>{tensorOf(x).getRank() - 1});
}

/// The rows' maxima are subtracted first: no exponential exceeds 1.
static Values decompose(SoftmaxOp op, Emitter &e) {
  Value x = op.getOperand();
  Value maximum = reduceLast<ReduceMaxOp>(e, x);
  Value shifted = e.sub(x, e.leading(maximum, x));
  Value powers = e.exp(shifted);
  Value sum = reduceLast<ReduceSumOp>(e, powers);
  return {e.div(powers, e.leading(sum, x))};
}

static Values decompose(SoftmaxGradOp op, Emitter &e) {
  Value y = op.getY(), dy = op.getDy();
  Value dot = reduceLast<ReduceSumOp>(e, e.mul(y, dy));
  Value shifted = e.sub(dy, e.leading(dot, y));
  return {e.mul(y, shifted)};
}

/// An i1 that is true where the label of row n is k, for logits (N,K).
static Value labelMask(Emitter &e, Value logits, Value labels) {
  auto type = RankedTensorType::get(tensorOf(logits).getShape(),
                                    tensorOf(labels).getElementType());
  Value classes = e.make<IotaOp>(type, 1);
  return e.compare(ComparePredicate::EQ, classes, e.leading(labels, logits));
}

/// `x` of (N) or (N,K), with 0 in rows that are ignored.
static Value zeroWhereIgnored(Emitter &e, Value x, Value labels,
                              std::optional<int64_t> ignored) {
  if (!ignored)
    return x;
  Value mask = e.compare(
      ComparePredicate::EQ, labels,
      e.make<ConstantOp>(DenseElementsAttr::get(
          tensorOf(labels), e.builder.getIntegerAttr(
                                tensorOf(labels).getElementType(), *ignored))));
  return e.select(e.leading(mask, x), e.zeros(x), x);
}

/// losses = log sum e^(logits - maximum) + (maximum - logits[label]), which is
/// lse - logits[label] without the digits that a large maximum takes from lse;
/// lse = maximum + log sum e^(logits - maximum).
static Values decompose(CrossEntropyOp op, Emitter &e) {
  Value logits = e.as(op.getLogits(), op.getLosses());
  Value maximum = reduceLast<ReduceMaxOp>(e, logits);
  Value shifted = e.sub(logits, e.leading(maximum, logits));
  Value sum = reduceLast<ReduceSumOp>(e, e.exp(shifted));
  Value logarithm = e.make<LogOp>(sum);
  Value lse = e.add(maximum, logarithm);
  Value mask = labelMask(e, logits, op.getLabels());
  Value picked = e.select(mask, logits, e.zeros(logits));
  Value chosen = reduceLast<ReduceSumOp>(e, picked);
  Value losses = e.add(logarithm, e.sub(maximum, chosen));
  return {zeroWhereIgnored(e, losses, op.getLabels(), op.getIgnoreIndex()),
          lse};
}

/// e^(logits - lse) is divided by its row's sum, which would be 1 in exact
/// arithmetic: the lse of a row of large logits has a larger rounding error
/// than probabilities may have, and the division cancels it.
static Values decompose(CrossEntropyGradOp op, Emitter &e) {
  Value logits = e.as(op.getLogits(), op.getLse());
  Value shifted = e.sub(logits, e.leading(op.getLse(), logits));
  Value powers = e.exp(shifted);
  Value sum = reduceLast<ReduceSumOp>(e, powers);
  Value probabilities = e.div(powers, e.leading(sum, logits));
  Value mask = labelMask(e, logits, op.getLabels());
  Value onehot = e.make<CastOp>(logits.getType(), mask);
  Value difference = e.sub(probabilities, onehot);
  Value dlogits = e.mul(difference, e.leading(op.getDlosses(), logits));
  dlogits = zeroWhereIgnored(e, dlogits, op.getLabels(), op.getIgnoreIndex());
  return {e.as(dlogits, op.getLogits())};
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// The draw is in f32 whatever the type of x, so that the mask does not depend
/// on it.
static Values decompose(DropoutOp op, Emitter &e) {
  Value x = op.getX();
  double probability = op.getProbability().convertToDouble();
  ArrayRef<int64_t> shape = tensorOf(x).getShape();
  if (op.getPerSample())
    shape = shape.take_front();
  auto type = RankedTensorType::get(shape, e.builder.getF32Type());
  Value draw =
      e.make<RandomUniformOp>(type, op.getSeed(), op.getStep(), op.getStream());
  Value bound = e.splat(draw, probability);
  Value kept = e.compare(ComparePredicate::GE, draw, bound);
  if (op.getPerSample())
    kept = e.leading(kept, x);
  Value rest = e.splat(x, 1.0 - probability);
  Value scaled = e.div(x, rest);
  return {e.select(kept, scaled, e.zeros(x))};
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Computes y from x and the kept statistics.
struct BatchNormStatistics
    : StatisticsOpInterface::ExternalModel<BatchNormStatistics,
                                           BatchNormTrainingOp> {
  SmallVector<unsigned> getStatistics(Operation *) const { return {1, 2, 3}; }

  SmallVector<Value> recompute(Operation *op, OpBuilder &builder,
                               ValueRange operands,
                               ValueRange statistics) const {
    Emitter e(builder, op->getLoc());
    return {e.make<NormalizeOp>(operands[0], statistics[0], statistics[2],
                                operands[1], operands[2])};
  }
};

/// Recomputes nothing: the only result is the kept one.
struct KeepStatistics
    : StatisticsOpInterface::ExternalModel<KeepStatistics, KeepOp> {
  SmallVector<unsigned> getStatistics(Operation *) const { return {0}; }

  SmallVector<Value> recompute(Operation *, OpBuilder &, ValueRange,
                               ValueRange) const {
    return {};
  }
};

/// The maximum of a window is found once, not by each element in it.
static Values decompose(MaxPool2DGradOp op, Emitter &e) {
  Value argmax = e.make<MaxPool2DArgmaxOp>(op.getX(), op.getWindow(),
                                           op.getStrides(), op.getPadding());
  return {e.make<MaxPool2DScatterOp>(op.getResult().getType(), argmax,
                                     op.getDy(), op.getWindow(),
                                     op.getStrides(), op.getPadding())};
}

/// Product and sum at least in f32, and one rounding after the sum.
static Values decompose(MatMulBiasOp op, Emitter &e) {
  auto type = tensorOf(op.getResult());
  Type sums = tensorOf(op.getLhs()).getElementType(),
       wide = Float32Type::get(op.getContext());
  if (isWider(wide, sums))
    sums = wide;
  auto vector = tensorOf(op.getBias()).clone(sums);
  Value bias = op.getBias().getType() == vector
                   ? op.getBias()
                   : e.make<CastOp>(vector, op.getBias());
  Value product = e.make<MatMulOp>(type.clone(sums), op.getLhs(), op.getRhs(),
                                   op.getTransposeA(), op.getTransposeB());
  Value sum = e.add(product, e.trailing(bias, product));
  return {e.as(sum, op.getResult())};
}

/// The same for a gradient and the tensor that it adds to.
static Values decompose(Conv2DInputGradAddOp op, Emitter &e) {
  auto type = tensorOf(op.getResult());
  Type wide = Float32Type::get(op.getContext());
  auto sums = isWider(wide, type.getElementType()) ? type.clone(wide) : type;
  Value gradient = e.make<Conv2DInputGradOp>(sums, op.getDy(), op.getFilter(),
                                             op.getStrides(), op.getPadding(),
                                             op.getDilation(), op.getGroups());
  Value addend = op.getAddend();
  if (addend.getType() != sums)
    addend = e.make<CastOp>(sums, addend);
  return {e.as(e.add(gradient, addend), op.getResult())};
}

template <typename... Ops> static void attach(MLIRContext *context) {
  (attachDecomposition<Ops, decompose>(context), ...);
}

void sg::registerDecomposeModels(MLIRContext *context) {
  attach<MatMulBiasOp, Conv2DInputGradAddOp, BatchNormTrainingOp, NormalizeOp,
         BatchNormInferenceOp, BatchNormGradOp, ReluGradOp, GlobalAvgPoolOp,
         SoftmaxOp, SoftmaxGradOp, CrossEntropyOp, CrossEntropyGradOp,
         DropoutOp, MaxPool2DGradOp>(context);
  BatchNormTrainingOp::attachInterface<BatchNormStatistics>(*context);
  KeepOp::attachInterface<KeepStatistics>(*context);
  registerTransformerDecompositions(context);
}
