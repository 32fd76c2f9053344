//===- Pooling.cpp - Pools and their gradients ----------------------------===//
//
// A pool's element iterates over its window; a gradient's element iterates over
// the windows that cover it, in row-major order, and takes its part of each: no
// element is written twice, so rows are independent. Sums of bf16 and f16 are
// kept in f32.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Types and rules
//===----------------------------------------------------------------------===//

static RankedTensorType pool(std::optional<Location> loc, RankedTensorType x,
                             ArrayRef<int64_t> window,
                             ArrayRef<int64_t> strides,
                             ArrayRef<int64_t> padding) {
  auto fail = [&](auto &&...message) {
    (void)emitOptionalError(loc, message...);
    return RankedTensorType();
  };
  if (x.getRank() != 4)
    return fail("pooling needs an image (N,H,W,C)");
  if (window.size() != 2 || strides.size() != 2 || padding.size() != 4)
    return fail("pooling needs 2 window extents, 2 strides and 4 paddings");
  SmallVector<int64_t> shape(x.getShape());
  for (int d = 0; d < 2; ++d) {
    int64_t low = padding[2 * d], high = padding[2 * d + 1];
    for (int64_t v : {window[d], strides[d]})
      if (v < 1 || v > INT32_MAX)
        return fail("windows and strides must be between 1 and ", INT32_MAX,
                    ", but one is ", v);
    if (low < 0 || high < 0 || low >= window[d] || high >= window[d])
      return fail("padding must be between 0 and ", window[d] - 1,
                  ", below the window's extent");
    shape[1 + d] = windowedExtent(x.getDimSize(1 + d), window[d], strides[d],
                                  low + high, 1);
    if (shape[1 + d] < 1)
      return fail("window of extent ", window[d],
                  " does not fit an image of extent ", x.getDimSize(1 + d));
  }
  return RankedTensorType::get(shape, x.getElementType());
}

template <typename Adaptor>
static LogicalResult inferPool(std::optional<Location> loc, Adaptor adaptor,
                               SmallVectorImpl<Type> &types) {
  auto type = pool(loc, tensorOf(adaptor.getX()), adaptor.getWindow(),
                   adaptor.getStrides(), adaptor.getPadding());
  if (!type)
    return failure();
  types.push_back(type);
  return success();
}

LogicalResult MaxPool2DOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferPool(loc, adaptor, types);
}

/// The type that numbers the positions of a window.
static IntegerType positionType(MLIRContext *context,
                                ArrayRef<int64_t> window) {
  // Windows may be as long as an image.
  bool isSmall = window[0] <= INT8_MAX && window[1] <= INT8_MAX &&
                 window[0] * window[1] <= INT8_MAX;
  return IntegerType::get(context, isSmall ? 8 : 32);
}

LogicalResult MaxPool2DArgmaxOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(inferPool(loc, adaptor, types)))
    return failure();
  types.back() = cast<RankedTensorType>(types.back())
                     .clone(positionType(context, adaptor.getWindow()));
  return success();
}

LogicalResult AvgPool2DOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferPool(loc, adaptor, types);
}

template <typename OpTy>
static LogicalResult verifyPoolGrad(OpTy op, RankedTensorType x) {
  auto expected =
      pool(op.getLoc(), x, op.getWindow(), op.getStrides(), op.getPadding());
  if (!expected)
    return failure();
  if (expected != op.getDy().getType())
    return op.emitOpError()
           << "has a cotangent of type " << op.getDy().getType()
           << ", but the pool's result is " << expected;
  return success();
}

LogicalResult MaxPool2DGradOp::verify() {
  return verifyPoolGrad(*this, tensorOf(getX()));
}

LogicalResult MaxPool2DScatterOp::verify() {
  if (failed(verifyPoolGrad(*this, tensorOf(getResult()))))
    return failure();
  auto expected =
      tensorOf(getDy()).clone(positionType(getContext(), getWindow()));
  if (expected != getArgmax().getType())
    return emitOpError() << "has positions of type " << getArgmax().getType()
                         << ", but those of its windows are " << expected;
  return success();
}

LogicalResult AvgPool2DGradOp::verify() {
  return verifyPoolGrad(*this, tensorOf(getResult()));
}

LogicalResult GlobalAvgPoolOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  auto x = tensorOf(adaptor.getX());
  if (x.getRank() != 4)
    return emitOptionalError(loc, "pooling needs an image (N,H,W,C)");
  types.push_back(RankedTensorType::get({x.getDimSize(0), x.getDimSize(3)},
                                        x.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Derivatives and decompositions
//===----------------------------------------------------------------------===//

static Value maxPool2DGradient(MaxPool2DOp op, VjpContext &context, Emitter &e,
                               Value dy) {
  Value x = context.forward(op.getX());
  return e.make<MaxPool2DGradOp>(x.getType(), x, dy, op.getWindow(),
                                 op.getStrides(), op.getPadding());
}

static Value avgPool2DGradient(AvgPool2DOp op, VjpContext &context, Emitter &e,
                               Value dy) {
  return e.make<AvgPool2DGradOp>(op.getX().getType(), dy, op.getWindow(),
                                 op.getStrides(), op.getPadding(),
                                 op.getCountIncludePad());
}

static Value globalAvgPoolGradient(GlobalAvgPoolOp op, VjpContext &context,
                                   Emitter &e, Value dy) {
  auto type = tensorOf(op.getX());
  Value count = e.splat(dy, type.getDimSize(1) * type.getDimSize(2));
  Value share = e.div(dy, count);
  return e.make<BroadcastOp>(type, share, ArrayRef<int64_t>{0, 3});
}

/// The maximum of a window is found once, not by each element in it.
static Values decompose(MaxPool2DGradOp op, Emitter &e) {
  Value argmax = e.make<MaxPool2DArgmaxOp>(op.getX(), op.getWindow(),
                                           op.getStrides(), op.getPadding());
  return {e.make<MaxPool2DScatterOp>(op.getResult().getType(), argmax,
                                     op.getDy(), op.getWindow(),
                                     op.getStrides(), op.getPadding())};
}

static Values decompose(GlobalAvgPoolOp op, Emitter &e) {
  auto type = tensorOf(op.getX());
  Value sum = e.make<ReduceSumOp>(op.getX(), ArrayRef<int64_t>{1, 2});
  Value count = e.splat(sum, type.getDimSize(1) * type.getDimSize(2));
  return {e.div(sum, count)};
}

//===----------------------------------------------------------------------===//
// Elements in kernels
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// `count` operations per element of each window; `pooled` has one element per
/// window.
template <typename OpTy, uint64_t count>
static uint64_t windowFlops(OpTy op, Value pooled) {
  return count * elements(pooled) * op.getWindow()[0] * op.getWindow()[1];
}

static uint64_t maxPoolFlops(Operation *op) {
  return windowFlops<MaxPool2DOp, 1>(cast<MaxPool2DOp>(op), op->getResult(0));
}

static uint64_t avgPoolFlops(Operation *op) {
  return windowFlops<AvgPool2DOp, 1>(cast<AvgPool2DOp>(op), op->getResult(0)) +
         elements(op->getResult(0));
}

/// Finding the maximum again and adding.
static uint64_t maxPoolGradFlops(Operation *op) {
  auto grad = cast<MaxPool2DGradOp>(op);
  return windowFlops<MaxPool2DGradOp, 2>(grad, grad.getDy());
}

static uint64_t argmaxFlops(Operation *op) {
  return windowFlops<MaxPool2DArgmaxOp, 1>(cast<MaxPool2DArgmaxOp>(op),
                                           op->getResult(0));
}

static uint64_t scatterFlops(Operation *op) {
  auto scatter = cast<MaxPool2DScatterOp>(op);
  return windowFlops<MaxPool2DScatterOp, 1>(scatter, scatter.getDy());
}

static uint64_t avgPoolGradFlops(Operation *op) {
  auto grad = cast<AvgPool2DGradOp>(op);
  return windowFlops<AvgPool2DGradOp, 1>(grad, grad.getDy()) +
         elements(grad.getDy());
}

// A global mean is Wide, other than in PyTorch: it would otherwise be rounded
// twice.
void sg::registerPoolingModels(MLIRContext *context) {
  attachUnary<MaxPool2DOp, maxPool2DGradient>(context);
  attachUnary<AvgPool2DOp, avgPool2DGradient>(context);
  attachUnary<GlobalAvgPoolOp, globalAvgPoolGradient>(context);
  attachDecomposition<MaxPool2DGradOp, decompose>(context);
  attachDecomposition<GlobalAvgPoolOp, decompose>(context);
  MaxPool2DOp::attachInterface<PoolModel<MaxPool2DOp>>(*context);
  MaxPool2DArgmaxOp::attachInterface<PoolModel<MaxPool2DArgmaxOp>>(*context);
  MaxPool2DScatterOp::attachInterface<PoolModel<MaxPool2DScatterOp>>(*context);
  AvgPool2DOp::attachInterface<PoolModel<AvgPool2DOp>>(*context);
  AvgPool2DGradOp::attachInterface<PoolModel<AvgPool2DGradOp>>(*context);
  attachPointwiseCost<maxPoolFlops, MaxPool2DOp>(context);
  attachPointwiseCost<avgPoolFlops, AvgPool2DOp>(context);
  attachPointwiseCost<maxPoolGradFlops, MaxPool2DGradOp>(context);
  attachPointwiseCost<argmaxFlops, MaxPool2DArgmaxOp>(context);
  attachPointwiseCost<scatterFlops, MaxPool2DScatterOp>(context);
  attachPointwiseCost<avgPoolGradFlops, AvgPool2DGradOp>(context);
  attachReductionCost<perOperand<1>, GlobalAvgPoolOp>(context);
  attachAutocast<AutocastRule::Wide, GlobalAvgPoolOp>(context);
  attachAutocast<AutocastRule::First, AvgPool2DOp, MaxPool2DOp>(context);
}
