//===- Movement.cpp - Repeating, reordering, cutting, joining -------------===//
//
// Moves are linear, and so keep nothing for the derivative, which is the
// inverse move; that of a repetition is the sum.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

//===----------------------------------------------------------------------===//
// Types and rules
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type";
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError() << "has " << getDims().size()
                         << " dims for an operand of rank " << from.getRank();
  int64_t last = -1;
  for (auto [k, d] : llvm::enumerate(getDims())) {
    if (d <= last || d >= to.getRank())
      return emitOpError() << "has dims that do not increase below the rank "
                           << to.getRank();
    last = d;
    if (from.getDimSize(k) != 1 && from.getDimSize(k) != to.getDimSize(d))
      return emitOpError() << "cannot repeat extent " << from.getDimSize(k)
                           << " to " << to.getDimSize(d);
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type";
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "has " << from.getNumElements()
                         << " elements before and " << to.getNumElements()
                         << " after";
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto from = tensorOf(adaptor.getOperand());
  llvm::SmallSet<int64_t, 6> seen;
  SmallVector<int64_t> shape;
  for (int64_t d : adaptor.getPermutation()) {
    if (d < 0 || d >= from.getRank() || !seen.insert(d).second)
      return emitOptionalError(loc, "perm is not a permutation of ",
                               from.getRank(), " dimensions");
    shape.push_back(from.getDimSize(d));
  }
  if (static_cast<int64_t>(shape.size()) != from.getRank())
    return emitOptionalError(loc, "perm has ", shape.size(),
                             " entries for rank ", from.getRank());
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto from = tensorOf(adaptor.getOperand());
  size_t rank = from.getRank();
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(),
                    strides = adaptor.getStrides();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(loc, "starts, limits and strides need ", rank,
                             " entries each");
  SmallVector<int64_t> shape;
  for (size_t d = 0; d < rank; ++d) {
    if (starts[d] < 0 || limits[d] <= starts[d] ||
        limits[d] > from.getDimSize(d) || strides[d] < 1 ||
        strides[d] > INT32_MAX)
      return emitOptionalError(loc, "slice [", starts[d], ", ", limits[d],
                               ") by ", strides[d], " does not fit extent ",
                               from.getDimSize(d));
    shape.push_back((limits[d] - starts[d] + strides[d] - 1) / strides[d]);
  }
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto from = tensorOf(adaptor.getOperand());
  size_t rank = from.getRank();
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(),
                    interior = adaptor.getInterior();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return emitOptionalError(loc, "low, high and interior need ", rank,
                             " entries each");
  SmallVector<int64_t> shape;
  for (size_t d = 0; d < rank; ++d) {
    for (int64_t v : {low[d], high[d], interior[d]})
      if (v < 0 || v > INT32_MAX)
        return emitOptionalError(loc, "padding must be between 0 and ",
                                 INT32_MAX, ", but is ", v);
    shape.push_back(low[d] + high[d] + from.getDimSize(d) +
                    std::max<int64_t>(from.getDimSize(d) - 1, 0) * interior[d]);
  }
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getOperands().empty())
    return emitOptionalError(loc, "concat needs an operand");
  auto first = tensorOf(adaptor.getOperands()[0]);
  int64_t dim = adaptor.getDim(), extent = 0;
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(loc, "concat along dimension ", dim,
                             " of tensors of rank ", first.getRank());
  for (Value operand : adaptor.getOperands()) {
    auto type = tensorOf(operand);
    if (type.getRank() != first.getRank() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "concat of tensors of different rank or "
                                    "element type");
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim && type.getDimSize(d) != first.getDimSize(d))
        return emitOptionalError(loc, "concat of extents ", first.getDimSize(d),
                                 " and ", type.getDimSize(d), " in dimension ",
                                 d);
    extent += type.getDimSize(dim);
  }
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = extent;
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

LogicalResult RollOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto from = tensorOf(adaptor.getOperand());
  if (!from.hasStaticShape())
    return emitOptionalError(loc, "roll needs a static shape, but has ", from);
  if (static_cast<int64_t>(adaptor.getShifts().size()) != from.getRank())
    return emitOptionalError(loc, "roll of rank ", from.getRank(), " has ",
                             adaptor.getShifts().size(), " shifts");
  for (auto [shift, extent] : llvm::zip(adaptor.getShifts(), from.getShape()))
    if (shift <= -extent || shift >= extent)
      return emitOptionalError(loc, "roll by ", shift, " does not fit extent ",
                               extent);
  types.push_back(from);
  return success();
}

//===----------------------------------------------------------------------===//
// Simplifications
//===----------------------------------------------------------------------===//

/// Its dims increase, so that if the type is unchanged they are the identity.
OpFoldResult BroadcastOp::fold(FoldAdaptor) { return foldIfSameType(*this); }

/// A part of the whole extent in every dimension is the whole.
OpFoldResult SliceOp::fold(FoldAdaptor) { return foldIfSameType(*this); }

OpFoldResult PadOp::fold(FoldAdaptor) {
  // Interior padding in a dimension of extent 1 adds nothing, whatever its
  // value.
  return foldIfSameType(*this);
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getNumOperands() == 1)
    return getOperand(0);
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  if (auto before = getOperand().getDefiningOp<ReshapeOp>()) {
    setOperand(before.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult RollOp::fold(FoldAdaptor) {
  if (llvm::all_of(getShifts(), [](int64_t shift) { return shift == 0; }))
    return getOperand();
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool identity = true;
  for (auto [k, d] : llvm::enumerate(getPermutation()))
    identity &= static_cast<int64_t>(k) == d;
  if (identity)
    return getOperand();
  auto before = getOperand().getDefiningOp<TransposeOp>();
  if (!before)
    return {};
  SmallVector<int64_t> composed;
  for (int64_t d : getPermutation())
    composed.push_back(before.getPermutation()[d]);
  setPermutation(composed);
  setOperand(before.getOperand());
  return getResult();
}

//===----------------------------------------------------------------------===//
// Derivatives and decompositions
//===----------------------------------------------------------------------===//

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

/// Rolls back by the same shifts.
static Value rollGradient(RollOp op, VjpContext &context, Emitter &e,
                          Value dy) {
  SmallVector<int64_t> back;
  for (int64_t shift : op.getShifts())
    back.push_back(-shift);
  return e.make<RollOp>(dy, back);
}

//===----------------------------------------------------------------------===//
// Elements in kernels
//===----------------------------------------------------------------------===//

/// A unit dimension that is repeated is read at 0.
static AffineMap mapOf(BroadcastOp op) {
  auto from = tensorOf(op.getOperand()), to = tensorOf(op.getResult());
  SmallVector<AffineExpr> exprs;
  for (auto [k, d] : llvm::enumerate(op.getDims()))
    exprs.push_back(from.getDimSize(k) == 1
                        ? getAffineConstantExpr(0, op.getContext())
                        : getAffineDimExpr(d, op.getContext()));
  return AffineMap::get(to.getRank(), 0, exprs, op.getContext());
}

static AffineMap mapOf(TransposeOp op) {
  unsigned rank = op.getPermutation().size();
  SmallVector<AffineExpr> exprs(rank);
  for (auto [k, d] : llvm::enumerate(op.getPermutation()))
    exprs[d] = getAffineDimExpr(k, op.getContext());
  return AffineMap::get(rank, 0, exprs, op.getContext());
}

static AffineMap mapOf(SliceOp op) {
  SmallVector<AffineExpr> exprs;
  for (auto [k, start] : llvm::enumerate(op.getStarts()))
    exprs.push_back(getAffineDimExpr(k, op.getContext()) * op.getStrides()[k] +
                    start);
  return AffineMap::get(exprs.size(), 0, exprs, op.getContext());
}

namespace {
template <typename OpTy>
struct IndexMapModel
    : IndexMapOpInterface::ExternalModel<IndexMapModel<OpTy>, OpTy> {
  AffineMap getIndexMap(Operation *op) const { return mapOf(cast<OpTy>(op)); }
};

/// An op that moves elements by a map gets its element from that map; a
/// broadcast is repeated by all of its readers.
struct BroadcastModel
    : KernelOpInterface::ExternalModel<BroadcastModel, BroadcastOp> {
  KernelRole getKernelRole(Operation *) const { return KernelRole::Repeated; }
  Value emitAt(Operation *, ElementBuilder &, const Index &) const {
    llvm_unreachable("an index map says the element");
  }
};

struct PadModel : KernelOpInterface::ExternalModel<PadModel, PadOp> {
  OperandLanes getOperandLanes(Operation *op, unsigned, unsigned dim) const {
    auto pad = cast<PadOp>(op);
    bool isFree = pad.getLow()[dim] == 0 && pad.getHigh()[dim] == 0 &&
                  pad.getInterior()[dim] == 0;
    return isFree ? OperandLanes::along(dim) : OperandLanes::apart();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const;
};

struct ConcatModel : KernelOpInterface::ExternalModel<ConcatModel, ConcatOp> {
  OperandLanes getOperandLanes(Operation *op, unsigned, unsigned dim) const {
    return cast<ConcatOp>(op).getDim() == dim ? OperandLanes::apart()
                                              : OperandLanes::along(dim);
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const {
    return emitFrom(cast<ConcatOp>(op), e, 0, 0, index);
  }

private:
  /// The element if it belongs to operand `first`, which begins at `offset`, or
  /// to a later one.
  static Value emitFrom(ConcatOp op, ElementBuilder &e, unsigned first,
                        int64_t offset, const Index &index);
};

struct RollModel : KernelOpInterface::ExternalModel<RollModel, RollOp> {
  OperandLanes getOperandLanes(Operation *op, unsigned, unsigned dim) const {
    return cast<RollOp>(op).getShifts()[dim] == 0 ? OperandLanes::along(dim)
                                                  : OperandLanes::apart();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const;
};
} // namespace

Value PadModel::emitAt(Operation *operation, ElementBuilder &e,
                       const Index &index) const {
  auto op = cast<PadOp>(operation);
  RankedTensorType type = tensorOf(op.getOperand());
  SmallVector<Value> at;
  Value inside = arith::ConstantIntOp::create(e.builder, e.loc, 1, 1);
  for (unsigned d = 0; d < type.getRank(); ++d) {
    Value position = e.add(index.at[d], -op.getLow()[d]);
    if (index.lane != d) {
      Value exact;
      std::tie(position, exact) =
          e.divideExactly(position, op.getInterior()[d] + 1);
      Value within = e.inBounds(position, type.getDimSize(d));
      inside = arith::AndIOp::create(e.builder, e.loc, inside, exact);
      inside = arith::AndIOp::create(e.builder, e.loc, inside, within);
    }
    at.push_back(position);
  }
  Type element = e.typeAt(type.getElementType(), index);
  Index source = e.moved(index, type, at, index.lane);
  return e.select(
      inside, element,
      [&] { return e.evaluateMoved(op.getOperand(), source, index); },
      [&] { return e.splat(element, op.getValue().convertToDouble()); });
}

Value ConcatModel::emitFrom(ConcatOp op, ElementBuilder &e, unsigned first,
                            int64_t offset, const Index &index) {
  Value operand = op.getOperands()[first];
  SmallVector<Value> at(index.at);
  at[op.getDim()] = e.add(at[op.getDim()], -offset);
  Index source = e.moved(index, operand.getType(), at, index.lane);
  if (first + 1 == op.getOperands().size())
    return e.evaluateMoved(operand, source, index);
  int64_t end = offset + tensorOf(operand).getDimSize(op.getDim());
  Value here =
      arith::CmpIOp::create(e.builder, e.loc, arith::CmpIPredicate::slt,
                            index.at[op.getDim()], e.constant(end));
  return e.select(
      here, e.typeAt(tensorOf(operand).getElementType(), index),
      [&] { return e.evaluateMoved(operand, source, index); },
      [&] { return emitFrom(op, e, first + 1, end, index); });
}

/// A shift s > 0 reads at i - s, or, if that is negative, from the end.
Value RollModel::emitAt(Operation *operation, ElementBuilder &e,
                        const Index &index) const {
  auto op = cast<RollOp>(operation);
  RankedTensorType type = tensorOf(op.getOperand());
  SmallVector<Value> at;
  for (auto [d, shift] : llvm::enumerate(op.getShifts())) {
    if (shift == 0) {
      at.push_back(index.at[d]);
      continue;
    }
    int64_t extent = type.getDimSize(d);
    int64_t seam = shift > 0 ? shift : extent + shift;
    Value behind = e.add(index.at[d], -seam);
    Value before = e.add(index.at[d], extent - seam);
    Value wraps =
        arith::CmpIOp::create(e.builder, e.loc, arith::CmpIPredicate::slt,
                              index.at[d], e.constant(seam));
    at.push_back(
        arith::SelectOp::create(e.builder, e.loc, wraps, before, behind));
  }
  Index source = e.moved(index, type, at, index.lane);
  return e.evaluateMoved(op.getOperand(), source, index);
}

void sg::registerMovementModels(MLIRContext *context) {
  attachLinear<BroadcastOp, broadcastAdjoint>(context);
  attachLinear<ReshapeOp, reshapeAdjoint>(context);
  attachLinear<TransposeOp, transposeAdjoint>(context);
  attachLinear<SliceOp, sliceAdjoint>(context);
  attachLinear<PadOp, padAdjoint>(context);
  attachVjp<ConcatOp, concatVjp>(context);
  attachUnary<RollOp, rollGradient>(context);
  BroadcastOp::attachInterface<IndexMapModel<BroadcastOp>>(*context);
  TransposeOp::attachInterface<IndexMapModel<TransposeOp>>(*context);
  SliceOp::attachInterface<IndexMapModel<SliceOp>>(*context);
  BroadcastOp::attachInterface<BroadcastModel>(*context);
  PadOp::attachInterface<PadModel>(*context);
  ConcatOp::attachInterface<ConcatModel>(*context);
  RollOp::attachInterface<RollModel>(*context);
  attachCost<KernelClass::None, noFlops, noBytes, ReshapeOp>(context);
  attachPointwiseCost<noFlops, BroadcastOp, TransposeOp, PadOp, ConcatOp,
                      RollOp>(context);
  attachCost<KernelClass::Pointwise, noFlops, takenBytes, SliceOp>(context);
  attachAutocast<AutocastRule::Widest, ConcatOp>(context);
  attachAutocast<AutocastRule::First, BroadcastOp, PadOp, ReshapeOp, RollOp,
                 SliceOp, TransposeOp>(context);
}
