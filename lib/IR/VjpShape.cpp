//===- VjpShape.cpp - Derivatives of moving and reducing ops --------------===//
//
// All of them except reduce_max are linear, and so keep nothing: the derivative
// of a move is the inverse move, that of a repetition the sum, that of a sum
// the repetition.
//
//===----------------------------------------------------------------------===//

#include "VjpModel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// The derivative of a linear op of one operand, from the cotangent alone.
template <typename OpTy, Value (*adjoint)(OpTy, Emitter &, Value)>
static LogicalResult linearVjp(OpTy op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op->getOpOperand(0)))
    return success();
  Emitter e(context.builder, op.getLoc());
  context.addGradient(op->getOpOperand(0), adjoint(op, e, dy));
  return success();
}

/// The sum along the repeated dimensions.
static Value broadcastAdjoint(BroadcastOp op, Emitter &e, Value dy) {
  auto from = tensorOf(op.getOperand());
  auto to = tensorOf(op.getResult());
  SmallVector<int64_t> summed;
  for (int64_t d = 0; d < to.getRank(); ++d) {
    const int64_t *found = llvm::find(op.getDims(), d);
    bool repeated =
        found == op.getDims().end() ||
        from.getDimSize(found - op.getDims().begin()) != to.getDimSize(d);
    if (repeated)
      summed.push_back(d);
  }
  if (!summed.empty())
    dy = e.make<ReduceSumOp>(dy, summed);
  if (dy.getType() != from)
    dy = e.make<ReshapeOp>(from, dy);
  return dy;
}

template <typename OpTy> static Value markAdjoint(OpTy, Emitter &, Value dy) {
  return dy;
}

static Value reshapeAdjoint(ReshapeOp op, Emitter &e, Value dy) {
  return e.make<ReshapeOp>(op.getOperand().getType(), dy);
}

static Value transposeAdjoint(TransposeOp op, Emitter &e, Value dy) {
  SmallVector<int64_t> inverse(op.getPermutation().size());
  for (auto [k, d] : llvm::enumerate(op.getPermutation()))
    inverse[d] = k;
  return e.make<TransposeOp>(dy, inverse);
}

/// Zeros around and between the elements of the slice.
static Value sliceAdjoint(SliceOp op, Emitter &e, Value dy) {
  auto from = tensorOf(op.getOperand());
  auto to = tensorOf(op.getResult());
  SmallVector<int64_t> high, interior;
  for (int64_t d = 0; d < from.getRank(); ++d) {
    int64_t stride = op.getStrides()[d];
    int64_t last = op.getStarts()[d] + (to.getDimSize(d) - 1) * stride;
    high.push_back(from.getDimSize(d) - 1 - last);
    interior.push_back(stride - 1);
  }
  return e.make<PadOp>(dy, op.getStarts(), high, interior, APFloat(0.0));
}

/// The elements that came from the operand.
static Value padAdjoint(PadOp op, Emitter &e, Value dy) {
  auto from = tensorOf(op.getOperand());
  SmallVector<int64_t> limits, strides;
  for (int64_t d = 0; d < from.getRank(); ++d) {
    int64_t stride = op.getInterior()[d] + 1;
    limits.push_back(op.getLow()[d] + (from.getDimSize(d) - 1) * stride + 1);
    strides.push_back(stride);
  }
  return e.make<SliceOp>(dy, op.getLow(), limits, strides);
}

static LogicalResult concatVjp(ConcatOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  auto type = tensorOf(dy);
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  int64_t dim = op.getDim(), start = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    starts[dim] = start;
    start += tensorOf(operand.get()).getDimSize(dim);
    limits[dim] = start;
    if (context.needsGradient(operand))
      context.addGradient(operand,
                          e.make<SliceOp>(dy, starts, limits, strides));
  }
  return success();
}

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
static LogicalResult reduceMaxVjp(ReduceMaxOp op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op->getOpOperand(0)))
    return success();
  Emitter e(context.builder, op.getLoc());
  Value x = context.forward(op.getOperand());
  Value maximum = repeatReduced(op, e, context.forward(op.getResult()));
  Value mask = e.compare(ComparePredicate::EQ, x, maximum);
  Value ones = e.make<CastOp>(x.getType(), mask);
  Value count = e.make<ReduceSumOp>(ones, op.getDims());
  Value quotient = e.div(dy, count);
  Value share = repeatReduced(op, e, quotient);
  Value zero = e.zeros(x);
  context.addGradient(op->getOpOperand(0), e.select(mask, share, zero));
  return success();
}

template <typename OpTy, Value (*adjoint)(OpTy, Emitter &, Value)>
static void attachLinear(MLIRContext *context) {
  attachVjp<OpTy, linearVjp<OpTy, adjoint>>(context);
}

void sg::registerShapeVjps(MLIRContext *context) {
  attachLinear<BroadcastOp, broadcastAdjoint>(context);
  attachLinear<ReshapeOp, reshapeAdjoint>(context);
  attachLinear<KeepOp, markAdjoint<KeepOp>>(context);
  attachLinear<RecomputeOp, markAdjoint<RecomputeOp>>(context);
  attachLinear<TransposeOp, transposeAdjoint>(context);
  attachLinear<SliceOp, sliceAdjoint>(context);
  attachLinear<PadOp, padAdjoint>(context);
  attachLinear<ReduceSumOp, reduceSumAdjoint>(context);
  attachVjp<ConcatOp, concatVjp>(context);
  attachVjp<ReduceMaxOp, reduceMaxVjp>(context);
}
