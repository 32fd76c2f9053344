//===- Gather.cpp - Reading rows of a table by index ----------------------===//

#include "../Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

static LogicalResult checkIndices(std::optional<Location> loc, Value indices) {
  Type element = getElementTypeOrSelf(indices.getType());
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOptionalError(loc, "indices must be i32 or i64, but are ",
                             element);
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto table = tensorOf(adaptor.getTable());
  if (table.getRank() < 1)
    return emitOptionalError(loc, "gather needs a table of rank 1 or more");
  SmallVector<int64_t> shape(tensorOf(adaptor.getIndices()).getShape());
  llvm::append_range(shape, table.getShape().drop_front());
  types.push_back(RankedTensorType::get(shape, table.getElementType()));
  return checkIndices(loc, adaptor.getIndices());
}

LogicalResult GatherGradOp::verify() {
  auto table = tensorOf(getResult()), dy = tensorOf(getDy());
  if (table.getRank() < 1)
    return emitOpError() << "needs a table of rank 1 or more";
  SmallVector<int64_t> shape(tensorOf(getIndices()).getShape());
  llvm::append_range(shape, table.getShape().drop_front());
  auto expected = RankedTensorType::get(shape, table.getElementType());
  if (dy != expected)
    return emitOpError() << "of a table " << table << " needs a cotangent "
                         << expected << ", but has " << dy;
  return checkIndices(getLoc(), getIndices());
}

//===----------------------------------------------------------------------===//
// Derivative and decomposition
//===----------------------------------------------------------------------===//

/// Keeps the indices.
static Value gatherGradient(GatherOp op, VjpContext &context, Emitter &e,
                            Value dy) {
  Value indices = context.forward(op.getIndices());
  return e.make<GatherGradOp>(op.getTable().getType(), indices, dy);
}

/// dtable[k,...] = sum over n of dy[n,...] where indices[n] is k, else 0.
static Values decompose(GatherGradOp op, Emitter &e) {
  auto table = tensorOf(op.getResult());
  int64_t rows = table.getDimSize(0);
  int64_t count = tensorOf(op.getIndices()).getNumElements();
  int64_t width = table.getNumElements() / rows;
  Type counter = tensorOf(op.getIndices()).getElementType();
  auto typed = [&](Type element) {
    return RankedTensorType::get({rows, width, count}, element);
  };
  Value indices = e.make<ReshapeOp>(RankedTensorType::get({count}, counter),
                                    op.getIndices());
  Value rowNumber = e.make<IotaOp>(typed(counter), 0);
  Value wanted =
      e.make<BroadcastOp>(typed(counter), indices, ArrayRef<int64_t>{2});
  Value mask = e.compare(ComparePredicate::EQ, rowNumber, wanted);
  Value flat = e.make<ReshapeOp>(
      RankedTensorType::get({count, width}, table.getElementType()),
      op.getDy());
  Value turned = e.make<TransposeOp>(flat, ArrayRef<int64_t>{1, 0});
  Value repeated = e.make<BroadcastOp>(typed(table.getElementType()), turned,
                                       ArrayRef<int64_t>{1, 2});
  Value picked = e.select(mask, repeated, e.zeros(repeated));
  Value sum = e.make<ReduceSumOp>(picked, ArrayRef<int64_t>{2});
  return {e.make<ReshapeOp>(table, sum)};
}

//===----------------------------------------------------------------------===//
// Elements in kernels
//===----------------------------------------------------------------------===//

namespace {
/// Neighbours along the table's dimensions are neighbours in a row of it;
/// neighbours along the dimensions of the indices are in unrelated rows.
struct GatherModel : KernelOpInterface::ExternalModel<GatherModel, GatherOp> {
  OperandLanes getOperandLanes(Operation *op, unsigned operand,
                               unsigned dim) const {
    unsigned rank = tensorOf(cast<GatherOp>(op).getIndices()).getRank();
    if (dim < rank)
      return OperandLanes::apart();
    return operand == 0 ? OperandLanes::along(1 + dim - rank)
                        : OperandLanes::same();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const;
};
} // namespace

Value GatherModel::emitAt(Operation *operation, ElementBuilder &e,
                          const Index &index) const {
  auto op = cast<GatherOp>(operation);
  RankedTensorType table = tensorOf(op.getTable()),
                   indices = tensorOf(op.getIndices());
  unsigned rank = indices.getRank();
  Index where = e.moved(
      index, indices, ArrayRef<Value>(index.at).take_front(rank), std::nullopt);
  Value row = e.evaluate(op.getIndices(), where);
  if (!row.getType().isInteger(64))
    row = arith::ExtSIOp::create(e.builder, e.loc, e.builder.getI64Type(), row);
  SmallVector<Value> at = {row};
  llvm::append_range(at, ArrayRef<Value>(index.at).drop_front(rank));
  std::optional<unsigned> lane;
  if (index.lane)
    lane = 1 + *index.lane - rank;
  Type element = e.typeAt(table.getElementType(), index);
  Index source = e.moved(index, table, at, lane);
  return e.select(
      e.inBounds(row, table.getDimSize(0)), element,
      [&] { return e.evaluateMoved(op.getTable(), source, index); },
      [&] { return e.splat(element, 0.0); });
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Every row of the table is compared with every index.
static uint64_t gatherGradFlops(Operation *op) {
  auto grad = cast<GatherGradOp>(op);
  return 2 * elements(grad.getIndices()) * elements(grad.getResult());
}

void sg::registerGatherModels(MLIRContext *context) {
  attachUnary<GatherOp, gatherGradient>(context);
  attachDecomposition<GatherGradOp, decompose>(context);
  GatherOp::attachInterface<GatherModel>(*context);
  attachCost<KernelClass::Pointwise, noFlops, takenBytes, GatherOp>(context);
  attachReductionCost<gatherGradFlops, GatherGradOp>(context);
  attachAutocast<AutocastRule::First, GatherOp>(context);
}
