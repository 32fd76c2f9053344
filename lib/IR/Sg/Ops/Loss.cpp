//===- Loss.cpp - Softmax and cross entropy -------------------------------===//

#include "../Models.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

static LogicalResult checkLabels(std::optional<Location> loc, Value logits,
                                 Value labels, std::optional<int64_t> ignored) {
  auto l = tensorOf(logits), t = tensorOf(labels);
  if (l.getRank() != 2 || t.getRank() != 1 ||
      l.getDimSize(0) != t.getDimSize(0))
    return emitOptionalError(loc,
                             "cross entropy needs logits (N,K) and "
                             "labels (N), but has ",
                             l, " and ", t);
  if (!t.getElementType().isInteger(32) && !t.getElementType().isInteger(64))
    return emitOptionalError(loc, "labels must be i32 or i64, but are ",
                             t.getElementType());
  if (ignored && t.getElementType().isInteger(32) && !llvm::isInt<32>(*ignored))
    return emitOptionalError(loc, "ignore_index is ", *ignored,
                             ", which is not an i32, as labels are");
  return success();
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  if (failed(checkLabels(loc, adaptor.getLogits(), adaptor.getLabels(),
                         adaptor.getIgnoreIndex())))
    return failure();
  auto logits = tensorOf(adaptor.getLogits());
  auto row =
      RankedTensorType::get({logits.getDimSize(0)}, logits.getElementType());
  types.append({row, row});
  return success();
}

LogicalResult CrossEntropyGradOp::verify() {
  if (failed(checkLabels(getLoc(), getLogits(), getLabels(), getIgnoreIndex())))
    return failure();
  auto logits = tensorOf(getLogits());
  auto row =
      RankedTensorType::get({logits.getDimSize(0)}, logits.getElementType());
  if (areWidened(row, getLse().getType()))
    row = tensorOf(getLse());
  if (getLse().getType() != row || getDlosses().getType() != row)
    return emitOpError() << "needs lse and dlosses of type " << row;
  return success();
}

/// Softmax needs a dimension to run along.
static LogicalResult verifyLastDimension(Operation *op) {
  if (tensorOf(op->getResult(0)).getRank() == 0)
    return op->emitOpError() << "needs a tensor of rank 1 or more";
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifyLastDimension(*this); }

LogicalResult SoftmaxGradOp::verify() { return verifyLastDimension(*this); }

LogicalResult AuxiliaryLossOp::verify() {
  if (tensorOf(getResult()).getRank() != 0)
    return emitOpError() << "adds scalars, but has " << getResult().getType();
  double weight = getWeight().convertToDouble();
  if (!(weight >= 0) || !std::isfinite(weight))
    return emitOpError() << "needs a weight that is finite and not negative, "
                            "but has "
                         << weight;
  return success();
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

static Value softmaxGradient(SoftmaxOp op, VjpContext &context, Emitter &e,
                             Value dy) {
  Value y = context.forward(op.getResult());
  return e.make<SoftmaxGradOp>(y, dy);
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

static LogicalResult auxiliaryLossVjp(AuxiliaryLossOp op, VjpContext &context) {
  Value dy = context.cotangent(cast<OpResult>(op.getResult()));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  if (context.needsGradient(op.getLossMutable()))
    context.addGradient(op.getLossMutable(), dy);
  if (context.needsGradient(op.getAuxiliaryMutable()))
    context.addGradient(op.getAuxiliaryMutable(),
                        e.scale(dy, op.getWeight().convertToDouble()));
  return success();
}

//===----------------------------------------------------------------------===//
// Decompositions
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

static Values decompose(AuxiliaryLossOp op, Emitter &e) {
  double weight = op.getWeight().convertToDouble();
  return {e.add(op.getLoss(), e.scale(op.getAuxiliary(), weight))};
}

void sg::registerLossModels(MLIRContext *context) {
  attachUnary<SoftmaxOp, softmaxGradient>(context);
  attachVjp<CrossEntropyOp, crossEntropyVjp>(context);
  attachVjp<AuxiliaryLossOp, auxiliaryLossVjp>(context);
  attachDecomposition<SoftmaxOp, decompose>(context);
  attachDecomposition<SoftmaxGradOp, decompose>(context);
  attachDecomposition<CrossEntropyOp, decompose>(context);
  attachDecomposition<CrossEntropyGradOp, decompose>(context);
  attachDecomposition<AuxiliaryLossOp, decompose>(context);
  attachReductionCost<perResult<5>, SoftmaxOp>(context);
  attachReductionCost<perResult<4>, SoftmaxGradOp>(context);
  attachReductionCost<perOperand<5>, CrossEntropyOp>(context);
  attachPointwiseCost<perResult<4>, CrossEntropyGradOp>(context);
  attachPointwiseCost<perResult<2>, AuxiliaryLossOp>(context);
  attachAutocast<AutocastRule::Wide, CrossEntropyOp, SoftmaxOp,
                 AuxiliaryLossOp>(context);
}
