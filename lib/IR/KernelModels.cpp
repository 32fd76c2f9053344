//===- KernelModels.cpp - Ops of sg as code of kernels --------------------===//
//
// Elements of the ops that create, pad and join; reductions; which pointwise
// ops are cheap. Pools are in PoolModels.cpp.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

//===----------------------------------------------------------------------===//
// Creating
//===----------------------------------------------------------------------===//

namespace {

struct ConstantModel
    : KernelOpInterface::ExternalModel<ConstantModel, ConstantOp> {
  KernelRole getKernelRole(Operation *op) const {
    return isa<SplatElementsAttr>(cast<ConstantOp>(op).getValue())
               ? KernelRole::Repeated
               : KernelRole::None;
  }
  OperandLanes getOperandLanes(Operation *, unsigned, unsigned) const {
    return OperandLanes::same();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const {
    auto splatted = cast<SplatElementsAttr>(cast<ConstantOp>(op).getValue());
    auto attr = cast<TypedAttr>(splatted.getSplatValue<Attribute>());
    if (index.lane)
      attr = DenseElementsAttr::get(e.vectorOf(attr.getType()), attr);
    return arith::ConstantOp::create(e.builder, e.loc, attr);
  }
};

struct IotaModel : KernelOpInterface::ExternalModel<IotaModel, IotaOp> {
  KernelRole getKernelRole(Operation *) const { return KernelRole::Repeated; }
  OperandLanes getOperandLanes(Operation *, unsigned, unsigned) const {
    return OperandLanes::same();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const {
    unsigned dim = cast<IotaOp>(op).getDim();
    Value at = index.at[dim];
    if (index.lane) {
      at = e.toLanes(at);
      if (*index.lane == dim)
        at = arith::AddIOp::create(e.builder, e.loc, at, e.laneNumbers());
    }
    Type element = tensorOf(op->getResult(0)).getElementType();
    if (element.isInteger(64))
      return at;
    return arith::TruncIOp::create(e.builder, e.loc, e.typeAt(element, index),
                                   at);
  }
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

} // namespace

//===----------------------------------------------------------------------===//
// Padding and joining
//===----------------------------------------------------------------------===//

namespace {

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

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

namespace {

/// Philox 4x32-10 on scalars or vectors of i64 that hold 32-bit words.
class PhiloxEmitter {
public:
  PhiloxEmitter(ElementBuilder &e) : e(e), b(e.builder) {}

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

  ElementBuilder &e;
  OpBuilder &b;
};

struct RandomModel
    : KernelOpInterface::ExternalModel<RandomModel, RandomUniformOp> {
  /// Seed and step are scalars.
  OperandLanes getOperandLanes(Operation *, unsigned, unsigned) const {
    return OperandLanes::same();
  }
  bool isLinear(Operation *) const { return true; }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const;
};

} // namespace

Value reprise::emitUniform(ElementBuilder &e, Value position, Value seed,
                           Value step, int64_t stream) {
  Type type = position.getType();
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  };
  PhiloxEmitter philox(e);
  Value counter[] = {philox.low(position), philox.high(position),
                     philox.low(step),
                     e.splat(type, static_cast<uint32_t>(stream))};
  Value key[] = {philox.low(seed), philox.high(seed)};
  Value word = philox.run(counter, key);
  OpBuilder &b = e.builder;
  Value bits = arith::ShRUIOp::create(b, e.loc, word, e.splat(type, 8));
  bits = arith::TruncIOp::create(b, e.loc, like(b.getI32Type()), bits);
  Type real = like(b.getF32Type());
  Value number = arith::SIToFPOp::create(b, e.loc, real, bits);
  return arith::MulFOp::create(b, e.loc, number,
                               e.splat(real, 1.0 / 16777216.0));
}

Value RandomModel::emitAt(Operation *operation, ElementBuilder &e,
                          const Index &index) const {
  auto op = cast<RandomUniformOp>(operation);
  Value position = e.linearLanes(index);
  auto operand = [&](Value counter) {
    Value element = e.evaluate(counter, Index());
    return index.lane ? e.toLanes(element) : element;
  };
  Value seed = operand(op.getSeed()), step = operand(op.getStep());
  return emitUniform(e, position, seed, step,
                     static_cast<int64_t>(op.getStream()));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static bool isReal(Value x) {
  return isa<FloatType>(getElementTypeOrSelf(x.getType()));
}

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

template <typename... Ops> static void attachCheap(MLIRContext *context) {
  (Ops::template attachInterface<CheapModel<Ops>>(*context), ...);
}

void sg::registerKernelModels(MLIRContext *context) {
  ConstantOp::attachInterface<ConstantModel>(*context);
  IotaOp::attachInterface<IotaModel>(*context);
  BroadcastOp::attachInterface<BroadcastModel>(*context);
  PadOp::attachInterface<PadModel>(*context);
  ConcatOp::attachInterface<ConcatModel>(*context);
  RandomUniformOp::attachInterface<RandomModel>(*context);
  ReduceSumOp::attachInterface<SumModel>(*context);
  ReduceMaxOp::attachInterface<MaxModel>(*context);
  attachCheap<AddOp, SubOp, MulOp, NegOp, AbsOp, ReluOp, ReluGradOp, CompareOp,
              SelectOp, CastOp, MaximumOp, MinimumOp>(context);
  registerPoolModels(context);
  registerIndexModels(context);
  registerLibraryModels(context);
}
