//===- ElementEmitter.cpp - Values of a kernel at an index ----------------===//

#include "ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value ElementEmitter::constant(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

static std::optional<int64_t> asConstant(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

Value ElementEmitter::add(Value a, Value b) {
  std::optional<int64_t> x = asConstant(a), y = asConstant(b);
  if (x && y)
    return constant(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return arith::AddIOp::create(builder, loc, a, b);
}

Value ElementEmitter::multiply(Value a, int64_t b) {
  if (b == 1)
    return a;
  if (b == 0)
    return constant(0);
  if (std::optional<int64_t> x = asConstant(a))
    return constant(*x * b);
  return arith::MulIOp::create(builder, loc, a, constant(b));
}

Value ElementEmitter::splat(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(builder.getFloatAttr(element, value))
                       : TypedAttr(builder.getIntegerAttr(
                             element, static_cast<int64_t>(value)));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

Value ElementEmitter::toLanes(Value element) {
  if (isa<VectorType>(element.getType()))
    return element;
  auto type = vectorOf(element.getType());
  return vector::BroadcastOp::create(builder, loc, type, element);
}

Value ElementEmitter::laneMask() {
  SmallVector<bool> active(allLanes());
  for (int64_t i = 0; i < allLanes(); ++i)
    active[i] = i < activeLanes;
  auto type = vectorOf(builder.getI1Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<bool>(active)));
}

Type ElementEmitter::elementType(Type element, const Index &index) {
  return index.lane ? Type(vectorOf(element)) : element;
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

Value ElementEmitter::linear(const Index &index) {
  Value offset = constant(0);
  for (auto [at, stride] : llvm::zip(index.at, stridesOf(index.extents)))
    offset = add(offset, multiply(at, stride));
  return offset;
}

/// The forms of index maps: sums of products of a dimension and a constant.
Value ElementEmitter::affine(AffineExpr expr, const Index &index) {
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

Index ElementEmitter::moved(const Index &like, Type type, ArrayRef<Value> at,
                            std::optional<unsigned> lane) {
  Index result;
  result.at.assign(at.begin(), at.end());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  result.extents.assign(shape.begin(), shape.end());
  result.lane = like.lane ? lane : std::nullopt;
  return result;
}

Value ElementEmitter::inBounds(Value at, int64_t extent) {
  // Below zero is above every extent, unsigned.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at,
                               constant(extent));
}

std::pair<Value, Value> ElementEmitter::divideExactly(Value at,
                                                      int64_t divisor) {
  Value by = constant(divisor);
  Value quotient = arith::DivSIOp::create(builder, loc, at, by);
  Value back = arith::MulIOp::create(builder, loc, quotient, by);
  Value exact =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, back, at);
  return {quotient, exact};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// An i1 takes a byte.
static Type memoryTypeOf(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

static unsigned bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

Value ElementEmitter::addressOf(Value pointer, Type memoryType,
                                const Index &index) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), memoryType,
                             pointer, ValueRange{linear(index)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value ElementEmitter::load(BlockArgument argument, const Index &index) {
  Type element = tensorOf(argument).getElementType();
  Type stored = memoryTypeOf(element);
  Value address = addressOf(pointers[argument.getArgNumber()], stored, index);
  Type type = elementType(stored, index);
  Value loaded;
  if (index.lane && activeLanes < allLanes())
    loaded = LLVM::MaskedLoadOp::create(builder, loc, type, address, laneMask(),
                                        splat(type, 0.0), bytesOf(stored));
  else
    loaded = LLVM::LoadOp::create(builder, loc, type, address, bytesOf(stored));
  if (element == stored)
    return loaded;
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loaded,
                               splat(type, 0.0));
}

void ElementEmitter::store(unsigned pointer, Type type, Value element,
                           const Index &index) {
  Type stored = memoryTypeOf(cast<RankedTensorType>(type).getElementType());
  if (index.lane)
    element = toLanes(element);
  if (getElementTypeOrSelf(element.getType()) != stored)
    element = arith::ExtUIOp::create(builder, loc, elementType(stored, index),
                                     element);
  Value address = addressOf(pointers[pointer], stored, index);
  if (index.lane && activeLanes < allLanes())
    LLVM::MaskedStoreOp::create(builder, loc, element, address, laneMask(),
                                bytesOf(stored));
  else
    LLVM::StoreOp::create(builder, loc, element, address, bytesOf(stored));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ElementEmitter::evaluate(Value value, const Index &index) {
  for (const Known &known : memo.lookup(value))
    if (known.at == index.at && known.lane == index.lane)
      return known.element;
  Value element = emit(value, index);
  memo[value].push_back({index.at, index.lane, element});
  return element;
}

Value ElementEmitter::evaluateMoved(Value operand, const Index &moved,
                                    const Index &index) {
  Value element = evaluate(operand, moved);
  return index.lane ? toLanes(element) : element;
}

Value ElementEmitter::emit(Value value, const Index &index) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return load(argument, index);
  Operation *op = value.getDefiningOp();
  if (auto pointwise = dyn_cast<PointwiseOpInterface>(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(evaluate(operand, index));
    return pointwise.emitElement(builder, operands);
  }
  if (auto constant = dyn_cast<sg::ConstantOp>(op))
    return emitConstant(constant, index);
  if (auto broadcast = dyn_cast<sg::BroadcastOp>(op))
    return emitBroadcast(broadcast, index);
  if (isa<IndexMapOpInterface>(op))
    return emitMoved(op, index);
  if (auto iota = dyn_cast<sg::IotaOp>(op))
    return emitIota(iota, index);
  if (auto random = dyn_cast<sg::RandomUniformOp>(op))
    return emitRandom(random, index);
  if (auto pad = dyn_cast<sg::PadOp>(op))
    return emitPad(pad, index);
  if (auto concat = dyn_cast<sg::ConcatOp>(op))
    return emitConcat(concat, 0, 0, index);
  if (auto pool = dyn_cast<sg::MaxPool2DOp>(op))
    return emitMaxPool(pool, index);
  if (auto pool = dyn_cast<sg::MaxPool2DGradOp>(op))
    return emitMaxPoolGrad(pool, index);
  if (auto pool = dyn_cast<sg::AvgPool2DOp>(op))
    return emitAvgPool(pool, index);
  return emitAvgPoolGrad(cast<sg::AvgPool2DGradOp>(op), index);
}

Value ElementEmitter::emitConstant(sg::ConstantOp op, const Index &index) {
  auto splatted = cast<SplatElementsAttr>(op.getValue());
  auto attr = cast<TypedAttr>(splatted.getSplatValue<Attribute>());
  if (index.lane)
    attr = DenseElementsAttr::get(vectorOf(attr.getType()), attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

/// 0, 1, ... lanes - 1.
static Value laneNumbers(OpBuilder &builder, Location loc, int64_t lanes) {
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < lanes; ++i)
    numbers.push_back(i);
  auto type = VectorType::get({lanes}, builder.getI64Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
}

Value ElementEmitter::emitIota(sg::IotaOp op, const Index &index) {
  unsigned dim = op.getDim();
  Value at = index.at[dim];
  if (index.lane) {
    at = toLanes(at);
    if (*index.lane == dim)
      at = arith::AddIOp::create(builder, loc, at,
                                 laneNumbers(builder, loc, allLanes()));
  }
  Type element = tensorOf(op.getResult()).getElementType();
  if (element.isInteger(64))
    return at;
  return arith::TruncIOp::create(builder, loc, elementType(element, index), at);
}

/// In terms of loops, a loop of the result is a dimension of the operand's
/// index when the operand has it.
static Index mergedOperandIndex(sg::BroadcastOp op, const Index &index,
                                const KernelSpace &space) {
  Index result;
  std::optional<unsigned> last;
  for (auto [k, d] : llvm::enumerate(op.getDims())) {
    unsigned loop = space.loopOf[d];
    bool advances = tensorOf(op.getOperand()).getDimSize(k) ==
                    tensorOf(op.getResult()).getDimSize(d);
    if (!advances || last == loop)
      continue;
    last = loop;
    if (index.lane == loop)
      result.lane = result.at.size();
    result.at.push_back(index.at[loop]);
    result.extents.push_back(index.extents[loop]);
  }
  return result;
}

Value ElementEmitter::emitBroadcast(sg::BroadcastOp op, const Index &index) {
  if (!space.merged)
    return emitMoved(op, index);
  return evaluateMoved(op.getOperand(), mergedOperandIndex(op, index, space),
                       index);
}

Value ElementEmitter::emitMoved(Operation *op, const Index &index) {
  AffineMap map = cast<IndexMapOpInterface>(op).getIndexMap();
  SmallVector<Value> at;
  std::optional<unsigned> lane;
  for (auto [k, expr] : llvm::enumerate(map.getResults())) {
    at.push_back(affine(expr, index));
    if (index.lane && expr.isFunctionOfDim(*index.lane))
      lane = k;
  }
  Value operand = op->getOperand(0);
  return evaluateMoved(operand, moved(index, operand.getType(), at, lane),
                       index);
}

Value ElementEmitter::select(Value condition, Type type, Body yes, Body no) {
  auto ifOp = scf::IfOp::create(builder, loc, TypeRange{type}, condition,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  // What a branch emits does not dominate what follows.
  Memo before = memo;
  builder.setInsertionPointToStart(ifOp.thenBlock());
  Value yielded = yes();
  scf::YieldOp::create(builder, loc, yielded);
  memo = before;
  builder.setInsertionPointToStart(ifOp.elseBlock());
  yielded = no();
  scf::YieldOp::create(builder, loc, yielded);
  memo = std::move(before);
  return ifOp.getResult(0);
}

Value ElementEmitter::emitPad(sg::PadOp op, const Index &index) {
  RankedTensorType type = tensorOf(op.getOperand());
  SmallVector<Value> at;
  Value inside = arith::ConstantIntOp::create(builder, loc, 1, 1);
  for (unsigned d = 0; d < type.getRank(); ++d) {
    Value position = add(index.at[d], -op.getLow()[d]);
    if (index.lane != d) {
      Value exact;
      std::tie(position, exact) =
          divideExactly(position, op.getInterior()[d] + 1);
      Value within = inBounds(position, type.getDimSize(d));
      inside = arith::AndIOp::create(builder, loc, inside, exact);
      inside = arith::AndIOp::create(builder, loc, inside, within);
    }
    at.push_back(position);
  }
  Type element = elementType(type.getElementType(), index);
  Index source = moved(index, type, at, index.lane);
  return select(
      inside, element,
      [&] { return evaluateMoved(op.getOperand(), source, index); },
      [&] { return splat(element, op.getValue().convertToDouble()); });
}

Value ElementEmitter::emitConcat(sg::ConcatOp op, unsigned first,
                                 int64_t offset, const Index &index) {
  Value operand = op.getOperands()[first];
  SmallVector<Value> at(index.at);
  at[op.getDim()] = add(at[op.getDim()], -offset);
  Index source = moved(index, operand.getType(), at, index.lane);
  if (first + 1 == op.getOperands().size())
    return evaluateMoved(operand, source, index);
  int64_t end = offset + tensorOf(operand).getDimSize(op.getDim());
  Value here = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     index.at[op.getDim()], constant(end));
  return select(
      here, elementType(tensorOf(operand).getElementType(), index),
      [&] { return evaluateMoved(operand, source, index); },
      [&] { return emitConcat(op, first + 1, end, index); });
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

namespace {
/// Philox 4x32-10 on scalars or vectors of i64 that hold 32-bit words.
class PhiloxEmitter {
public:
  PhiloxEmitter(ElementEmitter &e) : e(e), b(e.builder) {}

  Value low(Value x) {
    return arith::AndIOp::create(b, e.loc, x, word(x.getType(), 0xFFFFFFFFu));
  }
  Value high(Value x) {
    return arith::ShRUIOp::create(b, e.loc, x, word(x.getType(), 32));
  }
  Value exclusiveOr(Value x, Value y) {
    return arith::XOrIOp::create(b, e.loc, x, y);
  }

  /// Word 0 of ten rounds.
  Value run(Value counter[4], Value key[2]) {
    Type type = counter[0].getType();
    for (int round = 0; round < 10; ++round) {
      Value p0 = times(counter[0], 0xD2511F53u);
      Value p1 = times(counter[2], 0xCD9E8D57u);
      Value c0 = exclusiveOr(exclusiveOr(high(p1), counter[1]), key[0]);
      Value c2 = exclusiveOr(exclusiveOr(high(p0), counter[3]), key[1]);
      counter[0] = c0;
      counter[1] = low(p1);
      counter[2] = c2;
      counter[3] = low(p0);
      key[0] = plus(key[0], word(type, 0x9E3779B9u));
      key[1] = plus(key[1], word(type, 0xBB67AE85u));
    }
    return counter[0];
  }

private:
  Value word(Type type, uint32_t value) { return e.splat(type, value); }
  Value times(Value x, uint32_t factor) {
    return arith::MulIOp::create(b, e.loc, x, word(x.getType(), factor));
  }
  Value plus(Value x, Value y) {
    return low(arith::AddIOp::create(b, e.loc, x, y));
  }

  ElementEmitter &e;
  OpBuilder &b;
};
} // namespace

Value ElementEmitter::emitRandom(sg::RandomUniformOp op, const Index &index) {
  Value position = linear(index);
  if (index.lane) {
    int64_t stride = stridesOf(index.extents)[*index.lane];
    Type lanes = vectorOf(builder.getI64Type());
    Value steps = arith::MulIOp::create(builder, loc,
                                        laneNumbers(builder, loc, allLanes()),
                                        splat(lanes, stride));
    position = arith::AddIOp::create(builder, loc, toLanes(position), steps);
  }
  Type type = position.getType();
  auto operand = [&](Value counter) {
    Value element = evaluate(counter, Index());
    return index.lane ? toLanes(element) : element;
  };
  PhiloxEmitter philox(*this);
  Value seed = operand(op.getSeed()), step = operand(op.getStep());
  uint32_t stream = static_cast<uint32_t>(op.getStream());
  Value counter[] = {philox.low(position), philox.high(position),
                     philox.low(step), splat(type, stream)};
  Value key[] = {philox.low(seed), philox.high(seed)};
  Value word = philox.run(counter, key);
  Value bits = arith::ShRUIOp::create(builder, loc, word, splat(type, 8));
  Type narrow = elementType(builder.getI32Type(), index);
  bits = arith::TruncIOp::create(builder, loc, narrow, bits);
  Type real = elementType(builder.getF32Type(), index);
  Value number = arith::SIToFPOp::create(builder, loc, real, bits);
  return arith::MulFOp::create(builder, loc, number,
                               splat(real, 1.0 / 16777216.0));
}
