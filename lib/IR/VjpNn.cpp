//===- VjpNn.cpp - Derivatives of layers ----------------------------------===//

#include "VjpModel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// With A and B as stored and ta, tb their flags, and D the cotangent:
///   dA = D op(B)^T, transposed if ta; dB = op(A)^T D, transposed if tb.
/// A flag on the operands does every transposition. A cotangent that is wider
/// than the operands is rounded to their type: products take one type.
static LogicalResult matMulVjp(MatMulOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  dy = e.as(dy, op.getLhs());
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  if (context.needsGradient(op.getLhsMutable())) {
    Value b = context.forward(op.getRhs());
    context.addGradient(op.getLhsMutable(),
                        ta ? e.make<MatMulOp>(b, dy, tb, true)
                           : e.make<MatMulOp>(dy, b, false, !tb));
  }
  if (context.needsGradient(op.getRhsMutable())) {
    Value a = context.forward(op.getLhs());
    context.addGradient(op.getRhsMutable(),
                        tb ? e.make<MatMulOp>(dy, a, true, ta)
                           : e.make<MatMulOp>(a, dy, !ta, false));
  }
  return success();
}

/// The cotangent is rounded as for a matrix product.
static LogicalResult conv2DVjp(Conv2DOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  dy = e.as(dy, op.getX());
  if (context.needsGradient(op.getXMutable())) {
    Value filter = context.forward(op.getFilter());
    context.addGradient(op.getXMutable(),
                        e.make<Conv2DInputGradOp>(
                            op.getX().getType(), dy, filter, op.getStrides(),
                            op.getPadding(), op.getDilation(), op.getGroups()));
  }
  if (context.needsGradient(op.getFilterMutable())) {
    Value x = context.forward(op.getX());
    context.addGradient(op.getFilterMutable(),
                        e.make<Conv2DFilterGradOp>(
                            op.getFilter().getType(), x, dy, op.getStrides(),
                            op.getPadding(), op.getDilation(), op.getGroups()));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static LogicalResult maxPool2DVjp(MaxPool2DOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op.getXMutable()))
    return success();
  Emitter e(context.builder, op.getLoc());
  Value x = context.forward(op.getX());
  context.addGradient(op.getXMutable(), e.make<MaxPool2DGradOp>(
                                            x.getType(), x, dy, op.getWindow(),
                                            op.getStrides(), op.getPadding()));
  return success();
}

static LogicalResult avgPool2DVjp(AvgPool2DOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op.getXMutable()))
    return success();
  Emitter e(context.builder, op.getLoc());
  context.addGradient(op.getXMutable(),
                      e.make<AvgPool2DGradOp>(op.getX().getType(), dy,
                                              op.getWindow(), op.getStrides(),
                                              op.getPadding(),
                                              op.getCountIncludePad()));
  return success();
}

static LogicalResult globalAvgPoolVjp(GlobalAvgPoolOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op.getXMutable()))
    return success();
  Emitter e(context.builder, op.getLoc());
  auto type = tensorOf(op.getX());
  Value count = e.splat(dy, type.getDimSize(1) * type.getDimSize(2));
  Value share = e.div(dy, count);
  context.addGradient(
      op.getXMutable(),
      e.make<BroadcastOp>(type, share, ArrayRef<int64_t>{0, 3}));
  return success();
}

//===----------------------------------------------------------------------===//
// Normalization
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
// Losses and dropout
//===----------------------------------------------------------------------===//

static LogicalResult softmaxVjp(SoftmaxOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op->getOpOperand(0)))
    return success();
  Emitter e(context.builder, op.getLoc());
  Value y = context.forward(op.getResult());
  context.addGradient(op->getOpOperand(0), e.make<SoftmaxGradOp>(y, dy));
  return success();
}

/// Keeps logits, labels and lse: the probabilities are recomputed.
static LogicalResult crossEntropyVjp(CrossEntropyOp op, VjpContext &context) {
  Value dlosses = context.cotangent(cast<OpResult>(op.getLosses()));
  Value dlse = context.cotangent(cast<OpResult>(op.getLse()));
  OpOperand &operand = op.getLogitsMutable();
  if ((!dlosses && !dlse) || !context.needsGradient(operand))
    return success();
  Emitter e(context.builder, op.getLoc());
  Value logits = context.forward(op.getLogits());
  if (dlosses) {
    Value labels = context.forward(op.getLabels());
    Value lse = context.forward(op.getLse());
    context.addGradient(operand, e.make<CrossEntropyGradOp>(
                                     logits.getType(), logits, labels, lse,
                                     dlosses, op.getIgnoreIndexAttr()));
  }
  if (dlse) {
    Value wide = e.as(logits, dlse);
    Value probabilities = e.make<SoftmaxOp>(wide);
    Value dlogits = e.mul(probabilities, e.leading(dlse, wide));
    context.addGradient(operand, e.as(dlogits, logits));
  }
  return success();
}

/// The same draw on the cotangent; keeps two scalars.
static LogicalResult dropoutVjp(DropoutOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op.getXMutable()))
    return success();
  Emitter e(context.builder, op.getLoc());
  Value seed = context.forward(op.getSeed());
  Value step = context.forward(op.getStep());
  context.addGradient(op.getXMutable(),
                      e.make<DropoutOp>(dy.getType(), dy, seed, step,
                                        op.getProbability(), op.getStream(),
                                        op.getPerSample()));
  return success();
}

void sg::registerNnVjps(MLIRContext *context) {
  attachVjp<MatMulOp, matMulVjp>(context);
  attachVjp<Conv2DOp, conv2DVjp>(context);
  attachVjp<MaxPool2DOp, maxPool2DVjp>(context);
  attachVjp<AvgPool2DOp, avgPool2DVjp>(context);
  attachVjp<GlobalAvgPoolOp, globalAvgPoolVjp>(context);
  attachVjp<BatchNormTrainingOp,
            normalizationVjp<BatchNormTrainingOp, BatchNormGradOp>>(context);
  attachVjp<LayerNormOp, normalizationVjp<LayerNormOp, LayerNormGradOp>>(
      context);
  attachVjp<NormalizeOp, normalizeVjp>(context);
  attachVjp<BatchNormInferenceOp, batchNormInferenceVjp>(context);
  attachVjp<SoftmaxOp, softmaxVjp>(context);
  attachVjp<CrossEntropyOp, crossEntropyVjp>(context);
  attachVjp<DropoutOp, dropoutVjp>(context);
}
