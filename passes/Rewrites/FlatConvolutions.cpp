//===- FlatConvolutions.cpp - Convolutions of volumes as of images --------===//
//
// A filter of one frame reads each frame of a volume alone, and a filter of one
// pixel each pixel:
//
//   (O,1,KH,KW,I) on (N,D,H,W,C)   is   (O,KH,KW,I) on (ND,H,W,C)
//   (O,KD,1,1,I)  on (N,D,H,W,C)   is   (O,KD,1,I)  on (N,D,HW,C)
//
// if nothing is padded along what is read alone. If a filter of one frame
// strides over frames, those that it reads are cut out first, and of them only
// the pixels that it reads if it also strides over these; their gradient has
// zeros between. Reshapes of dense tensors are views. Libraries have more
// kernels for images.
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
  static constexpr bool makesImage = std::is_same_v<From, Conv3DInputGradOp>;

  static RankedTensorType filterOf(From op) {
    if constexpr (std::is_same_v<From, Conv3DFilterGradOp>)
      return tensorOf(op.getResult());
    else
      return tensorOf(op.getFilter());
  }

  /// Returns true if each point along D, H or W is read alone.
  static bool isAlone(From op, unsigned d) {
    return filterOf(op).getDimSize(d + 1) == 1 && op.getPadding()[2 * d] == 0 &&
           op.getPadding()[2 * d + 1] == 0;
  }

  static std::optional<Flat> flatOf(From op) {
    if (isAlone(op, 0))
      return Flat::FramesOfBatch;
    bool strides = op.getStrides()[1] > 1 || op.getStrides()[2] > 1;
    if (isAlone(op, 1) && isAlone(op, 2) && !strides)
      return Flat::PixelsOfFrame;
    return std::nullopt;
  }

  /// The strides of the frames and pixels that are cut out, 1 for each of the
  /// other dimensions of an image.
  static SmallVector<int64_t> cutStrides(From op) {
    SmallVector<int64_t> strides(5, 1);
    for (unsigned d = 0; d < 3; ++d)
      if (op.getStrides()[0] > 1 && isAlone(op, 0) && isAlone(op, d))
        strides[d + 1] = op.getStrides()[d];
    return strides;
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
    SmallVector<int64_t> cut = cutStrides(op);
    bool cuts = llvm::any_of(cut, [](int64_t stride) { return stride > 1; });
    auto type = tensorOf(op.getResult());
    auto image = makesImage ? type : tensorOf(op->getOperand(0));
    // The image's points that are read, and those from the first to the last.
    SmallVector<int64_t> points(image.getShape()), reach = points;
    for (unsigned d = 1; d < 4; ++d) {
      points[d] = (points[d] - 1) / cut[d] + 1;
      reach[d] = (points[d] - 1) * cut[d] + 1;
    }
    SmallVector<int64_t> none(5, 0);
    SmallVector<Value> operands(op->getOperands());
    if (cuts && !makesImage)
      operands[0] = SliceOp::create(b, loc, operands[0], none, reach, cut);
    for (Value &operand : operands)
      operand =
          ReshapeOp::create(b, loc, flatten(tensorOf(operand), flat), operand);
    RankedTensorType made = makesImage ? type.clone(points) : type;
    Value result = To::create(b, loc, TypeRange{flatten(made, flat)}, operands,
                              propertiesOf(op, flat, cut, b));
    result = ReshapeOp::create(b, loc, made, result);
    if (!cuts || !makesImage)
      return result;
    SmallVector<int64_t> high, between;
    for (unsigned d = 0; d < 5; ++d) {
      high.push_back(type.getDimSize(d) - reach[d]);
      between.push_back(cut[d] - 1);
    }
    return PadOp::create(b, loc, result, none, high, between,
                         llvm::APFloat(0.0));
  }

  static typename To::Properties
  propertiesOf(From op, Flat flat, ArrayRef<int64_t> cut, OpBuilder &b) {
    // The numbers of H and W, or those of D and of pixels.
    unsigned first = flat == Flat::FramesOfBatch ? 1 : 0;
    auto two = [&](ArrayRef<int64_t> numbers, unsigned each) {
      return b.getDenseI64ArrayAttr(numbers.slice(first * each, 2 * each));
    };
    SmallVector<int64_t> strides(op.getStrides());
    for (unsigned d = 0; d < 3; ++d)
      strides[d] /= cut[d + 1];
    typename To::Properties properties;
    properties.strides = two(strides, 1);
    properties.padding = two(op.getPadding(), 2);
    properties.dilation = two(op.getDilation(), 1);
    properties.groups = op.getGroupsAttr();
    return properties;
  }
};

} // namespace

void sg::populateFlatConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<Flatten<Conv3DOp, Conv2DOp>,
               Flatten<Conv3DInputGradOp, Conv2DInputGradOp>,
               Flatten<Conv3DFilterGradOp, Conv2DFilterGradOp>>(
      patterns.getContext());
}
