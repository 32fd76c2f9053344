//===- DepthwiseVolumes.cpp - Depthwise convolutions frame by frame -------===//
//
// A depthwise filter of several frames, (O,KD,KH,KW,1) with a group for each
// channel, is the sum of filters of one frame. If it moves by one frame,
//
//   y[d] = sum over k of (x * w[k])[d + k - p]    for a padding of p frames,
//
// where x * w[k] is a convolution of all frames of x as images, and frames
// outside x add nothing. Likewise
//
//   dx[d] = sum over k of (dy *' w[k])[d - k + p]
//   dw[k] = the gradient for x[d + k - p] and dy[d], over the frames of both
//
// with dilated frames k times the dilation apart. Terms are added in the order
// of k; bf16 and f16 are added in f32. Libraries have fast depthwise kernels
// for images and hardly any for volumes (docs/rationale/cpu-kernels.md).
//
//===----------------------------------------------------------------------===//

#include "DepthwiseVolumes.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// Frames [begin, end) of a sum, and those of a term at `offset` from them.
struct Frames {
  int64_t begin, end, offset;

  bool isEmpty() const { return begin >= end; }
  Frames shifted() const { return {begin + offset, end + offset, -offset}; }
};

/// Returns the frames of `sum` for which a term of `term` frames has one.
Frames overlap(int64_t sum, int64_t term, int64_t offset) {
  return {std::max<int64_t>(0, -offset), std::min(sum, term - offset), offset};
}

Value cut(OpBuilder &b, Location loc, Value x, unsigned dim, int64_t begin,
          int64_t end) {
  SmallVector<int64_t> limits(tensorOf(x).getShape()), starts(limits.size(), 0),
      ones(limits.size(), 1);
  if (begin == 0 && end == limits[dim])
    return x;
  starts[dim] = begin;
  limits[dim] = end;
  return SliceOp::create(b, loc, x, starts, limits, ones);
}

/// (N,D,H,W,C) as the images of its frames.
Value asImages(OpBuilder &b, Location loc, Value x) {
  ArrayRef<int64_t> s = tensorOf(x).getShape();
  return ReshapeOp::create(
      b, loc, tensorOf(x).clone({s[0] * s[1], s[2], s[3], s[4]}), x);
}

template <typename From, typename To>
struct SumOfFrames : public OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;

  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!isDepthwise(op) || op.getStrides()[0] != 1)
      return rewriter.notifyMatchFailure(op, "moves by several frames, or "
                                             "mixes channels");
    if (filterOf(op).getDimSize(1) == 1 || !hasTerm(op))
      return rewriter.notifyMatchFailure(op, "is no sum of frames");
    Value result;
    {
      OriginScope scope(rewriter, op);
      result = isFilterGrad ? gradientOfFilter(op, rewriter)
                            : sumOfTerms(op, rewriter);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static constexpr bool isFilterGrad = std::is_same_v<From, Conv3DFilterGradOp>;
  static constexpr bool isInputGrad = std::is_same_v<From, Conv3DInputGradOp>;

  static RankedTensorType filterOf(From op) {
    if constexpr (isFilterGrad)
      return tensorOf(op.getResult());
    else
      return tensorOf(op.getFilter());
  }
  static bool isDepthwise(From op) {
    return filterOf(op).getShape().back() == 1 && op.getGroups() > 1;
  }
  /// The frames of the sum, or of dy in a filter's gradient, that the filter's
  /// frame k has a term for.
  static Frames framesOf(From op, int64_t k) {
    int64_t offset = k * op.getDilation()[0] - op.getPadding()[0];
    int64_t depth = tensorOf(op->getOperand(0)).getDimSize(1);
    if constexpr (isFilterGrad)
      return overlap(tensorOf(op.getDy()).getDimSize(1), depth, offset);
    else
      return overlap(tensorOf(op.getResult()).getDimSize(1), depth,
                     isInputGrad ? -offset : offset);
  }
  static bool hasTerm(From op) {
    for (int64_t k = 0; k < filterOf(op).getDimSize(1); ++k)
      if (!framesOf(op, k).isEmpty())
        return true;
    return false;
  }

  static typename To::Properties propertiesOf(From op, OpBuilder &b) {
    typename To::Properties properties;
    properties.strides = b.getDenseI64ArrayAttr(op.getStrides().drop_front());
    properties.padding = b.getDenseI64ArrayAttr(op.getPadding().drop_front(2));
    properties.dilation = b.getDenseI64ArrayAttr(op.getDilation().drop_front());
    properties.groups = op.getGroupsAttr();
    return properties;
  }
  /// The type of a filter's frame.
  static RankedTensorType frameOf(RankedTensorType filter) {
    SmallVector<int64_t> shape(filter.getShape());
    shape.erase(shape.begin() + 1);
    return filter.clone(shape);
  }

  static Value sumOfTerms(From op, OpBuilder &b) {
    Location loc = op.getLoc();
    Value x = op->getOperand(0), filter = op->getOperand(1), sum;
    auto type = tensorOf(op.getResult());
    Value images = asImages(b, loc, x);
    for (int64_t k = 0; k < filterOf(op).getDimSize(1); ++k) {
      Frames frames = framesOf(op, k);
      if (frames.isEmpty())
        continue;
      Value frame = ReshapeOp::create(b, loc, frameOf(filterOf(op)),
                                      cut(b, loc, filter, 1, k, k + 1));
      Value term =
          placed(b, loc, convolved(op, images, frame, b), type, frames);
      sum = sum ? AddOp::create(b, loc, sum, term).getResult() : term;
    }
    return sum.getType() == type
               ? sum
               : CastOp::create(b, loc, type, sum).getResult();
  }

  /// The term of every frame of the operand, (N,D,H',W',O).
  static Value convolved(From op, Value images, Value frame, OpBuilder &b) {
    SmallVector<int64_t> shape(tensorOf(op.getResult()).getShape());
    shape[1] = tensorOf(op->getOperand(0)).getDimSize(1);
    auto made = tensorOf(op.getResult()).clone(shape);
    auto flat = made.clone({shape[0] * shape[1], shape[2], shape[3], shape[4]});
    Value y = To::create(b, op.getLoc(), TypeRange{flat},
                         ValueRange{images, frame}, propertiesOf(op, b));
    return ReshapeOp::create(b, op.getLoc(), made, y);
  }

  /// A term's frames at those of the sum, in f32 if that is wider.
  static Value placed(OpBuilder &b, Location loc, Value term,
                      RankedTensorType sum, const Frames &frames) {
    if (isa<BFloat16Type, Float16Type>(sum.getElementType()))
      term = CastOp::create(b, loc, tensorOf(term).clone(b.getF32Type()), term);
    Frames own = frames.shifted();
    term = cut(b, loc, term, 1, own.begin, own.end);
    SmallVector<int64_t> none(5, 0), low = none, high = none;
    low[1] = frames.begin;
    high[1] = sum.getDimSize(1) - frames.end;
    if (low == none && high == none)
      return term;
    return PadOp::create(b, loc, term, low, high, none, llvm::APFloat(0.0));
  }

  static Value gradientOfFilter(From op, OpBuilder &b) {
    Location loc = op.getLoc();
    auto type = filterOf(op);
    SmallVector<int64_t> shape(type.getShape());
    shape[1] = 1;
    SmallVector<Value> parts;
    for (int64_t k = 0; k < type.getDimSize(1); ++k) {
      Frames frames = framesOf(op, k), read = frames.shifted();
      if (frames.isEmpty()) {
        parts.push_back(ConstantOp::create(
            b, loc,
            DenseElementsAttr::get(type.clone(shape),
                                   b.getZeroAttr(type.getElementType()))));
        continue;
      }
      Value x = cut(b, loc, op->getOperand(0), 1, read.begin, read.end);
      Value dy = cut(b, loc, op->getOperand(1), 1, frames.begin, frames.end);
      Value part =
          To::create(b, loc, TypeRange{frameOf(type)},
                     ValueRange{asImages(b, loc, x), asImages(b, loc, dy)},
                     propertiesOf(op, b));
      parts.push_back(ReshapeOp::create(b, loc, type.clone(shape), part));
    }
    return ConcatOp::create(b, loc, parts, 1);
  }
};

} // namespace

void sg::populateDepthwiseVolumePatterns(RewritePatternSet &patterns) {
  patterns.add<SumOfFrames<Conv3DOp, Conv2DOp>,
               SumOfFrames<Conv3DInputGradOp, Conv2DInputGradOp>,
               SumOfFrames<Conv3DFilterGradOp, Conv2DFilterGradOp>>(
      patterns.getContext());
}
