//===- Normalization.cpp - Normalization of batches and layers ------------===//
//
// The order of operations is part of the meaning: batch_norm_training's first
// result and sg.normalize are the same function below, so that a block
// recomputed from kept statistics has the bits of the original.
//
// bf16 and f16 are computed in f32 and rounded once, at the end.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "../Verify.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Types and rules
//===----------------------------------------------------------------------===//

LogicalResult sg::checkChannels(std::optional<Location> loc, Value x,
                                ValueRange vectors) {
  auto type = tensorOf(x);
  if (type.getRank() < 2)
    return emitOptionalError(loc,
                             "normalization needs a tensor of rank 2 or "
                             "more, but has ",
                             type);
  auto expected =
      RankedTensorType::get({type.getShape().back()}, type.getElementType());
  Type first = getElementTypeOrSelf(vectors.front().getType());
  if (isWider(first, type.getElementType()))
    expected = expected.clone(first);
  for (Value vector : vectors)
    if (vector.getType() != expected)
      return emitOptionalError(loc, "normalization of ", type, " needs ",
                               expected, ", but has ", vector.getType());
  return success();
}

LogicalResult BatchNormOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(checkChannels(getLoc(), getX(), {getGamma(), getBeta()})))
    return failure();
  Type channel = getGamma().getType();
  if (failed(verifyVariable(*this, getRunningMeanAttr(), channel, tables)))
    return failure();
  return verifyVariable(*this, getRunningVarianceAttr(), channel, tables);
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Value gamma = adaptor.getGamma();
  if (failed(checkChannels(loc, adaptor.getX(), {gamma, adaptor.getBeta()})))
    return failure();
  types.append({adaptor.getX().getType(), gamma.getType(), gamma.getType(),
                gamma.getType()});
  return success();
}

LogicalResult NormalizeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return checkChannels(loc, adaptor.getX(), adaptor.getOperands().drop_front());
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return checkChannels(loc, adaptor.getX(), adaptor.getOperands().drop_front());
}

LogicalResult BatchNormGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX(), gamma = adaptor.getGamma();
  if (adaptor.getDy().getType() != x.getType())
    return emitOptionalError(loc, "cotangent ", adaptor.getDy().getType(),
                             " differs from the input ", x.getType());
  types.append({x.getType(), gamma.getType(), gamma.getType()});
  return checkChannels(loc, x, {gamma, adaptor.getMean(), adaptor.getRstd()});
}

/// The type (...) with gamma's element type, for x (...,C).
static RankedTensorType rowStatistics(Value x, Value gamma) {
  return RankedTensorType::get(tensorOf(x).getShape().drop_back(),
                               getElementTypeOrSelf(gamma.getType()));
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX(), gamma = adaptor.getGamma();
  if (failed(checkChannels(loc, x, {gamma, adaptor.getBeta()})))
    return failure();
  RankedTensorType row = rowStatistics(x, gamma);
  types.append({x.getType(), row, row});
  return success();
}

LogicalResult LayerNormGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX(), gamma = adaptor.getGamma();
  if (failed(checkChannels(loc, x, {gamma})))
    return failure();
  if (adaptor.getDy().getType() != x.getType())
    return emitOptionalError(loc, "cotangent ", adaptor.getDy().getType(),
                             " differs from the input ", x.getType());
  RankedTensorType row = rowStatistics(x, gamma);
  for (Value statistic : {adaptor.getMean(), adaptor.getRstd()})
    if (statistic.getType() != row)
      return emitOptionalError(loc, "normalization of ", x.getType(), " needs ",
                               row, ", but has ", statistic.getType());
  types.append({x.getType(), gamma.getType(), gamma.getType()});
  return success();
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// The derivative of normalizations by their own statistics. Keeps x, gamma,
/// mean and rstd; nothing if only beta's gradient is needed. The statistics
/// serve the running averages and this derivative: they have none of their own.
template <typename OpTy, typename GradOp>
static LogicalResult normalizationVjp(OpTy op, VjpContext &context) {
  for (unsigned k = 1; k < op->getNumResults(); ++k)
    if (context.cotangent(op->getResult(k)))
      return op.emitError()
             << "no gradient flows through the statistics of " << op->getName()
             << "; compute the mean by sg.reduce_sum";
  Value dy = context.cotangent(cast<OpResult>(op.getY()));
  if (!dy)
    return success();
  bool x = context.needsGradient(op.getXMutable());
  bool gamma = context.needsGradient(op.getGammaMutable());
  bool beta = context.needsGradient(op.getBetaMutable());
  Emitter e(context.builder, op.getLoc());
  if (!x && !gamma) {
    if (beta)
      context.addGradient(op.getBetaMutable(),
                          e.sumToLast(e.as(dy, op.getBeta())));
    return success();
  }
  if constexpr (std::is_same_v<OpTy, BatchNormTrainingOp>)
    if (op.getSparesX())
      return sparedNormVjp(op, context);
  Value keptX = context.forward(op.getX());
  Value keptGamma = context.forward(op.getGamma());
  Value mean = context.forward(op.getMean());
  Value rstd = context.forward(op.getRstd());
  auto grad = GradOp::create(context.builder, op.getLoc(), keptX, keptGamma,
                             mean, rstd, dy);
  if (x)
    context.addGradient(op.getXMutable(), grad.getDx());
  if (gamma)
    context.addGradient(op.getGammaMutable(), grad.getDgamma());
  if (beta)
    context.addGradient(op.getBetaMutable(), grad.getDbeta());
  return success();
}

namespace {
/// The derivative of y = (x - mean) * rstd * gamma + beta, part by part. Parts
/// are emitted on first use, in the type of gamma, which dy has.
class NormalizeGradient {
public:
  NormalizeGradient(VjpContext &context, Emitter &e, Value dy)
      : context(context), e(e), dy(dy) {}

  /// dy * gamma.
  Value scaled(Value gamma) {
    if (!dyGamma)
      dyGamma = e.mul(dy, e.trailing(context.forward(gamma), dy));
    return dyGamma;
  }
  /// x - mean.
  Value centered(Value x, Value mean) {
    if (!difference) {
      Value keptX = e.as(context.forward(x), dy);
      difference = e.sub(keptX, e.trailing(context.forward(mean), dy));
    }
    return difference;
  }

private:
  VjpContext &context;
  Emitter &e;
  Value dy, dyGamma, difference;
};

/// The operands that normalize and batch_norm_inference share; `rstd` is the
/// reciprocal deviation as the backward pass sees it.
struct NormalizeOperands {
  OpOperand &x, &mean, &gamma, &beta;
  llvm::function_ref<Value()> rstd;
};
} // namespace

/// Adds the gradients of x, mean, gamma and beta; returns that of rstd if
/// `wantsRstd`, else null. dy has the type of gamma.
static Value normalizeGradients(VjpContext &context, Emitter &e, Value dy,
                                NormalizeOperands operands, bool wantsRstd) {
  NormalizeGradient parts(context, e, dy);
  bool x = context.needsGradient(operands.x);
  bool mean = context.needsGradient(operands.mean);
  if (x || mean) {
    Value scaled = parts.scaled(operands.gamma.get());
    Value dx = e.mul(scaled, e.trailing(operands.rstd(), dy));
    if (x)
      context.addGradient(operands.x, e.as(dx, operands.x.get()));
    if (mean)
      context.addGradient(operands.mean, e.neg(e.sumToLast(dx)));
  }
  if (context.needsGradient(operands.gamma)) {
    Value centered = parts.centered(operands.x.get(), operands.mean.get());
    Value xhat = e.mul(centered, e.trailing(operands.rstd(), dy));
    context.addGradient(operands.gamma, e.sumToLast(e.mul(dy, xhat)));
  }
  if (context.needsGradient(operands.beta))
    context.addGradient(operands.beta, e.sumToLast(dy));
  if (!wantsRstd)
    return {};
  Value scaled = parts.scaled(operands.gamma.get());
  Value centered = parts.centered(operands.x.get(), operands.mean.get());
  return e.sumToLast(e.mul(scaled, centered));
}

static LogicalResult normalizeVjp(NormalizeOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  dy = e.as(dy, op.getGamma());
  auto rstd = [&] { return context.forward(op.getRstd()); };
  bool wantsRstd = context.needsGradient(op.getRstdMutable());
  Value drstd =
      normalizeGradients(context, e, dy,
                         {op.getXMutable(), op.getMeanMutable(),
                          op.getGammaMutable(), op.getBetaMutable(), rstd},
                         wantsRstd);
  if (wantsRstd)
    context.addGradient(op.getRstdMutable(), drstd);
  return success();
}

static LogicalResult batchNormInferenceVjp(BatchNormInferenceOp op,
                                           VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  dy = e.as(dy, op.getGamma());
  Value cached;
  auto rstd = [&] {
    if (!cached) {
      Value variance = context.forward(op.getVariance());
      Value epsilon = e.splat(variance, op.getEpsilon().convertToDouble());
      cached = e.make<RsqrtOp>(e.add(variance, epsilon));
    }
    return cached;
  };
  bool wantsVariance = context.needsGradient(op.getVarianceMutable());
  Value drstd =
      normalizeGradients(context, e, dy,
                         {op.getXMutable(), op.getMeanMutable(),
                          op.getGammaMutable(), op.getBetaMutable(), rstd},
                         wantsVariance);
  if (wantsVariance) {
    Value square = e.mul(rstd(), rstd());
    Value slope = e.scale(e.mul(square, rstd()), -0.5);
    context.addGradient(op.getVarianceMutable(), e.mul(drstd, slope));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Decompositions
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

static Value sumOfRows(Emitter &e, Value x) {
  return e.make<ReduceSumOp>(x, ArrayRef<int64_t>{tensorOf(x).getRank() - 1});
}

/// Two passes over x: the difference of two large sums would lose the variance.
static Values decompose(LayerNormOp op, Emitter &e) {
  Value gamma = op.getGamma();
  Value x = e.as(op.getX(), gamma);
  Value sum = sumOfRows(e, x);
  Value count = e.splat(sum, tensorOf(x).getShape().back());
  Value mean = e.div(sum, count);
  Value centered = e.sub(x, e.leading(mean, x));
  Value squares = sumOfRows(e, e.mul(centered, centered));
  Value variance = e.div(squares, count);
  Value epsilon = e.splat(variance, op.getEpsilon().convertToDouble());
  Value rstd = e.make<RsqrtOp>(e.add(variance, epsilon));
  Value xhat = e.mul(centered, e.leading(rstd, x));
  Value scaled = e.mul(xhat, e.trailing(gamma, x));
  Value y = e.add(scaled, e.trailing(op.getBeta(), x));
  return {e.as(y, op.getX()), mean, rstd};
}

/// dx = rstd * ((g - sum g / C) - xhat * (sum(g * xhat) / C)), g = dy * gamma.
static Values decompose(LayerNormGradOp op, Emitter &e) {
  Value gamma = op.getGamma();
  Value x = e.as(op.getX(), gamma), dy = e.as(op.getDy(), gamma);
  Value centered = e.sub(x, e.leading(op.getMean(), x));
  Value rstd = e.leading(op.getRstd(), x);
  Value xhat = e.mul(centered, rstd);
  Value dbeta = e.sumToLast(dy);
  Value dgamma = e.sumToLast(e.mul(dy, xhat));
  Value scaled = e.mul(dy, e.trailing(gamma, x));
  Value sum = sumOfRows(e, scaled);
  Value dot = sumOfRows(e, e.mul(scaled, xhat));
  Value count = e.splat(sum, tensorOf(x).getShape().back());
  Value meanScaled = e.div(sum, count);
  Value meanProduct = e.div(dot, count);
  Value shifted = e.sub(scaled, e.leading(meanScaled, x));
  Value projected = e.mul(xhat, e.leading(meanProduct, x));
  Value rest = e.sub(shifted, projected);
  Value dx = e.mul(rstd, rest);
  return {e.as(dx, op.getX()), dgamma, dbeta};
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

//===----------------------------------------------------------------------===//
// Running averages
//===----------------------------------------------------------------------===//

LogicalResult RunningAverageOp::verify() {
  RankedTensorType initial = tensorOf(getInitial()), rows = tensorOf(getRows());
  if (initial.getRank() != 1 || rows.getRank() != 2 ||
      initial.getElementType() != rows.getElementType())
    return emitOpError() << "takes averages (C) and rows (R,N) of one element "
                            "type, not "
                         << initial << " and " << rows;
  int64_t start = getStart(), channels = initial.getDimSize(0);
  if (start < 0 || start > rows.getDimSize(1) - channels)
    return emitOpError() << "reads " << channels << " elements of rows of "
                         << rows.getDimSize(1) << ", from number " << start
                         << " on";
  return success();
}

static uint64_t runningAverageFlops(Operation *op) {
  auto average = cast<RunningAverageOp>(op);
  return 2 * elements(average.getResult()) *
         tensorOf(average.getRows()).getDimSize(0);
}

namespace {
struct RunningAverageModel
    : KernelOpInterface::ExternalModel<RunningAverageModel, RunningAverageOp> {
  KernelRole getKernelRole(Operation *) const { return KernelRole::Alone; }
  OperandLanes getOperandLanes(Operation *, unsigned operand, unsigned) const {
    return OperandLanes::along(operand == 0 ? 0 : 1);
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const {
    auto average = cast<RunningAverageOp>(op);
    RankedTensorType rows = tensorOf(average.getRows());
    Type type = e.typeAt(rows.getElementType(), index);
    Value keep = e.splat(type, average.getKeep().convertToDouble());
    Value column = e.add(index.at[0], average.getStart());
    std::optional<unsigned> lane;
    if (index.lane)
      lane = 1;
    Value initial = e.evaluateMoved(average.getInitial(), index, index);
    return e.loop(
        e.constant(0), e.constant(rows.getDimSize(0)), initial,
        [&](Value row, ValueRange before) {
          Index at = e.moved(index, rows, {row, column}, lane);
          Value taken = e.evaluateMoved(average.getRows(), at, index);
          Value kept = arith::MulFOp::create(e.builder, e.loc, before[0], keep);
          Value next = arith::AddFOp::create(e.builder, e.loc, kept, taken);
          return SmallVector<Value>{next};
        })[0];
  }
};
} // namespace

void sg::registerNormalizationModels(MLIRContext *context) {
  attachVjp<BatchNormTrainingOp,
            normalizationVjp<BatchNormTrainingOp, BatchNormGradOp>>(context);
  attachVjp<LayerNormOp, normalizationVjp<LayerNormOp, LayerNormGradOp>>(
      context);
  attachVjp<NormalizeOp, normalizeVjp>(context);
  attachVjp<BatchNormInferenceOp, batchNormInferenceVjp>(context);
  attachDecomposition<BatchNormTrainingOp, decompose>(context);
  attachDecomposition<NormalizeOp, decompose>(context);
  attachDecomposition<BatchNormInferenceOp, decompose>(context);
  attachDecomposition<BatchNormGradOp, decompose>(context);
  attachDecomposition<LayerNormOp, decompose>(context);
  attachDecomposition<LayerNormGradOp, decompose>(context);
  BatchNormTrainingOp::attachInterface<BatchNormStatistics>(*context);
  attachReductionCost<perOperand<8>, BatchNormOp, BatchNormTrainingOp,
                      LayerNormOp>(context);
  attachReductionCost<perOperand<10>, BatchNormGradOp>(context);
  attachPointwiseCost<perResult<4>, NormalizeOp, BatchNormInferenceOp>(context);
  attachReductionCost<perOperand<14>, LayerNormGradOp>(context);
  RunningAverageOp::attachInterface<RunningAverageModel>(*context);
  attachPointwiseCost<runningAverageFlops, RunningAverageOp>(context);
  attachAutocast<AutocastRule::Wide, LayerNormOp>(context);
  attachAutocast<AutocastRule::First, BatchNormOp>(context);
}
