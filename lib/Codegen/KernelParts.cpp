//===- KernelParts.cpp - Code common to all kernels -----------------------===//

#include "reprise/Codegen/KernelParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;

SmallVector<Value> KernelParts::fold(Value begin, Value end, int64_t step,
                                     ValueRange init, FoldBody run) {
  auto loop =
      scf::ForOp::create(b, e.loc, begin, end, e.constant(step), init,
                         [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> position = at;
  e.forget();
  SmallVector<Value> next =
      run(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, e.loc, next);
  e.forget();
  at = position;
  return SmallVector<Value>(loop.getResults());
}

void KernelParts::loop(Value begin, Value end, int64_t step, LoopBody run) {
  fold(begin, end, step, {}, [&](Value i, ValueRange) {
    run(i);
    return SmallVector<Value>();
  });
}

Index KernelParts::indexAt(ArrayRef<Value> position) {
  Index index;
  index.at.assign(position.begin(), position.end());
  if (space.merged)
    index.extents = space.extents;
  else
    index.extents = space.shape;
  if (space.vectorized)
    index.lane = position.size() - 1;
  return index;
}

void KernelParts::storePointwise(const Index &index) {
  SmallVector<std::pair<unsigned, Value>> elements;
  OperandRange yielded = body.getTerminator()->getOperands();
  // All loads before any store: an output may overlap an input.
  for (unsigned i : pass->stored) {
    Value element = e.evaluate(yielded[i], index);
    elements.push_back({i, element});
  }
  for (auto [i, element] : elements)
    e.store(body.getNumArguments() + i, yielded[i].getType(), element, index);
}

void KernelParts::evaluatePointwise(const Index &index) {
  for (unsigned i : pass->stored)
    e.evaluate(body.getTerminator()->getOperand(i), index);
}

Type reprise::accumulatorType(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  bool narrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return narrow ? Type(Float32Type::get(element.getContext())) : element;
}

Value KernelParts::identity(Operation *op, bool lanes) {
  Type type = accumulatorType(op);
  double value = cast<ReductionOpInterface>(op).getIdentity(type);
  return e.splat(lanes ? Type(e.vectorOf(type)) : type, value);
}

Value KernelParts::combine(Operation *op, Value x, Value y) {
  return cast<ReductionOpInterface>(op).combine(b, e.loc, x, y);
}

Value KernelParts::accumulated(Operation *op, const Index &index) {
  Value element = e.evaluate(op->getOperand(0), index);
  if (index.lane)
    element = e.toLanes(element);
  Type type = accumulatorType(op);
  if (getElementTypeOrSelf(element.getType()) == type)
    return element;
  Type wide = index.lane ? Type(e.vectorOf(type)) : type;
  return arith::ExtFOp::create(b, e.loc, wide, element);
}

Value KernelParts::acrossLanes(Operation *op, Value lanes) {
  for (int64_t half = e.allLanes() / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(i + half);
    }
    Value x = vector::ShuffleOp::create(b, e.loc, lanes, lanes, low);
    Value y = vector::ShuffleOp::create(b, e.loc, lanes, lanes, high);
    lanes = combine(op, x, y);
  }
  return vector::ExtractOp::create(b, e.loc, lanes, int64_t{0});
}

Index KernelParts::keptIndex() {
  Index index;
  for (auto [d, isReduced] : llvm::enumerate(space.reduced)) {
    if (isReduced)
      continue;
    if (d + 1 == space.extents.size() && space.vectorized)
      index.lane = index.at.size();
    index.at.push_back(at[d]);
    index.extents.push_back(space.extents[d]);
  }
  return index;
}

Value KernelParts::rounded(Operation *op, Value total, const Index &index) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (getElementTypeOrSelf(total.getType()) == element)
    return total;
  return arith::TruncFOp::create(b, e.loc, e.typeAt(element, index), total);
}

void KernelParts::setRowOps(const Index &row) {
  for (Operation *op : pass->rowOps)
    e.setRowElement(op->getResult(0), e.evaluate(op->getResult(0), row));
}

void KernelParts::storeRowResults(const Index &row) {
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (Value element = e.rowElement(value))
      e.store(body.getNumArguments() + i, value.getType(), element, row);
}
