//===- ConvolutionForms.cpp - Convolutions as a library wants them --------===//
//
// Tensor cores take channels by eights; a library without them at hand copies
// the operands into a workspace first, each time. Here an image is padded once,
// in the kernel that makes it.
//
//   y  = conv(x, f)        = conv(pad x, pad f)
//   dx = conv'(dy, f)      = slice conv'(dy, pad f)
//   df = conv''(x, dy)     = slice conv''(pad x, dy)
//
// With a filter of 1x1, strides s and no padding, points between those that the
// filter looks at have no gradient:
//
//   dx = spread conv'(dy, f) of stride 1, s - 1 zeros between neighbours
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/ConvolutionForms.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/Fault.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static int64_t channelsOf(Value value) {
  return tensorOf(value).getShape().back();
}

/// Zeros behind the last channel, below a cast, whose kernel then pads too.
static Value padded(OpBuilder &b, Location loc, Value value, int64_t channels) {
  auto cast = value.getDefiningOp<CastOp>();
  Value from = cast ? cast.getOperand() : value;
  SmallVector<int64_t> none(tensorOf(value).getRank(), 0), high(none);
  high.back() = channels - channelsOf(value);
  double zero = 0;
  REPRISE_FAULT("channels-padded-by-ones", zero = 1);
  Value result =
      PadOp::create(b, loc, from, none, high, none, llvm::APFloat(zero));
  if (!cast)
    return result;
  Type element = tensorOf(value).getElementType();
  return CastOp::create(b, loc, tensorOf(result).clone(element), result);
}

static Value cut(OpBuilder &b, Location loc, Value value, int64_t channels) {
  SmallVector<int64_t> starts(tensorOf(value).getRank(), 0),
      limits(tensorOf(value).getShape()), strides(starts.size(), 1);
  limits.back() = channels;
  return SliceOp::create(b, loc, value, starts, limits, strides);
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
  int64_t own = channelsOf(op.getResult());
  Value filter = padded(b, loc, op.getFilter(), channels);
  Value dx = Conv2DInputGradOp::create(
      b, loc, TypeRange{withChannels(op.getResult(), channels)},
      ValueRange{op.getDy(), filter}, op.getProperties());
  return cut(b, loc, dx, own);
}

static Value widen(PatternRewriter &b, Conv2DFilterGradOp op,
                   int64_t channels) {
  Location loc = op.getLoc();
  int64_t own = channelsOf(op.getResult());
  Value x = padded(b, loc, op.getX(), channels);
  Value df = Conv2DFilterGradOp::create(
      b, loc, TypeRange{withChannels(op.getResult(), channels)},
      ValueRange{x, op.getDy()}, op.getProperties());
  return cut(b, loc, df, own);
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
      REPRISE_FAULT("points-spread-late", std::swap(low[d], high[d]));
    }
    return PadOp::create(b, loc, near, low, high, interior, llvm::APFloat(0.0));
  }

  std::function<bool(Type)> avoids;
};

} // namespace

void reprise::sg::populateConvolutionFormPatterns(
    RewritePatternSet &patterns, const ConvolutionWants &wants) {
  MLIRContext *context = patterns.getContext();
  patterns.add<WidenChannels<Conv2DOp>, WidenChannels<Conv2DInputGradOp>,
               WidenChannels<Conv2DFilterGradOp>>(context,
                                                  wants.channelMultiple);
  patterns.add<SpreadPoints>(context, wants.avoidsSpreading);
}
