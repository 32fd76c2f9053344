//===- VjpTransformer.cpp - Derivatives of transformers' layers -----------===//

#include "VjpModel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Keeps queries, keys and values, the result and the log-sum-exp, no scores.
static LogicalResult attentionVjp(AttentionOp op, VjpContext &context) {
  if (context.cotangent(cast<OpResult>(op.getLse())))
    return op.emitError() << "no gradient flows through the log-sum-exp of "
                          << op->getName();
  Value dy = context.cotangent(cast<OpResult>(op.getResult()));
  Value bias = op.getBias();
  bool wantsBias = bias && context.needsGradient(op.getBiasMutable()[0]);
  if (!dy || !(context.needsGradient(op.getQkvMutable()) || wantsBias))
    return success();
  SmallVector<Value> operands = {context.forward(op.getQkv()),
                                 context.forward(op.getResult()),
                                 context.forward(op.getLse()), dy};
  SmallVector<Type> types = {op.getQkv().getType()};
  if (bias) {
    operands.push_back(context.forward(bias));
    types.push_back(bias.getType());
  }
  AttentionGradOp::Properties properties;
  properties.scale = op.getScaleAttr();
  int drops = op.getSeed() ? 1 : 0;
  properties.operandSegmentSizes = {1, 1, 1, 1, bias ? 1 : 0, drops, drops};
  if (drops) {
    operands.append(
        {context.forward(op.getSeed()), context.forward(op.getStep())});
    properties.probability = op.getProbabilityAttr();
    properties.stream = op.getStreamAttr();
  }
  auto grad = AttentionGradOp::create(context.builder, op.getLoc(), types,
                                      operands, properties);
  if (context.needsGradient(op.getQkvMutable()))
    context.addGradient(op.getQkvMutable(), grad.getDqkv());
  if (wantsBias)
    context.addGradient(op.getBiasMutable()[0], grad.getDbias());
  return success();
}

/// Rolls back by the same shifts.
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
  attachVjp<AttentionOp, attentionVjp>(context);
  attachVjp<RollOp, rollVjp>(context);
  attachVjp<GatherOp, gatherVjp>(context);
}
