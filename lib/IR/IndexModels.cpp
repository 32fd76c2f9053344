//===- IndexModels.cpp - Elements of ops that compute an index ------------===//

#include "Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

struct RollModel : KernelOpInterface::ExternalModel<RollModel, RollOp> {
  OperandLanes getOperandLanes(Operation *op, unsigned, unsigned dim) const {
    return cast<RollOp>(op).getShifts()[dim] == 0 ? OperandLanes::along(dim)
                                                  : OperandLanes::apart();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const;
};

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

void sg::registerIndexModels(MLIRContext *context) {
  RollOp::attachInterface<RollModel>(*context);
  GatherOp::attachInterface<GatherModel>(*context);
}
