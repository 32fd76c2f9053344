//===- Reduction.cpp - Sums and maxima over dimensions --------------------===//

#include "../Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static LogicalResult inferReduce(std::optional<Location> loc, Value operand,
                                 ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Type> &types) {
  auto from = tensorOf(operand);
  int64_t last = -1;
  for (int64_t d : dims) {
    if (d <= last || d >= from.getRank())
      return emitOptionalError(
          loc, "dims must increase and lie below the rank ", from.getRank());
    last = d;
  }
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      shape.push_back(from.getDimSize(d));
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferReduce(loc, adaptor.getOperand(), adaptor.getDims(), types);
}

LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferReduce(loc, adaptor.getOperand(), adaptor.getDims(), types);
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor) { return foldIfSameType(*this); }

OpFoldResult ReduceMaxOp::fold(FoldAdaptor) { return foldIfSameType(*this); }

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// `value`, which lacks the reduced dimensions, repeated along them.
template <typename OpTy>
static Value repeatReduced(OpTy op, Emitter &e, Value value) {
  auto from = tensorOf(op.getOperand());
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (!llvm::is_contained(op.getDims(), d))
      kept.push_back(d);
  auto to =
      RankedTensorType::get(from.getShape(), tensorOf(value).getElementType());
  return e.make<BroadcastOp>(to, value, kept);
}

static Value reduceSumAdjoint(ReduceSumOp op, Emitter &e, Value dy) {
  return repeatReduced(op, e, dy);
}

/// Equal maxima share the cotangent evenly.
static Value reduceMaxGradient(ReduceMaxOp op, VjpContext &context, Emitter &e,
                               Value dy) {
  Value x = context.forward(op.getOperand());
  Value maximum = repeatReduced(op, e, context.forward(op.getResult()));
  Value mask = e.compare(ComparePredicate::EQ, x, maximum);
  Value ones = e.make<CastOp>(x.getType(), mask);
  Value count = e.make<ReduceSumOp>(ones, op.getDims());
  Value quotient = e.div(dy, count);
  Value share = repeatReduced(op, e, quotient);
  Value zero = e.zeros(x);
  return e.select(mask, share, zero);
}

//===----------------------------------------------------------------------===//
// Code in kernels
//===----------------------------------------------------------------------===//

namespace {
/// The common part of sg's reductions.
template <typename Model, typename OpTy>
struct ReductionModel : ReductionOpInterface::ExternalModel<Model, OpTy> {
  ArrayRef<int64_t> getReducedDims(Operation *op) const {
    return cast<OpTy>(op).getDims();
  }
  Value createOver(Operation *, OpBuilder &b, Location loc, Value operand,
                   ArrayRef<int64_t> dims) const {
    return OpTy::create(b, loc, operand, dims);
  }
};

struct SumModel : ReductionModel<SumModel, ReduceSumOp> {
  bool losesDigits(Operation *) const { return true; }
  double getIdentity(Operation *, Type) const { return 0.0; }
  Value combine(Operation *, OpBuilder &b, Location loc, Value x,
                Value y) const {
    if (isReal(x))
      return arith::AddFOp::create(b, loc, x, y);
    return arith::AddIOp::create(b, loc, x, y);
  }
};

struct MaxModel : ReductionModel<MaxModel, ReduceMaxOp> {
  bool losesDigits(Operation *) const { return false; }
  double getIdentity(Operation *, Type element) const {
    if (isa<FloatType>(element))
      return -std::numeric_limits<double>::infinity();
    unsigned width = element.getIntOrFloatBitWidth();
    return width == 1 ? 0.0 : -std::ldexp(1.0, width - 1);
  }
  Value combine(Operation *, OpBuilder &b, Location loc, Value x,
                Value y) const {
    if (isReal(x))
      return arith::MaximumFOp::create(b, loc, x, y);
    if (getElementTypeOrSelf(x.getType()).isInteger(1))
      return arith::OrIOp::create(b, loc, x, y);
    return arith::MaxSIOp::create(b, loc, x, y);
  }
};
} // namespace

void sg::registerReductionModels(MLIRContext *context) {
  attachLinear<ReduceSumOp, reduceSumAdjoint>(context);
  attachUnary<ReduceMaxOp, reduceMaxGradient>(context);
  ReduceSumOp::attachInterface<SumModel>(*context);
  ReduceMaxOp::attachInterface<MaxModel>(*context);
  attachReductionCost<perOperand<1>, ReduceSumOp, ReduceMaxOp>(context);
  attachAutocast<AutocastRule::Wide, ReduceSumOp>(context);
  attachAutocast<AutocastRule::First, ReduceMaxOp>(context);
}
