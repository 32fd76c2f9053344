//===- EarlyMaxima.cpp - Pools' maxima found in the forward pass ----------===//

#include "EarlyMaxima.h"
#include "reprise/IR/Origin.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
struct LookEarly : public OpRewritePattern<MaxPool2DArgmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaxPool2DArgmaxOp op,
                                PatternRewriter &rewriter) const override {
    Operation *maker = op.getX().getDefiningOp();
    OriginAttr origin = originOf(op);
    if (!maker || !origin || maker->getBlock() != op->getBlock() ||
        phaseOf(maker) == phaseOf(op))
      return rewriter.notifyMatchFailure(op, "its operand is made beside it");
    Phase phase = phaseOf(maker);
    rewriter.moveOpAfter(op, maker);
    rewriter.modifyOpInPlace(op, [&] {
      setOrigin(op, OriginAttr::get(op.getContext(), origin.getPath(), phase,
                                    origin.getInstance()));
    });
    return success();
  }
};
} // namespace

void sg::populateEarlyMaximaPatterns(RewritePatternSet &patterns) {
  patterns.add<LookEarly>(patterns.getContext());
}
