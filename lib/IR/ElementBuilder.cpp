//===- ElementBuilder.cpp - Elements of a kernel's values -----------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;

#include "reprise/IR/KernelInterfaces.cpp.inc"

ElementBuilder::~ElementBuilder() = default;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value ElementBuilder::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

static std::optional<int64_t> asConstant(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

Value ElementBuilder::add(Value a, Value b) {
  std::optional<int64_t> x = asConstant(a), y = asConstant(b);
  if (x && y)
    return constant(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return arith::AddIOp::create(builder, loc, a, b);
}

Value ElementBuilder::multiply(Value a, int64_t b) {
  if (b == 1)
    return a;
  if (b == 0)
    return constant(0);
  if (std::optional<int64_t> x = asConstant(a))
    return constant(*x * b);
  return arith::MulIOp::create(builder, loc, a, constant(b));
}

Value ElementBuilder::splat(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(builder.getFloatAttr(element, value))
                       : TypedAttr(builder.getIntegerAttr(
                             element, static_cast<int64_t>(value)));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

Value ElementBuilder::inBounds(Value at, int64_t extent) {
  // A negative number is above every extent, unsigned.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at,
                               constant(extent));
}

std::pair<Value, Value> ElementBuilder::divideExactly(Value at,
                                                      int64_t divisor) {
  Value by = constant(divisor);
  Value quotient = arith::DivSIOp::create(builder, loc, at, by);
  Value back = arith::MulIOp::create(builder, loc, quotient, by);
  Value exact =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, back, at);
  return {quotient, exact};
}

Value ElementBuilder::affine(AffineExpr expr, const Index &index) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return index.at[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = affine(binary.getLHS(), index);
  if (expr.getKind() == AffineExprKind::Mul)
    return multiply(lhs, cast<AffineConstantExpr>(binary.getRHS()).getValue());
  assert(expr.getKind() == AffineExprKind::Add && "index maps only scale");
  return add(lhs, affine(binary.getRHS(), index));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value ElementBuilder::toLanes(Value element) {
  if (isa<VectorType>(element.getType()))
    return element;
  return vector::BroadcastOp::create(builder, loc, vectorOf(element.getType()),
                                     element);
}

Value ElementBuilder::laneNumbers() {
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < lanes; ++i)
    numbers.push_back(i);
  VectorType type = vectorOf(builder.getI64Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Elements between neighbours along each dimension.
static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> extents) {
  SmallVector<int64_t> strides(extents.size(), 1);
  for (int64_t d = static_cast<int64_t>(extents.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * extents[d + 1];
  return strides;
}

Value ElementBuilder::linear(const Index &index) {
  Value offset = constant(0);
  for (auto [at, stride] : llvm::zip(index.at, stridesOf(index.extents)))
    offset = add(offset, multiply(at, stride));
  return offset;
}

Value ElementBuilder::linearLanes(const Index &index) {
  Value position = linear(index);
  if (!index.lane)
    return position;
  int64_t stride = stridesOf(index.extents)[*index.lane];
  Type type = vectorOf(builder.getI64Type());
  Value steps =
      arith::MulIOp::create(builder, loc, laneNumbers(), splat(type, stride));
  return arith::AddIOp::create(builder, loc, toLanes(position), steps);
}

Index ElementBuilder::moved(const Index &like, Type type, ArrayRef<Value> at,
                            std::optional<unsigned> lane) {
  Index result;
  result.at.assign(at.begin(), at.end());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  result.extents.assign(shape.begin(), shape.end());
  result.lane = like.lane ? lane : std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementBuilder::branch(Value condition, TypeRange types,
                                          Branch yes, Branch no) {
  auto ifOp = scf::IfOp::create(builder, loc, types, condition,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto before = memo;
  builder.setInsertionPointToStart(ifOp.thenBlock());
  SmallVector<Value> yielded = yes();
  scf::YieldOp::create(builder, loc, yielded);
  memo = before;
  builder.setInsertionPointToStart(ifOp.elseBlock());
  yielded = no();
  scf::YieldOp::create(builder, loc, yielded);
  memo = std::move(before);
  return SmallVector<Value>(ifOp.getResults());
}

Value ElementBuilder::select(Value condition, Type type, Body yes, Body no) {
  return branch(
      condition, TypeRange{type}, [&] { return SmallVector<Value>{yes()}; },
      [&] { return SmallVector<Value>{no()}; })[0];
}

SmallVector<Value> ElementBuilder::loop(Value begin, Value end, ValueRange init,
                                        LoopBody body) {
  Value one = constant(1);
  auto loop =
      scf::ForOp::create(builder, loc, begin, end, one, init,
                         [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto before = memo;
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  memo = std::move(before);
  return SmallVector<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ElementBuilder::evaluate(Value value, const Index &index) {
  for (const Known &known : memo.lookup(value))
    if (known.at == index.at && known.lane == index.lane)
      return known.element;
  auto argument = dyn_cast<BlockArgument>(value);
  Value element =
      argument ? load(argument, index) : emit(value.getDefiningOp(), index);
  memo[value].push_back({index.at, index.lane, element});
  return element;
}

Value ElementBuilder::evaluateMoved(Value operand, const Index &moved,
                                    const Index &index) {
  Value element = evaluate(operand, moved);
  return index.lane ? toLanes(element) : element;
}

static Value emitMoved(ElementBuilder &elements, IndexMapOpInterface op,
                       const Index &index) {
  AffineMap map = op.getIndexMap();
  SmallVector<Value> at;
  std::optional<unsigned> lane;
  for (auto [k, expr] : llvm::enumerate(map.getResults())) {
    at.push_back(elements.affine(expr, index));
    if (index.lane && expr.isFunctionOfDim(*index.lane))
      lane = k;
  }
  Value operand = op->getOperand(0);
  return elements.evaluateMoved(
      operand, elements.moved(index, operand.getType(), at, lane), index);
}

Value ElementBuilder::emit(Operation *op, const Index &index) {
  if (auto pointwise = dyn_cast<PointwiseOpInterface>(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(evaluate(operand, index));
    return pointwise.emitElement(builder, operands);
  }
  if (auto map = dyn_cast<IndexMapOpInterface>(op))
    return emitMoved(*this, map, index);
  return cast<KernelOpInterface>(op).emitAt(*this, index);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

KernelRole reprise::kernelRoleOf(Operation *op) {
  if (isa<ReductionOpInterface>(op))
    return KernelRole::Reduction;
  if (isa<PointwiseOpInterface>(op))
    return KernelRole::Pointwise;
  if (auto kernel = dyn_cast<KernelOpInterface>(op))
    return kernel.getKernelRole();
  return isa<IndexMapOpInterface>(op) ? KernelRole::Generator
                                      : KernelRole::None;
}

ArrayRef<int64_t> reprise::iterationSpaceOf(Operation *op) {
  Value value =
      isa<ReductionOpInterface>(op) ? op->getOperand(0) : op->getResult(0);
  return cast<RankedTensorType>(value.getType()).getShape();
}

OperandLanes reprise::operandLanesOf(Operation *op, unsigned operand,
                                     unsigned dim) {
  if (isa<PointwiseOpInterface>(op))
    return OperandLanes::along(dim);
  if (auto map = dyn_cast<IndexMapOpInterface>(op)) {
    for (auto [k, expr] : llvm::enumerate(map.getIndexMap().getResults())) {
      if (!expr.isFunctionOfDim(dim))
        continue;
      AffineExpr rest = expr - getAffineDimExpr(dim, op->getContext());
      return rest.isSymbolicOrConstant() ? OperandLanes::along(k)
                                         : OperandLanes::apart();
    }
    return OperandLanes::same();
  }
  if (auto kernel = dyn_cast<KernelOpInterface>(op))
    return kernel.getOperandLanes(operand, dim);
  return OperandLanes::apart();
}

bool reprise::isComposite(Operation *op) {
  return isa<DecomposeOpInterface>(op) &&
         !isa<PointwiseOpInterface, LibraryOpInterface>(op);
}

bool reprise::isProjection(IndexMapOpInterface op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<unsigned> last;
  for (auto [k, expr] : llvm::enumerate(op.getIndexMap().getResults())) {
    if (expr == 0)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    // A part of a dimension does not count: its rows are longer in memory.
    if (!dim || from.getDimSize(k) != to.getDimSize(dim.getPosition()))
      return false;
    if (last && dim.getPosition() <= *last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

std::optional<unsigned> reprise::resultAlong(AffineMap map, unsigned dim) {
  for (auto [k, expr] : llvm::enumerate(map.getResults()))
    if (auto read = dyn_cast<AffineDimExpr>(expr);
        read && read.getPosition() == dim)
      return k;
  return std::nullopt;
}
