//===- Random.cpp - Random numbers and dropout ----------------------------===//

#include "../Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

LogicalResult DropoutOp::verify() {
  double p = getProbability().convertToDouble();
  if (!(p >= 0.0 && p < 1.0))
    return emitOpError() << "needs a probability in [0, 1), but has " << p;
  if (getPerSample() && tensorOf(getX()).getRank() == 0)
    return emitOpError() << "needs a tensor of rank 1 or more to drop samples";
  return success();
}

/// x / (1 - 0) is x.
OpFoldResult DropoutOp::fold(FoldAdaptor) {
  if (getProbability().isZero())
    return getX();
  return {};
}

/// Repeats the draw on the cotangent; keeps two scalars.
static Value dropoutGradient(DropoutOp op, VjpContext &context, Emitter &e,
                             Value dy) {
  Value seed = context.forward(op.getSeed());
  Value step = context.forward(op.getStep());
  return e.make<DropoutOp>(dy.getType(), dy, seed, step, op.getProbability(),
                           op.getStream(), op.getPerSample());
}

/// The draw is in f32 whatever the type of x, so that the mask does not depend
/// on it.
static Values decompose(DropoutOp op, Emitter &e) {
  Value x = op.getX();
  double probability = op.getProbability().convertToDouble();
  ArrayRef<int64_t> shape = tensorOf(x).getShape();
  if (op.getPerSample())
    shape = shape.take_front();
  auto type = RankedTensorType::get(shape, e.builder.getF32Type());
  Value draw =
      e.make<RandomUniformOp>(type, op.getSeed(), op.getStep(), op.getStream());
  Value bound = e.splat(draw, probability);
  Value kept = e.compare(ComparePredicate::GE, draw, bound);
  if (op.getPerSample())
    kept = e.leading(kept, x);
  Value rest = e.splat(x, 1.0 - probability);
  Value scaled = e.div(x, rest);
  return {e.select(kept, scaled, e.zeros(x))};
}

//===----------------------------------------------------------------------===//
// Elements in kernels
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
  Value plus(Value x, Value y) {
    return low(arith::AddIOp::create(b, e.loc, x, y));
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
                     philox.plus(philox.high(step),
                                 e.splat(type, static_cast<uint32_t>(stream)))};
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

void sg::registerRandomModels(MLIRContext *context) {
  attachUnary<DropoutOp, dropoutGradient>(context);
  attachDecomposition<DropoutOp, decompose>(context);
  RandomUniformOp::attachInterface<RandomModel>(*context);
  attachPointwiseCost<perResult<kRandomFlops>, RandomUniformOp>(context);
  attachPointwiseCost<perResult<kRandomFlops + 2>, DropoutOp>(context);
  attachAutocast<AutocastRule::First, DropoutOp>(context);
}
