//===- VjpTransformer.cpp - Derivatives of transformers' layers -----------===//

#include "Activations.h"
#include "VjpModel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Keeps x, gamma, mean and rstd; nothing when only beta's gradient is wanted.
static LogicalResult layerNormVjp(LayerNormOp op, VjpContext &context) {
  for (unsigned k = 1; k < 3; ++k)
    if (context.cotangent(op->getResult(k)))
      return op.emitError() << "no gradient flows through the statistics of "
                               "sg.layer_norm; compute the mean by "
                               "sg.reduce_sum";
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
  Value keptX = context.forward(op.getX());
  Value keptGamma = context.forward(op.getGamma());
  Value mean = context.forward(op.getMean());
  Value rstd = context.forward(op.getRstd());
  auto grad = LayerNormGradOp::create(context.builder, op.getLoc(), keptX,
                                      keptGamma, mean, rstd, dy);
  if (x)
    context.addGradient(op.getXMutable(), grad.getDx());
  if (gamma)
    context.addGradient(op.getGammaMutable(), grad.getDgamma());
  if (beta)
    context.addGradient(op.getBetaMutable(), grad.getDbeta());
  return success();
}

/// dy times the slope at x, which is kept.
template <typename OpTy>
static LogicalResult activationVjp(OpTy op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op->getOpOperand(0)))
    return success();
  Emitter e(context.builder, op.getLoc());
  Value x = widened(e, context.forward(op.getOperand()));
  Value steepness = slope(op, e, x);
  Value dx = e.mul(e.as(dy, x), steepness);
  context.addGradient(op->getOpOperand(0), e.as(dx, op.getOperand()));
  return success();
}

/// Back by as much.
static LogicalResult rollVjp(RollOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op->getOpOperand(0)))
    return success();
  Emitter e(context.builder, op.getLoc());
  SmallVector<int64_t> back;
  for (int64_t shift : op.getShifts())
    back.push_back(-shift);
  context.addGradient(op->getOpOperand(0), e.make<RollOp>(dy, back));
  return success();
}

/// Keeps the indices.
static LogicalResult gatherVjp(GatherOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op.getTableMutable()))
    return success();
  Emitter e(context.builder, op.getLoc());
  Value indices = context.forward(op.getIndices());
  context.addGradient(
      op.getTableMutable(),
      e.make<GatherGradOp>(op.getTable().getType(), indices, dy));
  return success();
}

void sg::registerTransformerVjps(MLIRContext *context) {
  attachVjp<LayerNormOp, layerNormVjp>(context);
  attachVjp<GeluOp, activationVjp<GeluOp>>(context);
  attachVjp<SiluOp, activationVjp<SiluOp>>(context);
  attachVjp<HardSigmoidOp, activationVjp<HardSigmoidOp>>(context);
  attachVjp<HardSwishOp, activationVjp<HardSwishOp>>(context);
  attachVjp<RollOp, rollVjp>(context);
  attachVjp<GatherOp, gatherVjp>(context);
}
