//===- ReductionPatterns.cpp - Simpler forms of sg ops --------------------===//
//
// Each pattern rewrites a verified graph to a smaller verified graph. The
// reducer keeps a step only if the tester still finds the result interesting.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Reduce.h"

using namespace mlir;
using namespace reprise;

/// Returns true if `op` computes: leaves, blocks and terminators have their own
/// rules.
static bool computes(Operation *op) {
  return isa_and_present<sg::SgDialect>(op->getDialect()) &&
         op->getNumResults() > 0 && op->getNumRegions() == 0 &&
         !isa<sg::ConstantOp, sg::ReadOp>(op);
}

namespace {

/// Replaces an op by constants of zero.
struct UseConstants : RewritePattern {
  explicit UseConstants(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!computes(op))
      return failure();
    SmallVector<Value> zeros;
    for (Type type : op->getResultTypes())
      zeros.push_back(sg::createSplat(rewriter, op->getLoc(),
                                      cast<RankedTensorType>(type), 0.0));
    rewriter.replaceOp(op, zeros);
    return success();
  }
};

/// Replaces a block by its ops. Blocks of a differentiated function belong
/// together and stay.
struct Dissolve : OpRewritePattern<sg::SgModuleOp> {
  explicit Dissolve(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(sg::SgModuleOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInstance())
      return failure();
    SmallVector<Value> results(op.getYield().getOperands());
    Operation *yield = op.getYield();
    Block *body = &op.getBody().front();
    for (auto [argument, input] :
         llvm::zip_equal(body->getArguments(), op.getInputs()))
      for (Value &result : results)
        if (result == argument)
          result = input;
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(body, op, op.getInputs());
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct SgReduction : DialectReductionPatternInterface {
  explicit SgReduction(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<Dissolve, UseConstants>(patterns.getContext());
  }
};

} // namespace

void reprise::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, sg::SgDialect *dialect) {
    dialect->addInterfaces<SgReduction>();
  });
}
