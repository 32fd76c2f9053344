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
// 8-bit floating-point numbers
//===----------------------------------------------------------------------===//

/// The bits of 8-bit numbers: a sign, four bits of exponent with a bias of 7,
/// three of fraction.
static constexpr int64_t kFp8Sign = 0x80, kFp8Nan = 0x7f, kFp8Most = 0x7e;
/// The bits of fraction that f32 has more, and the difference of the biases as
/// an 8-bit number.
static constexpr int64_t kFp8Shift = 23 - 3, kFp8Bias = (127 - 7) << 3;

namespace {
/// Emits arithmetic on the bits of f32 numbers, each of the type of `like` with
/// elements of 32 bits.
struct Bits {
  OpBuilder &b;
  Location loc;
  Type integers, reals;

  Bits(OpBuilder &b, Location loc, Value like)
      : b(b), loc(loc), integers(withElement(like.getType(), b.getI32Type())),
        reals(withElement(like.getType(), b.getF32Type())) {}

  Value number(int64_t value) const {
    return splat(b, loc, integers, double(value));
  }
  Value real(double value) const { return splat(b, loc, reals, value); }
  Value bitsOf(Value x) const {
    return arith::BitcastOp::create(b, loc, integers, x);
  }
  Value realOf(Value bits) const {
    return arith::BitcastOp::create(b, loc, reals, bits);
  }
  template <typename OpTy> Value with(Value x, int64_t value) const {
    return OpTy::create(b, loc, x, number(value));
  }
};
} // namespace

static Value emitEncodeFp8(Operation *op, OpBuilder &b, ValueRange operands) {
  Location loc = op->getLoc();
  Bits bits(b, loc, operands[0]);
  Value x = operands[0];
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value pattern = bits.bitsOf(magnitude);
  // Normal numbers round at their last bit, carries included.
  Value odd = bits.with<arith::AndIOp>(
      bits.with<arith::ShRUIOp>(pattern, kFp8Shift), 1);
  Value half = bits.with<arith::AddIOp>(odd, (1 << (kFp8Shift - 1)) - 1);
  Value rounded = bits.with<arith::ShRUIOp>(
      arith::AddIOp::create(b, loc, pattern, half), kFp8Shift);
  Value normal = bits.with<arith::SubIOp>(rounded, kFp8Bias);
  // In a sum with 2^14, the last bit of f32 is worth 2^-9, the smallest number.
  constexpr double kLarge = 16384;
  Value sum = arith::AddFOp::create(b, loc, magnitude, bits.real(kLarge));
  Value small = arith::SubIOp::create(b, loc, bits.bitsOf(sum),
                                      bits.bitsOf(bits.real(kLarge)));
  constexpr double kLeastNormal = 0x1p-6;
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                        magnitude, bits.real(kLeastNormal));
  Value code = arith::SelectOp::create(b, loc, isSmall, small, normal);
  code = bits.with<arith::MinSIOp>(code, kFp8Most);
  Value sign = bits.with<arith::AndIOp>(
      bits.with<arith::ShRUIOp>(bits.bitsOf(x), 24), kFp8Sign);
  Value whole = arith::OrIOp::create(b, loc, code, sign);
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  whole = arith::SelectOp::create(b, loc, isNan, bits.number(kFp8Nan), whole);
  return arith::TruncIOp::create(
      b, loc, withElement(x.getType(), b.getI8Type()), whole);
}

static Value emitDecodeFp8(Operation *op, OpBuilder &b, ValueRange operands) {
  Location loc = op->getLoc();
  Bits bits(b, loc, operands[0]);
  Value whole = arith::ExtUIOp::create(b, loc, bits.integers, operands[0]);
  Value code = bits.with<arith::AndIOp>(whole, kFp8Nan);
  // Normal numbers have f32's exponent and fraction; others are multiples of
  // the smallest number.
  Value normal = bits.realOf(bits.with<arith::ShLIOp>(
      bits.with<arith::AddIOp>(code, kFp8Bias), kFp8Shift));
  constexpr double kLeast = 0x1p-9;
  Value small = arith::MulFOp::create(
      b, loc, arith::SIToFPOp::create(b, loc, bits.reals, code),
      bits.real(kLeast));
  constexpr int64_t kFirstNormal = 8;
  Value isSmall = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, code,
                                        bits.number(kFirstNormal));
  Value magnitude = arith::SelectOp::create(b, loc, isSmall, small, normal);
  Value isNan = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, code,
                                      bits.number(kFp8Nan));
  Value known = arith::SelectOp::create(
      b, loc, isNan, bits.real(std::numeric_limits<double>::quiet_NaN()),
      magnitude);
  Value sign =
      bits.with<arith::ShLIOp>(bits.with<arith::AndIOp>(whole, kFp8Sign), 24);
  return bits.realOf(arith::OrIOp::create(b, loc, bits.bitsOf(known), sign));
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
  attach<EncodeFp8Op, emitEncodeFp8>(context);
  attach<DecodeFp8Op, emitDecodeFp8>(context);
  attachCheap<AddOp, SubOp, MulOp, NegOp, AbsOp, ReluOp, ReluGradOp, CompareOp,
              SelectOp, CastOp, MaximumOp, MinimumOp>(context);
}
