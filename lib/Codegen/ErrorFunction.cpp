//===- ErrorFunction.cpp - erf of f32 -------------------------------------===//
//
// Method:  erf(x) = x P(x^2) / Q(x^2) on [0, 3.92], beyond which f32 is 1, by
//          one rational function for all x: MLIR has four, and selects each
//          coefficient among them. P and Q are the minimax fit of degree 5 to
//          erf(x) / x (relative error 1.9e-8), by iterated weighted least
//          squares in double.
//
//===----------------------------------------------------------------------===//

#include "ErrorFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;

/// Coefficients, starting at x^0.
static constexpr float kNumerator[] = {1.12837911f,    0.190405264f,
                                       0.0527485423f,  0.00376556022f,
                                       2.84880603e-4f, 2.05008541e-6f};
static constexpr float kDenominator[] = {1.0f,           0.502075016f,
                                         0.1141086f,     0.014969103f,
                                         0.00116252026f, 3.80915844e-5f};
static constexpr float kEnd = 3.92f;

namespace {

class Formula {
public:
  Formula(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value number(float value) {
    TypedAttr one = builder.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      one = DenseElementsAttr::get(vector, value);
    return arith::ConstantOp::create(builder, loc, one);
  }
  /// Clamps x to [-limit, limit]; NaN stays NaN.
  Value within(Value x, float limit) {
    Value low = number(-limit), high = number(limit);
    x = select(arith::CmpFPredicate::OGT, x, high);
    return select(arith::CmpFPredicate::OLT, x, low);
  }
  Value polynomial(Value t, ArrayRef<float> coefficients) {
    Value sum = number(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = math::FmaOp::create(builder, loc, sum, t, number(coefficient));
    return sum;
  }
  Value mul(Value x, Value y) {
    return arith::MulFOp::create(builder, loc, x, y);
  }
  Value div(Value x, Value y) {
    return arith::DivFOp::create(builder, loc, x, y);
  }

private:
  /// Returns `limit` where the comparison of x with it holds, else x.
  Value select(arith::CmpFPredicate predicate, Value x, Value limit) {
    Value beyond = arith::CmpFOp::create(builder, loc, predicate, x, limit);
    return arith::SelectOp::create(builder, loc, beyond, limit, x);
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};

struct ExpandErf : public OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "is not of f32");
    Formula f(rewriter, op.getLoc(), op.getType());
    Value x = f.within(op.getOperand(), kEnd);
    Value t = f.mul(x, x);
    Value numerator = f.polynomial(t, kNumerator);
    Value denominator = f.polynomial(t, kDenominator);
    Value product = f.mul(x, numerator);
    rewriter.replaceOp(op, f.within(f.div(product, denominator), 1.0f));
    return success();
  }
};

} // namespace

void reprise::populateErrorFunctionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandErf>(patterns.getContext());
}
