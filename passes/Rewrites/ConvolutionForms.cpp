//===- ConvolutionForms.cpp - Convolution shapes for a library ------------===//
//
// Tensor cores take channels in multiples of eight; for other shapes a library
// copies the operands into a workspace first, each time. Here an image is
// padded once, in the kernel that computes it.
//
//   y  = conv(x, f)        = conv(pad x, pad f)
//   dx = conv'(dy, f)      = slice conv'(dy, pad f)
//   df = conv''(x, dy)     = slice conv''(pad x, dy)
//
// If windows are s points apart, the points between two of them become channels
// ("space to depth"). Windows are padded with rows and columns of zeros until
// they begin at a multiple of s and their extent is one: a stem of 7x7 at
// strides of 2 over three channels becomes one of 4x4 over four times three and
// a zero.
//
//   y  = conv(x, f)        = conv(pad fold x, fold pad f) of stride 1
//   df = conv''(x, dy)     = slice unfold conv''(pad fold x, dy)
//
// With a filter of 1x1, strides s and no padding, points between those that the
// filter reads have no gradient:
//
//   dx = spread conv'(dy, f) of stride 1, s - 1 zeros between neighbours
//
//===----------------------------------------------------------------------===//

#include "ConvolutionForms.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"
#include <numeric>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static int64_t channelsOf(Value value) {
  return tensorOf(value).getShape().back();
}

/// Applies `make` below a cast, whose kernel then computes its result too.
static Value belowCast(OpBuilder &b, Location loc, Value value,
                       llvm::function_ref<Value(Value)> make) {
  auto cast = value.getDefiningOp<CastOp>();
  Value result = make(cast ? cast.getOperand() : value);
  if (!cast)
    return result;
  Type element = tensorOf(value).getElementType();
  return CastOp::create(b, loc, tensorOf(result).clone(element), result);
}

/// Pads with zeros after the last channel.
static Value filledUp(OpBuilder &b, Location loc, Value value,
                      int64_t channels) {
  SmallVector<int64_t> none(tensorOf(value).getRank(), 0), high(none);
  high.back() = channels - channelsOf(value);
  double zero = 0;
  return PadOp::create(b, loc, value, none, high, none, llvm::APFloat(zero));
}

static Value padded(OpBuilder &b, Location loc, Value value, int64_t channels) {
  return belowCast(b, loc, value, [&](Value from) {
    return filledUp(b, loc, from, channels);
  });
}

/// A slice of `shape` from `starts` on, by default from the first element.
static Value cut(OpBuilder &b, Location loc, Value value,
                 ArrayRef<int64_t> shape, ArrayRef<int64_t> starts = {}) {
  if (tensorOf(value).getShape() == shape)
    return value;
  SmallVector<int64_t> from(starts), limits(shape), strides(shape.size(), 1);
  from.resize(shape.size(), 0);
  for (auto [limit, start] : llvm::zip_equal(limits, from))
    limit += start;
  return SliceOp::create(b, loc, value, from, limits, strides);
}

/// The type of a value with another number of channels.
static RankedTensorType withChannels(Value value, int64_t channels) {
  SmallVector<int64_t> shape(tensorOf(value).getShape());
  shape.back() = channels;
  return tensorOf(value).clone(shape);
}

static Value widen(PatternRewriter &b, Conv2DOp op, int64_t channels) {
  Location loc = op.getLoc();
  Value x = padded(b, loc, op.getX(), channels);
  Value filter = padded(b, loc, op.getFilter(), channels);
  return Conv2DOp::create(b, loc, TypeRange{op.getType()},
                          ValueRange{x, filter}, op.getProperties());
}

static Value widen(PatternRewriter &b, Conv2DInputGradOp op, int64_t channels) {
  Location loc = op.getLoc();
  Value filter = padded(b, loc, op.getFilter(), channels);
  Value dx = Conv2DInputGradOp::create(
      b, loc, TypeRange{withChannels(op.getResult(), channels)},
      ValueRange{op.getDy(), filter}, op.getProperties());
  return cut(b, loc, dx, tensorOf(op.getResult()).getShape());
}

static Value widen(PatternRewriter &b, Conv2DFilterGradOp op,
                   int64_t channels) {
  Location loc = op.getLoc();
  Value x = padded(b, loc, op.getX(), channels);
  Value df = Conv2DFilterGradOp::create(
      b, loc, TypeRange{withChannels(op.getResult(), channels)},
      ValueRange{x, op.getDy()}, op.getProperties());
  return cut(b, loc, df, tensorOf(op.getResult()).getShape());
}

static int64_t inputChannels(Conv2DOp op) { return channelsOf(op.getX()); }
static int64_t inputChannels(Conv2DInputGradOp op) {
  return channelsOf(op.getResult());
}
static int64_t inputChannels(Conv2DFilterGradOp op) {
  return channelsOf(op.getX());
}

namespace {

template <typename OpTy> struct WidenChannels : public OpRewritePattern<OpTy> {
  WidenChannels(MLIRContext *context,
                std::function<int64_t(Type)> channelMultiple)
      : OpRewritePattern<OpTy>(context),
        channelMultiple(std::move(channelMultiple)) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (op.getGroups() != 1)
      return rewriter.notifyMatchFailure(op, "has groups");
    int64_t multiple =
        channelMultiple(getElementTypeOrSelf(op->getOperand(0).getType()));
    int64_t channels = llvm::alignTo(inputChannels(op), multiple);
    if (channels == inputChannels(op))
      return rewriter.notifyMatchFailure(op, "has channels as wanted");
    Value result;
    {
      OriginScope scope(rewriter, op);
      result = widen(rewriter, op, channels);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  std::function<int64_t(Type)> channelMultiple;
};

/// A convolution whose strides become channels. Dimensions: height and width.
struct FoldedStrides {
  ArrayRef<int64_t> strides;
  /// Zeros around the image, in units of strides, and rows or columns of zeros
  /// around the filter.
  std::array<int64_t, 2> beforeImage, behindImage, beforeFilter, behindFilter;
  /// Channels of each point.
  int64_t channels;

  int64_t allChannels() const { return strides[0] * strides[1] * channels; }
  Value image(OpBuilder &b, Location loc, Value x) const;
  Value filter(OpBuilder &b, Location loc, Value f) const;
  /// The inverse of `filter`.
  Value unfolded(OpBuilder &b, Location loc, Value df,
                 RankedTensorType type) const;
};

template <typename OpTy> struct FoldStrides : public OpRewritePattern<OpTy> {
  FoldStrides(MLIRContext *context, const ConvolutionWants &wants)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2), wants(wants) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override;

private:
  ConvolutionWants wants;
};

struct SpreadPoints : public OpRewritePattern<Conv2DInputGradOp> {
  SpreadPoints(MLIRContext *context, std::function<bool(Type)> avoids)
      : OpRewritePattern(context), avoids(std::move(avoids)) {}

  LogicalResult matchAndRewrite(Conv2DInputGradOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> filter = tensorOf(op.getFilter()).getShape(),
                      strides = op.getStrides();
    bool isSpread =
        filter[1] == 1 && filter[2] == 1 &&
        (strides[0] > 1 || strides[1] > 1) &&
        llvm::all_of(op.getPadding(), [](int64_t p) { return p == 0; });
    if (!isSpread || !avoids(getElementTypeOrSelf(op.getDy().getType())))
      return rewriter.notifyMatchFailure(op, "is no slow one");
    Value result;
    {
      OriginScope scope(rewriter, op);
      result = spread(op, rewriter);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value spread(Conv2DInputGradOp op, OpBuilder &b) {
    Location loc = op.getLoc();
    ArrayRef<int64_t> dy = tensorOf(op.getDy()).getShape(),
                      dx = tensorOf(op.getResult()).getShape();
    Conv2DInputGradOp::Properties properties = op.getProperties();
    properties.strides = b.getDenseI64ArrayAttr({1, 1});
    RankedTensorType points =
        tensorOf(op.getResult())
            .clone(ArrayRef<int64_t>{dy[0], dy[1], dy[2], dx[3]});
    Value near = Conv2DInputGradOp::create(
        b, loc, TypeRange{points}, ValueRange{op.getDy(), op.getFilter()},
        properties);
    SmallVector<int64_t> low(4, 0), high(4, 0), interior(4, 0);
    for (unsigned d : {1u, 2u}) {
      int64_t stride = op.getStrides()[d - 1];
      interior[d] = stride - 1;
      high[d] = dx[d] - ((dy[d] - 1) * stride + 1);
    }
    return PadOp::create(b, loc, near, low, high, interior, llvm::APFloat(0.0));
  }

  std::function<bool(Type)> avoids;
};

} // namespace

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

static Value reshaped(OpBuilder &b, Location loc, Value value,
                      ArrayRef<int64_t> shape) {
  return ReshapeOp::create(b, loc, tensorOf(value).clone(shape), value);
}

/// From (n, h, s, w, s, c) to (n, h, w, s, s, c) and back.
static Value turned(OpBuilder &b, Location loc, Value value) {
  return TransposeOp::create(b, loc, value,
                             ArrayRef<int64_t>{0, 1, 3, 2, 4, 5});
}

static Value zerosAround(OpBuilder &b, Location loc, Value value,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  SmallVector<int64_t> none(low.size(), 0);
  if (ArrayRef<int64_t>(none) == low && ArrayRef<int64_t>(none) == high)
    return value;
  return PadOp::create(b, loc, value, low, high, none, llvm::APFloat(0.0));
}

/// The cast's kernel adds the zeros around.
Value FoldedStrides::image(OpBuilder &b, Location loc, Value x) const {
  ArrayRef<int64_t> shape = tensorOf(x).getShape();
  int64_t height = shape[1] / strides[0], width = shape[2] / strides[1];
  Value padded = belowCast(b, loc, x, [&](Value from) {
    Value all =
        reshaped(b, loc, from,
                 {shape[0], height, strides[0], width, strides[1], shape[3]});
    bool areTurned = true;
    all = areTurned ? turned(b, loc, all)
                    : reshaped(b, loc, all,
                               {shape[0], height, width, strides[0], strides[1],
                                shape[3]});
    return zerosAround(
        b, loc, all, {0, beforeImage[0], beforeImage[1], 0, 0, 0},
        {0, behindImage[0], behindImage[1], 0, 0, channels - shape[3]});
  });
  return reshaped(b, loc, padded,
                  {shape[0], beforeImage[0] + height + behindImage[0],
                   beforeImage[1] + width + behindImage[1], allChannels()});
}

Value FoldedStrides::filter(OpBuilder &b, Location loc, Value f) const {
  int64_t own = channelsOf(f);
  Value moved = belowCast(b, loc, f, [&](Value from) {
    Value all =
        zerosAround(b, loc, from, {0, beforeFilter[0], beforeFilter[1], 0},
                    {0, behindFilter[0], behindFilter[1], channels - own});
    ArrayRef<int64_t> shape = tensorOf(all).getShape();
    int64_t height = shape[1] / strides[0], width = shape[2] / strides[1];
    all = reshaped(b, loc, all,
                   {shape[0], height, strides[0], width, strides[1], channels});
    return turned(b, loc, all);
  });
  ArrayRef<int64_t> shape = tensorOf(moved).getShape();
  return reshaped(b, loc, moved, {shape[0], shape[1], shape[2], allChannels()});
}

Value FoldedStrides::unfolded(OpBuilder &b, Location loc, Value df,
                              RankedTensorType type) const {
  ArrayRef<int64_t> shape = type.getShape(), folded = tensorOf(df).getShape();
  Value all = reshaped(
      b, loc, df,
      {folded[0], folded[1], folded[2], strides[0], strides[1], channels});
  all = reshaped(
      b, loc, turned(b, loc, all),
      {shape[0], folded[1] * strides[0], folded[2] * strides[1], channels});
  return cut(b, loc, all, shape, {0, beforeFilter[0], beforeFilter[1], 0});
}

static RankedTensorType imageOf(Conv2DOp op) { return tensorOf(op.getX()); }
static RankedTensorType imageOf(Conv2DFilterGradOp op) {
  return tensorOf(op.getX());
}
static RankedTensorType filterOf(Conv2DOp op) {
  return tensorOf(op.getFilter());
}
static RankedTensorType filterOf(Conv2DFilterGradOp op) {
  return tensorOf(op.getResult());
}
static RankedTensorType pointsOf(Conv2DOp op) {
  return tensorOf(op.getResult());
}
static RankedTensorType pointsOf(Conv2DFilterGradOp op) {
  return tensorOf(op.getDy());
}

static Value folded(OpBuilder &b, Conv2DOp op, const FoldedStrides &form,
                    const Conv2DOp::Properties &properties) {
  Location loc = op.getLoc();
  Value x = form.image(b, loc, op.getX()),
        f = form.filter(b, loc, op.getFilter());
  return Conv2DOp::create(b, loc, TypeRange{op.getType()}, ValueRange{x, f},
                          properties);
}

static Value folded(OpBuilder &b, Conv2DFilterGradOp op,
                    const FoldedStrides &form,
                    const Conv2DFilterGradOp::Properties &properties) {
  Location loc = op.getLoc();
  RankedTensorType type = filterOf(op);
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> own = {
      shape[0],
      (form.beforeFilter[0] + shape[1] + form.behindFilter[0]) /
          form.strides[0],
      (form.beforeFilter[1] + shape[2] + form.behindFilter[1]) /
          form.strides[1],
      form.allChannels()};
  Value x = form.image(b, loc, op.getX());
  Value df = Conv2DFilterGradOp::create(b, loc, TypeRange{type.clone(own)},
                                        ValueRange{x, op.getDy()}, properties);
  return form.unfolded(b, loc, df, type);
}

/// The form of a convolution whose strides become at most `most` channels, a
/// multiple of `multiple`; none if it has no strides, more channels, or an
/// image that the strides do not divide.
template <typename OpTy>
static std::optional<FoldedStrides> formOf(OpTy op, int64_t most,
                                           int64_t multiple) {
  FoldedStrides form = {op.getStrides(), {}, {}, {}, {}, 0};
  ArrayRef<int64_t> image = imageOf(op).getShape(),
                    filter = filterOf(op).getShape(),
                    points = pointsOf(op).getShape();
  int64_t between = form.strides[0] * form.strides[1];
  form.channels =
      llvm::alignTo(image[3], multiple / std::gcd(multiple, between));
  bool isPlain =
      op.getGroups() == 1 &&
      llvm::all_of(op.getDilation(), [](int64_t d) { return d == 1; });
  if (!isPlain || between == 1 || form.allChannels() > most)
    return std::nullopt;
  for (unsigned d : {0u, 1u}) {
    int64_t stride = form.strides[d], padding = op.getPadding()[2 * d];
    // Windows begin at multiples of the stride.
    form.beforeImage[d] = llvm::divideCeil(padding, stride);
    form.beforeFilter[d] = form.beforeImage[d] * stride - padding;
    int64_t window =
        llvm::alignTo(form.beforeFilter[d] + filter[d + 1], stride);
    form.behindFilter[d] = window - form.beforeFilter[d] - filter[d + 1];
    form.behindImage[d] = points[d + 1] - 1 + window / stride -
                          form.beforeImage[d] - image[d + 1] / stride;
    if (image[d + 1] % stride != 0)
      return std::nullopt;
    assert(form.behindImage[d] >= 0 && "windows reach the last points");
  }
  return form;
}

template <typename OpTy>
LogicalResult
FoldStrides<OpTy>::matchAndRewrite(OpTy op, PatternRewriter &rewriter) const {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  std::optional<FoldedStrides> form = formOf(
      op, wants.stridesAsChannels(element), wants.channelMultiple(element));
  if (!form)
    return rewriter.notifyMatchFailure(op, "keeps its strides");
  auto properties = op.getProperties();
  properties.strides = rewriter.getDenseI64ArrayAttr({1, 1});
  properties.padding = rewriter.getDenseI64ArrayAttr({0, 0, 0, 0});
  Value result;
  {
    OriginScope scope(rewriter, op);
    result = folded(rewriter, op, *form, properties);
  }
  rewriter.replaceOp(op, result);
  return success();
}

void reprise::sg::populateConvolutionFormPatterns(
    RewritePatternSet &patterns, const ConvolutionWants &wants) {
  MLIRContext *context = patterns.getContext();
  patterns.add<WidenChannels<Conv2DOp>, WidenChannels<Conv2DInputGradOp>,
               WidenChannels<Conv2DFilterGradOp>>(context,
                                                  wants.channelMultiple);
  patterns.add<FoldStrides<Conv2DOp>, FoldStrides<Conv2DFilterGradOp>>(context,
                                                                       wants);
  patterns.add<SpreadPoints>(context, wants.avoidsSpreading);
}
