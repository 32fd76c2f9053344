//===- ElementwiseCode.cpp - Elements of elementwise ops in kernels -------===//
//
// The one definition of every pointwise op's arithmetic, for scalars and
// vectors. No op carries fast-math flags: an element's bits depend on its
// operands alone, whatever the width of the vector and the shape of the kernel.
//
// relu, maximum, minimum and relu_grad compare and select instead of using
// arith.maximumf: that takes one or two instructions where maximumf takes five
// to order -0 below +0. Consequences: relu(-0) is -0 (x stays unless x < 0),
// and of two equal operands, including +0 and -0, maximum and minimum return
// the left one. NaN stays: relu returns it, maximum and minimum return the
// operand that is NaN (the left one if both are).
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// `type`'s shape, if it is a vector, with another element type.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

static Value splat(OpBuilder &b, Location loc, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr;
  if (isa<FloatType>(element))
    attr = b.getFloatAttr(element, value);
  else
    attr = b.getIntegerAttr(element, static_cast<int64_t>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, loc, attr);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename To>
static Value emitUnary(Operation *op, OpBuilder &b, ValueRange x) {
  return To::create(b, op->getLoc(), x[0]);
}

template <typename Real, typename Integer>
static Value emitBinary(Operation *op, OpBuilder &b, ValueRange x) {
  if (isReal(x[0]))
    return Real::create(b, op->getLoc(), x[0], x[1]);
  return Integer::create(b, op->getLoc(), x[0], x[1]);
}

static Value emitDiv(Operation *op, OpBuilder &b, ValueRange x) {
  return arith::DivFOp::create(b, op->getLoc(), x[0], x[1]);
}

/// Uses a division: math.rsqrt may become an approximate instruction.
static Value emitRsqrt(Operation *op, OpBuilder &b, ValueRange x) {
  Location loc = op->getLoc();
  Value one = splat(b, loc, x[0].getType(), 1.0);
  Value root = math::SqrtOp::create(b, loc, x[0]);
  return arith::DivFOp::create(b, loc, one, root);
}

static Value emitSigmoid(Operation *op, OpBuilder &b, ValueRange x) {
  Location loc = op->getLoc();
  Value one = splat(b, loc, x[0].getType(), 1.0);
  Value negative = arith::NegFOp::create(b, loc, x[0]);
  Value power = math::ExpOp::create(b, loc, negative);
  Value sum = arith::AddFOp::create(b, loc, one, power);
  return arith::DivFOp::create(b, loc, one, sum);
}

static Value emitRelu(Operation *op, OpBuilder &b, ValueRange x) {
  Location loc = op->getLoc();
  Value zero = splat(b, loc, x[0].getType(), 0.0);
  Value below =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x[0], zero);
  return arith::SelectOp::create(b, loc, below, zero, x[0]);
}

static Value emitReluGrad(Operation *op, OpBuilder &b, ValueRange x) {
  Location loc = op->getLoc();
  Value zero = splat(b, loc, x[0].getType(), 0.0);
  Value above =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x[0], zero);
  return arith::SelectOp::create(b, loc, above, x[1], zero);
}

/// The right operand if `real` holds for (left, right), or if the right one is
/// NaN and the left one is not; else the left one. `integer` is the relation of
/// signed integers; i1 uses `boolean`, since its true is 1.
static Value emitExtremum(Operation *op, OpBuilder &b, ValueRange x,
                          arith::CmpFPredicate real,
                          arith::CmpIPredicate integer,
                          arith::CmpIPredicate boolean) {
  Location loc = op->getLoc();
  if (!isReal(x[0])) {
    bool isBool = getElementTypeOrSelf(x[0].getType()).isInteger(1);
    Value right =
        arith::CmpIOp::create(b, loc, isBool ? boolean : integer, x[0], x[1]);
    return arith::SelectOp::create(b, loc, right, x[1], x[0]);
  }
  Value right = arith::CmpFOp::create(b, loc, real, x[0], x[1]);
  Value larger = arith::SelectOp::create(b, loc, right, x[1], x[0]);
  Value nan =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x[0], x[0]);
  return arith::SelectOp::create(b, loc, nan, x[0], larger);
}

static Value emitMaximum(Operation *op, OpBuilder &b, ValueRange x) {
  return emitExtremum(op, b, x, arith::CmpFPredicate::ULT,
                      arith::CmpIPredicate::slt, arith::CmpIPredicate::ult);
}

static Value emitMinimum(Operation *op, OpBuilder &b, ValueRange x) {
  return emitExtremum(op, b, x, arith::CmpFPredicate::UGT,
                      arith::CmpIPredicate::sgt, arith::CmpIPredicate::ugt);
}

//===----------------------------------------------------------------------===//
// Comparing and converting
//===----------------------------------------------------------------------===//

static arith::CmpFPredicate realPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::EQ:
    return arith::CmpFPredicate::OEQ;
  case ComparePredicate::NE:
    return arith::CmpFPredicate::UNE;
  case ComparePredicate::LT:
    return arith::CmpFPredicate::OLT;
  case ComparePredicate::LE:
    return arith::CmpFPredicate::OLE;
  case ComparePredicate::GT:
    return arith::CmpFPredicate::OGT;
  case ComparePredicate::GE:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("unknown predicate");
}

/// Signed, except for i1, whose true is 1 and not -1.
static arith::CmpIPredicate integerPredicate(ComparePredicate predicate,
                                             bool isBool) {
  switch (predicate) {
  case ComparePredicate::EQ:
    return arith::CmpIPredicate::eq;
  case ComparePredicate::NE:
    return arith::CmpIPredicate::ne;
  case ComparePredicate::LT:
    return isBool ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  case ComparePredicate::LE:
    return isBool ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  case ComparePredicate::GT:
    return isBool ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  case ComparePredicate::GE:
    return isBool ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  }
  llvm_unreachable("unknown predicate");
}

static Value emitCompare(Operation *op, OpBuilder &b, ValueRange x) {
  ComparePredicate predicate = cast<CompareOp>(op).getPredicate();
  if (isReal(x[0]))
    return arith::CmpFOp::create(b, op->getLoc(), realPredicate(predicate),
                                 x[0], x[1]);
  bool isBool = getElementTypeOrSelf(x[0].getType()).isInteger(1);
  return arith::CmpIOp::create(b, op->getLoc(),
                               integerPredicate(predicate, isBool), x[0], x[1]);
}

static Value emitSelect(Operation *op, OpBuilder &b, ValueRange x) {
  return arith::SelectOp::create(b, op->getLoc(), x[0], x[1], x[2]);
}

/// Converts between floating-point types; between bf16 and f16 through f32.
static Value castReal(OpBuilder &b, Location loc, Value x, Type to) {
  unsigned before = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned after = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (before < after)
    return arith::ExtFOp::create(b, loc, to, x);
  if (before == after) {
    Type single = withElement(to, b.getF32Type());
    x = arith::ExtFOp::create(b, loc, single, x);
  }
  return arith::TruncFOp::create(b, loc, to, x);
}

/// Converts to i1: true where not zero.
static Value castToBool(OpBuilder &b, Location loc, Value x) {
  Value zero = splat(b, loc, x.getType(), 0.0);
  if (isReal(x))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x, zero);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, zero);
}

static Value castInteger(OpBuilder &b, Location loc, Value x, Type to) {
  Type from = getElementTypeOrSelf(x.getType());
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, loc, to, x);
  if (from.getIntOrFloatBitWidth() <
      getElementTypeOrSelf(to).getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, loc, to, x);
  return arith::TruncIOp::create(b, loc, to, x);
}

static Value emitCast(Operation *op, OpBuilder &b, ValueRange operands) {
  Location loc = op->getLoc();
  Value x = operands[0];
  Type element =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  Type to = withElement(x.getType(), element);
  if (to == x.getType())
    return x;
  if (element.isInteger(1))
    return castToBool(b, loc, x);
  bool fromReal = isReal(x), toReal = isa<FloatType>(element);
  if (fromReal && toReal)
    return castReal(b, loc, x, to);
  if (fromReal)
    return arith::FPToSIOp::create(b, loc, to, x);
  if (!toReal)
    return castInteger(b, loc, x, to);
  if (getElementTypeOrSelf(x.getType()).isInteger(1))
    return arith::UIToFPOp::create(b, loc, to, x);
  return arith::SIToFPOp::create(b, loc, to, x);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

using Emit = Value (*)(Operation *, OpBuilder &, ValueRange);

template <typename OpTy, Emit emit>
struct PointwiseModel
    : PointwiseOpInterface::ExternalModel<PointwiseModel<OpTy, emit>, OpTy> {
  Value emitElement(Operation *op, OpBuilder &builder,
                    ValueRange operands) const {
    return emit(op, builder, operands);
  }
};

namespace {
/// A pointwise op of few instructions. PointwiseOpInterface emits the element.
template <typename OpTy>
struct CheapModel : KernelOpInterface::ExternalModel<CheapModel<OpTy>, OpTy> {
  KernelRole getKernelRole(Operation *) const { return KernelRole::Pointwise; }
  bool isCheap(Operation *) const { return true; }
  Value emitAt(Operation *, ElementBuilder &, const Index &) const {
    llvm_unreachable("a pointwise op says its element of elements");
  }
};
} // namespace

template <typename OpTy, Emit emit> static void attach(MLIRContext *context) {
  OpTy::template attachInterface<PointwiseModel<OpTy, emit>>(*context);
}

template <typename... Ops> static void attachCheap(MLIRContext *context) {
  (Ops::template attachInterface<CheapModel<Ops>>(*context), ...);
}

void sg::registerElementwiseCode(MLIRContext *context) {
  attach<NegOp, emitUnary<arith::NegFOp>>(context);
  attach<AbsOp, emitUnary<math::AbsFOp>>(context);
  attach<ExpOp, emitUnary<math::ExpOp>>(context);
  attach<LogOp, emitUnary<math::LogOp>>(context);
  attach<SqrtOp, emitUnary<math::SqrtOp>>(context);
  attach<TanhOp, emitUnary<math::TanhOp>>(context);
  attach<ErfOp, emitUnary<math::ErfOp>>(context);
  attach<RsqrtOp, emitRsqrt>(context);
  attach<SigmoidOp, emitSigmoid>(context);
  attach<ReluOp, emitRelu>(context);
  attach<ReluGradOp, emitReluGrad>(context);
  attach<AddOp, emitBinary<arith::AddFOp, arith::AddIOp>>(context);
  attach<SubOp, emitBinary<arith::SubFOp, arith::SubIOp>>(context);
  attach<MulOp, emitBinary<arith::MulFOp, arith::MulIOp>>(context);
  attach<DivOp, emitDiv>(context);
  attach<MaximumOp, emitMaximum>(context);
  attach<MinimumOp, emitMinimum>(context);
  attach<CompareOp, emitCompare>(context);
  attach<SelectOp, emitSelect>(context);
  attach<CastOp, emitCast>(context);
  attachCheap<AddOp, SubOp, MulOp, NegOp, AbsOp, ReluOp, ReluGradOp, CompareOp,
              SelectOp, CastOp, MaximumOp, MinimumOp>(context);
}
