//===- PoolModels.cpp - Pools and their gradients in kernels --------------===//
//
// A pool's element iterates over its window; a gradient's element iterates over
// the windows that cover it, in row-major order, and takes its part of each: no
// element is written twice, so rows are independent. Sums of bf16 and f16 are
// kept in f32.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
/// Positions of the largest window that is unrolled.
constexpr int64_t kLongestWindow = 16;

struct Span {
  Value begin, end;
};

/// Loops and ranges of windows, along h (0) and w (1).
class PoolEmitter {
public:
  using Step = llvm::function_ref<SmallVector<Value>(Value, Value, ValueRange)>;

  template <typename OpTy>
  PoolEmitter(ElementBuilder &e, OpTy op, Type image, Type windows)
      : e(e), b(e.builder), image(cast<RankedTensorType>(image).getShape()),
        windows(cast<RankedTensorType>(windows).getShape()),
        window(op.getWindow()), strides(op.getStrides()),
        padding{op.getPadding()[0], op.getPadding()[2]} {}

  /// Positions in the image of the window at `at` along `axis`.
  Span positions(Value at, int axis) {
    Value start = startOf(at, axis);
    Value end = e.add(start, window[axis]);
    return {larger(start, e.constant(0)),
            smaller(end, e.constant(image[axis + 1]))};
  }

  /// Windows that cover the position `at` of the image along `axis`.
  Span covering(Value at, int axis) {
    Value padded = e.add(at, padding[axis]);
    Value first =
        larger(e.add(padded, strides[axis] - window[axis]), e.constant(0));
    Value stride = e.constant(strides[axis]);
    Value begin = arith::DivUIOp::create(b, e.loc, first, stride);
    Value last = arith::DivUIOp::create(b, e.loc, padded, stride);
    return {begin, smaller(e.add(last, 1), e.constant(windows[axis + 1]))};
  }

  /// Runs `step` with h and w over both ranges, h outermost.
  SmallVector<Value> loop(Span h, Span w, ValueRange init, Step step) {
    return nest(h, init, [&](Value y, ValueRange outer) {
      return nest(w, outer,
                  [&](Value x, ValueRange inner) { return step(y, x, inner); });
    });
  }

  /// The same over a window's positions. A window inside the image gets
  /// straight-line code.
  SmallVector<Value> overWindow(Span h, Span w, ValueRange init, Step step) {
    if (window[0] * window[1] > kLongestWindow)
      return loop(h, w, init, step);
    Value inside =
        arith::AndIOp::create(b, e.loc, isWhole(h, 0), isWhole(w, 1));
    auto unrolled = [&] {
      SmallVector<Value> values(init);
      for (int64_t y = 0; y < window[0]; ++y)
        for (int64_t x = 0; x < window[1]; ++x)
          values = step(e.add(h.begin, y), e.add(w.begin, x), values);
      return values;
    };
    return e.branch(inside, TypeRange(init), unrolled,
                    [&] { return loop(h, w, init, step); });
  }

  /// The index of `at` in an image or its windows.
  Index indexOf(const Index &like, Type type, Value h, Value w) {
    return e.moved(like, type, {like.at[0], h, w, like.at[3]}, like.lane);
  }

  /// The number of elements that the window's sum is divided by, as a number of
  /// `type`.
  Value divisor(bool countPadding, Span h, Span w, Type type) {
    if (countPadding)
      return e.splat(type, window[0] * window[1]);
    Value count = arith::MulIOp::create(b, e.loc, extent(h), extent(w));
    Value real = arith::SIToFPOp::create(b, e.loc, getElementTypeOrSelf(type),
                                         larger(count, e.constant(1)));
    return isa<VectorType>(type) ? e.toLanes(real) : real;
  }

  /// The number of (h, w) in the window at (oh, ow), row-major, of `type`.
  Value numberIn(Value oh, Value ow, Value h, Value w, Type type) {
    Value row = arith::SubIOp::create(b, e.loc, h, startOf(oh, 0));
    Value column = arith::SubIOp::create(b, e.loc, w, startOf(ow, 1));
    Value number = e.add(e.multiply(row, window[1]), column);
    number =
        arith::TruncIOp::create(b, e.loc, getElementTypeOrSelf(type), number);
    return isa<VectorType>(type) ? e.toLanes(number) : number;
  }

  /// `x` if it is above `best` or NaN, and `best` is not NaN.
  Value replaces(Value x, Value best) {
    Value above =
        arith::CmpFOp::create(b, e.loc, arith::CmpFPredicate::UGT, x, best);
    Value number =
        arith::CmpFOp::create(b, e.loc, arith::CmpFPredicate::ORD, best, best);
    return arith::AndIOp::create(b, e.loc, above, number);
  }

private:
  /// The start of the window at `at` along `axis`: perhaps in the padding.
  Value startOf(Value at, int axis) {
    return e.add(e.multiply(at, strides[axis]), -padding[axis]);
  }
  Value larger(Value x, Value y) {
    return arith::MaxSIOp::create(b, e.loc, x, y);
  }
  Value smaller(Value x, Value y) {
    return arith::MinSIOp::create(b, e.loc, x, y);
  }
  Value isWhole(Span range, int axis) {
    Value size = arith::SubIOp::create(b, e.loc, range.end, range.begin);
    return arith::CmpIOp::create(b, e.loc, arith::CmpIPredicate::eq, size,
                                 e.constant(window[axis]));
  }
  Value extent(Span range) {
    Value size = arith::SubIOp::create(b, e.loc, range.end, range.begin);
    return larger(size, e.constant(0));
  }

  SmallVector<Value>
  nest(Span range, ValueRange init,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    return e.loop(range.begin, range.end, init, body);
  }

  ElementBuilder &e;
  OpBuilder &b;
  ArrayRef<int64_t> image, windows, window, strides;
  int64_t padding[2];
};

} // namespace

/// The type sums of `element` are kept in.
static Type sumType(Type element) {
  return element.getIntOrFloatBitWidth() < 32
             ? Type(Float32Type::get(element.getContext()))
             : element;
}

static Value convert(OpBuilder &b, Location loc, Value x, Type to) {
  unsigned before = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned after = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (before == after)
    return x;
  if (before < after)
    return arith::ExtFOp::create(b, loc, to, x);
  return arith::TruncFOp::create(b, loc, to, x);
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static Value emitElement(MaxPool2DOp op, ElementBuilder &e,
                         const Index &index) {
  PoolEmitter pool(e, op, op.getX().getType(), op.getResult().getType());
  Type type = e.typeAt(elementOf(op.getX()), index);
  Span h = pool.positions(index.at[1], 0), w = pool.positions(index.at[2], 1);
  Value lowest = e.splat(type, -std::numeric_limits<double>::infinity());
  return pool.overWindow(h, w, lowest, [&](Value y, Value x, ValueRange best) {
    Index source = pool.indexOf(index, op.getX().getType(), y, x);
    Value element = e.evaluateMoved(op.getX(), source, index);
    Value replaces = pool.replaces(element, best[0]);
    Value next =
        arith::SelectOp::create(e.builder, e.loc, replaces, element, best[0]);
    return SmallVector<Value>{next};
  })[0];
}

static Value emitElement(MaxPool2DArgmaxOp op, ElementBuilder &e,
                         const Index &index) {
  PoolEmitter pool(e, op, op.getX().getType(), op.getResult().getType());
  Type type = e.typeAt(elementOf(op.getX()), index);
  Value oh = index.at[1], ow = index.at[2];
  Span h = pool.positions(oh, 0), w = pool.positions(ow, 1);
  Type number = e.typeAt(elementOf(op.getResult()), index);
  Value lowest = e.splat(type, -std::numeric_limits<double>::infinity());
  Value first = pool.numberIn(oh, ow, h.begin, w.begin, number);
  return pool.overWindow(
      h, w, {lowest, first}, [&](Value y, Value x, ValueRange best) {
        Index source = pool.indexOf(index, op.getX().getType(), y, x);
        Value candidate = e.evaluateMoved(op.getX(), source, index);
        Value replaces = pool.replaces(candidate, best[0]);
        Value at = pool.numberIn(oh, ow, y, x, number);
        return SmallVector<Value>{
            arith::SelectOp::create(e.builder, e.loc, replaces, candidate,
                                    best[0]),
            arith::SelectOp::create(e.builder, e.loc, replaces, at, best[1])};
      })[1];
}

static Value emitElement(MaxPool2DScatterOp op, ElementBuilder &e,
                         const Index &index) {
  PoolEmitter pool(e, op, op.getResult().getType(), op.getDy().getType());
  Type element = elementOf(op.getDy());
  Type sum = e.typeAt(sumType(element), index);
  Type number = e.typeAt(elementOf(op.getArgmax()), index);
  auto step = [&](Value oh, Value ow, ValueRange total) {
    Index source = pool.indexOf(index, op.getDy().getType(), oh, ow);
    Value best = e.evaluateMoved(op.getArgmax(), source, index);
    Value dy = e.evaluateMoved(op.getDy(), source, index);
    Value here = pool.numberIn(oh, ow, index.at[1], index.at[2], number);
    Value mine = arith::CmpIOp::create(e.builder, e.loc,
                                       arith::CmpIPredicate::eq, best, here);
    Value more = arith::AddFOp::create(e.builder, e.loc, total[0],
                                       convert(e.builder, e.loc, dy, sum));
    Value next =
        arith::SelectOp::create(e.builder, e.loc, mine, more, total[0]);
    return SmallVector<Value>{next};
  };
  Value total =
      pool.loop(pool.covering(index.at[1], 0), pool.covering(index.at[2], 1),
                e.splat(sum, 0.0), step)[0];
  return convert(e.builder, e.loc, total, e.typeAt(element, index));
}

static Value emitElement(AvgPool2DOp op, ElementBuilder &e,
                         const Index &index) {
  PoolEmitter pool(e, op, op.getX().getType(), op.getResult().getType());
  Type element = elementOf(op.getX());
  Type sum = e.typeAt(sumType(element), index);
  Span h = pool.positions(index.at[1], 0), w = pool.positions(index.at[2], 1);
  Value total = pool.overWindow(
      h, w, e.splat(sum, 0.0), [&](Value y, Value x, ValueRange sums) {
        Index source = pool.indexOf(index, op.getX().getType(), y, x);
        Value part = e.evaluateMoved(op.getX(), source, index);
        Value next = arith::AddFOp::create(
            e.builder, e.loc, sums[0], convert(e.builder, e.loc, part, sum));
        return SmallVector<Value>{next};
      })[0];
  Value divisor = pool.divisor(op.getCountIncludePad(), h, w, sum);
  Value mean = arith::DivFOp::create(e.builder, e.loc, total, divisor);
  return convert(e.builder, e.loc, mean, e.typeAt(element, index));
}

static Value emitElement(AvgPool2DGradOp op, ElementBuilder &e,
                         const Index &index) {
  PoolEmitter pool(e, op, op.getResult().getType(), op.getDy().getType());
  Type element = elementOf(op.getDy());
  Type sum = e.typeAt(sumType(element), index);
  auto step = [&](Value oh, Value ow, ValueRange total) {
    Index source = pool.indexOf(index, op.getDy().getType(), oh, ow);
    Value dy = e.evaluateMoved(op.getDy(), source, index);
    Value divisor = pool.divisor(op.getCountIncludePad(), pool.positions(oh, 0),
                                 pool.positions(ow, 1), sum);
    Value part = arith::DivFOp::create(
        e.builder, e.loc, convert(e.builder, e.loc, dy, sum), divisor);
    Value next = arith::AddFOp::create(e.builder, e.loc, total[0], part);
    return SmallVector<Value>{next};
  };
  Value total =
      pool.loop(pool.covering(index.at[1], 0), pool.covering(index.at[2], 1),
                e.splat(sum, 0.0), step)[0];
  return convert(e.builder, e.loc, total, e.typeAt(element, index));
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {
template <typename OpTy>
struct PoolModel : KernelOpInterface::ExternalModel<PoolModel<OpTy>, OpTy> {
  KernelRole getKernelRole(Operation *) const { return KernelRole::Alone; }
  /// Windows move along height and width; batch and channel are the operand's.
  /// Only channels are neighbours in memory.
  OperandLanes getOperandLanes(Operation *, unsigned, unsigned dim) const {
    return dim == 3 ? OperandLanes::along(dim) : OperandLanes::apart();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const {
    return emitElement(cast<OpTy>(op), e, index);
  }
};
} // namespace

void sg::registerPoolModels(MLIRContext *context) {
  MaxPool2DOp::attachInterface<PoolModel<MaxPool2DOp>>(*context);
  MaxPool2DArgmaxOp::attachInterface<PoolModel<MaxPool2DArgmaxOp>>(*context);
  MaxPool2DScatterOp::attachInterface<PoolModel<MaxPool2DScatterOp>>(*context);
  AvgPool2DOp::attachInterface<PoolModel<AvgPool2DOp>>(*context);
  AvgPool2DGradOp::attachInterface<PoolModel<AvgPool2DGradOp>>(*context);
}
