//===- FlatConvolutions.cpp - Convolutions of volumes as of images --------===//
//
// A filter of one frame reads each frame of a volume alone, and a filter of one
// pixel each pixel:
//
//   (O,1,KH,KW,I) on (N,D,H,W,C)   is   (O,KH,KW,I) on (ND,H,W,C)
//   (O,KD,1,1,I)  on (N,D,H,W,C)   is   (O,KD,1,I)  on (N,D,HW,C)
//
// if the strides along what is read alone are 1 and nothing is padded there.
// Reshapes of dense tensors are views. Libraries have more kernels for images.
//
//===----------------------------------------------------------------------===//

#include "FlatConvolutions.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// The dimensions that become one: N and D, or H and W.
enum class Flat { FramesOfBatch, PixelsOfFrame };

template <typename From, typename To>
struct Flatten : public OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;

  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    std::optional<Flat> flat = flatOf(op);
    if (!flat)
      return rewriter.notifyMatchFailure(op, "has a filter of volumes");
    Value result;
    {
      OriginScope scope(rewriter, op);
      result = convolve(op, *flat, rewriter);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static RankedTensorType filterOf(From op) {
    if constexpr (std::is_same_v<From, Conv3DFilterGradOp>)
      return tensorOf(op.getResult());
    else
      return tensorOf(op.getFilter());
  }

  static std::optional<Flat> flatOf(From op) {
    ArrayRef<int64_t> padding = op.getPadding();
    auto isAlone = [&](unsigned d) {
      return filterOf(op).getDimSize(d + 1) == 1 && op.getStrides()[d] == 1 &&
             padding[2 * d] == 0 && padding[2 * d + 1] == 0;
    };
    if (isAlone(0))
      return Flat::FramesOfBatch;
    if (isAlone(1) && isAlone(2))
      return Flat::PixelsOfFrame;
    return std::nullopt;
  }

  /// The type of a volume or a filter as an image or a filter of images.
  static RankedTensorType flatten(RankedTensorType type, Flat flat) {
    ArrayRef<int64_t> s = type.getShape();
    return flat == Flat::FramesOfBatch
               ? type.clone({s[0] * s[1], s[2], s[3], s[4]})
               : type.clone({s[0], s[1], s[2] * s[3], s[4]});
  }

  static Value convolve(From op, Flat flat, OpBuilder &b) {
    Location loc = op.getLoc();
    // The numbers of H and W, or those of D and of pixels.
    unsigned first = flat == Flat::FramesOfBatch ? 1 : 0;
    auto two = [&](ArrayRef<int64_t> numbers, unsigned each) {
      return b.getDenseI64ArrayAttr(numbers.slice(first * each, 2 * each));
    };
    typename To::Properties properties;
    properties.strides = two(op.getStrides(), 1);
    properties.padding = two(op.getPadding(), 2);
    properties.dilation = two(op.getDilation(), 1);
    properties.groups = op.getGroupsAttr();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          ReshapeOp::create(b, loc, flatten(tensorOf(operand), flat), operand));
    auto type = tensorOf(op.getResult());
    Value result = To::create(b, loc, TypeRange{flatten(type, flat)}, operands,
                              properties);
    return ReshapeOp::create(b, loc, type, result);
  }
};

} // namespace

void sg::populateFlatConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<Flatten<Conv3DOp, Conv2DOp>,
               Flatten<Conv3DInputGradOp, Conv2DInputGradOp>,
               Flatten<Conv3DFilterGradOp, Conv2DFilterGradOp>>(
      patterns.getContext());
}
