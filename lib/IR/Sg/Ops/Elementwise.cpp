//===- Elementwise.cpp - Arithmetic element by element --------------------===//
//
// Each calls `forward` only for the values that its formula reads, since that
// keeps the value until the backward pass: an op whose derivative is a function
// of its result reads the result (exp, sqrt, tanh, sigmoid, relu), mul reads an
// operand only if the other one's gradient is needed.
//
// ElementwiseCode.cpp has the arithmetic itself.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/BlockRewrite.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &types) {
  if (operands.empty() || !isa<RankedTensorType>(operands[0].getType()))
    return failure();
  types.push_back(RankedTensorType::get(tensorOf(operands[0]).getShape(),
                                        IntegerType::get(context, 1)));
  return success();
}

/// Returns true if `to` can represent all numbers of `from`.
static bool widens(Type from, Type to) {
  auto narrow = dyn_cast<FloatType>(from), wide = dyn_cast<FloatType>(to);
  return narrow && wide && wide.getWidth() > narrow.getWidth() &&
         wide.getFPMantissaWidth() >= narrow.getFPMantissaWidth();
}

/// A widened value that is cast back is the value itself.
OpFoldResult CastOp::fold(FoldAdaptor) {
  auto before = getOperand().getDefiningOp<CastOp>();
  if (before && before.getOperand().getType() == getType() &&
      widens(getElementTypeOrSelf(getType()),
             getElementTypeOrSelf(getOperand().getType())))
    return before.getOperand();
  return foldIfSameType(*this);
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static Value negFormula(NegOp, VjpContext &, Emitter &e, Value dy) {
  return e.neg(dy);
}

/// The derivative at zero is zero.
static Value absFormula(AbsOp op, VjpContext &context, Emitter &e, Value dy) {
  Value x = context.forward(op.getOperand());
  Value zero = e.zeros(x);
  Value above = e.compare(ComparePredicate::GT, x, zero);
  Value below = e.compare(ComparePredicate::LT, x, zero);
  Value negative = e.neg(dy);
  Value otherwise = e.select(below, negative, zero);
  return e.select(above, dy, otherwise);
}

static Value expFormula(ExpOp op, VjpContext &context, Emitter &e, Value dy) {
  return e.mul(dy, context.forward(op.getResult()));
}

static Value logFormula(LogOp op, VjpContext &context, Emitter &e, Value dy) {
  return e.div(dy, context.forward(op.getOperand()));
}

/// dy / (2 sqrt(x)).
static Value sqrtFormula(SqrtOp op, VjpContext &context, Emitter &e, Value dy) {
  Value y = context.forward(op.getResult());
  Value half = e.scale(dy, 0.5);
  return e.div(half, y);
}

/// -dy y^3 / 2.
static Value rsqrtFormula(RsqrtOp op, VjpContext &context, Emitter &e,
                          Value dy) {
  Value y = context.forward(op.getResult());
  Value square = e.mul(y, y);
  Value cube = e.mul(square, y);
  Value half = e.scale(cube, -0.5);
  return e.mul(dy, half);
}

/// dy (1 - y^2).
static Value tanhFormula(TanhOp op, VjpContext &context, Emitter &e, Value dy) {
  Value y = context.forward(op.getResult());
  Value square = e.mul(y, y);
  Value one = e.splat(y, 1.0);
  Value slope = e.sub(one, square);
  return e.mul(dy, slope);
}

/// dy y (1 - y).
static Value sigmoidFormula(SigmoidOp op, VjpContext &context, Emitter &e,
                            Value dy) {
  Value y = context.forward(op.getResult());
  Value one = e.splat(y, 1.0);
  Value rest = e.sub(one, y);
  Value slope = e.mul(y, rest);
  return e.mul(dy, slope);
}

/// dy 2 / sqrt(pi) e^(-x^2).
static Value erfFormula(ErfOp op, VjpContext &context, Emitter &e, Value dy) {
  Value x = context.forward(op.getOperand());
  Value square = e.mul(x, x);
  Value exponent = e.neg(square);
  Value bell = e.exp(exponent);
  Value slope = e.scale(bell, 1.1283791670955126);
  return e.mul(dy, slope);
}

static Value reluFormula(ReluOp op, VjpContext &context, Emitter &e, Value dy) {
  return e.make<ReluGradOp>(context.forward(op.getResult()), dy);
}

/// The rounding of a variable that `op` reverses by widening, or null. Blocks
/// between the two do not matter: another division of the model has others.
static CastOp roundingBefore(CastOp op) {
  auto rounding = unmarkedDefinitionOf(op.getOperand()).getDefiningOp<CastOp>();
  if (!rounding || rounding.getOperand().getType() != op.getType())
    return {};
  Value rounded = unmarkedDefinitionOf(rounding.getOperand());
  return rounded.getDefiningOp<ReadOp>() ? rounding : CastOp();
}

/// Only floating-point operands have gradients. A variable that is rounded and
/// widened again, as the bias of a product, gets the gradient of the widened
/// value: rounding it would lose bits.
static LogicalResult castVjp(CastOp op, VjpContext &context) {
  Value dy = context.cotangent(cast<OpResult>(op.getResult()));
  if (!dy || !context.needsGradient(op->getOpOperand(0)))
    return success();
  if (CastOp rounding = roundingBefore(op)) {
    context.addGradient(rounding->getOpOperand(0), dy);
    return success();
  }
  Emitter e(context.builder, op.getLoc());
  context.addGradient(op->getOpOperand(0),
                      e.make<CastOp>(op.getOperand().getType(), dy));
  return success();
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

static LogicalResult addVjp(AddOp op, VjpContext &context) {
  if (Value dy = context.cotangent(op->getResult(0)))
    for (OpOperand &operand : op->getOpOperands())
      if (context.needsGradient(operand))
        context.addGradient(operand, dy);
  return success();
}

static LogicalResult subVjp(SubOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  if (context.needsGradient(op.getLhsMutable()))
    context.addGradient(op.getLhsMutable(), dy);
  if (context.needsGradient(op.getRhsMutable()))
    context.addGradient(op.getRhsMutable(), e.neg(dy));
  return success();
}

static LogicalResult mulVjp(MulOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  if (context.needsGradient(op.getLhsMutable())) {
    Value rhs = context.forward(op.getRhs());
    context.addGradient(op.getLhsMutable(), e.mul(dy, rhs));
  }
  if (context.needsGradient(op.getRhsMutable())) {
    Value lhs = context.forward(op.getLhs());
    context.addGradient(op.getRhsMutable(), e.mul(dy, lhs));
  }
  return success();
}

/// d lhs = dy / rhs, d rhs = -(dy / rhs) y.
static LogicalResult divVjp(DivOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  bool left = context.needsGradient(op.getLhsMutable());
  bool right = context.needsGradient(op.getRhsMutable());
  if (!dy || (!left && !right))
    return success();
  Emitter e(context.builder, op.getLoc());
  Value quotient = e.div(dy, context.forward(op.getRhs()));
  if (left)
    context.addGradient(op.getLhsMutable(), quotient);
  if (right) {
    Value product = e.mul(quotient, context.forward(op.getResult()));
    context.addGradient(op.getRhsMutable(), e.neg(product));
  }
  return success();
}

/// Adds dy to the gradient of `onTrue` where the mask from `emitMask` holds,
/// and to that of `onFalse` elsewhere.
static LogicalResult splitByMask(Operation *op, VjpContext &context,
                                 OpOperand &onTrue, OpOperand &onFalse,
                                 function_ref<Value(Emitter &)> emitMask) {
  Value dy = context.cotangent(op->getResult(0));
  bool isTrueNeeded = context.needsGradient(onTrue);
  bool isFalseNeeded = context.needsGradient(onFalse);
  if (!dy || (!isTrueNeeded && !isFalseNeeded))
    return success();
  Emitter e(context.builder, op->getLoc());
  Value mask = emitMask(e);
  Value zero = e.zeros(dy);
  if (isTrueNeeded)
    context.addGradient(onTrue, e.select(mask, dy, zero));
  if (isFalseNeeded)
    context.addGradient(onFalse, e.select(mask, zero, dy));
  return success();
}

/// Adds dy to the gradient of the left operand where `predicate` holds between
/// the operands, and to the right one's elsewhere: ties go to the left one.
template <typename OpTy, ComparePredicate predicate>
static LogicalResult extremumVjp(OpTy op, VjpContext &context) {
  return splitByMask(op, context, op.getLhsMutable(), op.getRhsMutable(),
                     [&](Emitter &e) {
                       Value lhs = context.forward(op.getLhs());
                       Value rhs = context.forward(op.getRhs());
                       return e.compare(predicate, lhs, rhs);
                     });
}

static LogicalResult selectVjp(SelectOp op, VjpContext &context) {
  return splitByMask(
      op, context, op.getOnTrueMutable(), op.getOnFalseMutable(),
      [&](Emitter &) { return context.forward(op.getCondition()); });
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

static Values decompose(ReluGradOp op, Emitter &e) {
  Value zero = e.zeros(op.getY());
  Value above = e.compare(ComparePredicate::GT, op.getY(), zero);
  return {e.select(above, op.getDy(), zero)};
}

void sg::registerElementwiseModels(MLIRContext *context) {
  attachUnary<NegOp, negFormula>(context);
  attachUnary<AbsOp, absFormula>(context);
  attachUnary<ExpOp, expFormula>(context);
  attachUnary<LogOp, logFormula>(context);
  attachUnary<SqrtOp, sqrtFormula>(context);
  attachUnary<RsqrtOp, rsqrtFormula>(context);
  attachUnary<TanhOp, tanhFormula>(context);
  attachUnary<SigmoidOp, sigmoidFormula>(context);
  attachUnary<ErfOp, erfFormula>(context);
  attachUnary<ReluOp, reluFormula>(context);
  attachVjp<CastOp, castVjp>(context);
  attachVjp<AddOp, addVjp>(context);
  attachVjp<SubOp, subVjp>(context);
  attachVjp<MulOp, mulVjp>(context);
  attachVjp<DivOp, divVjp>(context);
  attachVjp<MaximumOp, extremumVjp<MaximumOp, ComparePredicate::GE>>(context);
  attachVjp<MinimumOp, extremumVjp<MinimumOp, ComparePredicate::LE>>(context);
  attachVjp<SelectOp, selectVjp>(context);
  attachDecomposition<ReluGradOp, decompose>(context);
  attachPointwiseCost<perResult<1>, NegOp, AbsOp, ExpOp, LogOp, SqrtOp, RsqrtOp,
                      TanhOp, SigmoidOp, ErfOp, ReluOp, ReluGradOp, AddOp,
                      SubOp, MulOp, DivOp, MaximumOp, MinimumOp, CompareOp,
                      SelectOp, CastOp, EncodeFp8Op, DecodeFp8Op>(context);
  attachAutocast<AutocastRule::Wide, ExpOp, LogOp, RsqrtOp>(context);
  attachAutocast<AutocastRule::Widest, AddOp, CompareOp, DivOp, MaximumOp,
                 MinimumOp, MulOp, SelectOp, SubOp>(context);
  attachAutocast<AutocastRule::First, AbsOp, ErfOp, NegOp, ReluOp, SigmoidOp,
                 SqrtOp, TanhOp>(context);
}
