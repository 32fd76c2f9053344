//===- CastMotion.cpp - Casts on the kernels' side of views ---------------===//
//
// A view is no kernel: what stands behind it cannot join what stands in front.
// Casts change no order of elements, so that they may stand on either side.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/CastMotion.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Bits that a cast of floating-point numbers adds to an element; negative
/// where it takes some, 0 for other casts.
static int addedBits(CastOp op) {
  Type from = getElementTypeOrSelf(op.getOperand().getType());
  Type to = getElementTypeOrSelf(op.getResult().getType());
  if (!isa<FloatType>(from) || !isa<FloatType>(to))
    return 0;
  return static_cast<int>(to.getIntOrFloatBitWidth()) -
         static_cast<int>(from.getIntOrFloatBitWidth());
}

namespace {

/// A narrowing cast stands in front of a view: with what makes the value.
struct NarrowBeforeReshape : public OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto view = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!view || addedBits(op) >= 0)
      return rewriter.notifyMatchFailure(op, "narrows no view");
    auto from = cast<RankedTensorType>(view.getOperand().getType());
    Type element = getElementTypeOrSelf(op.getResult().getType());
    Value narrow;
    {
      OriginScope scope(rewriter, op);
      narrow = CastOp::create(rewriter, op.getLoc(), from.clone(element),
                              view.getOperand());
      narrow = ReshapeOp::create(rewriter, op.getLoc(),
                                 op.getResult().getType(), narrow);
    }
    rewriter.replaceOp(op, narrow);
    return success();
  }
};

/// A widening cast stands behind a view: with what reads the value.
struct WidenBehindReshape : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto widening = op.getOperand().getDefiningOp<CastOp>();
    if (!widening || addedBits(widening) <= 0)
      return rewriter.notifyMatchFailure(op, "views no widened value");
    auto to = cast<RankedTensorType>(op.getResult().getType());
    Type element = getElementTypeOrSelf(widening.getOperand().getType());
    Value wide;
    {
      OriginScope scope(rewriter, op);
      wide = ReshapeOp::create(rewriter, op.getLoc(), to.clone(element),
                               widening.getOperand());
      wide = CastOp::create(rewriter, op.getLoc(), to, wide);
    }
    rewriter.replaceOp(op, wide);
    return success();
  }
};

} // namespace

void sg::populateCastMotionPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowBeforeReshape, WidenBehindReshape>(patterns.getContext());
}
