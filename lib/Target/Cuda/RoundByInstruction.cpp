//===- RoundByInstruction.cpp - f32 to bf16 by a GPU's instruction --------===//
//
// cvt.rn.bf16x2.f32 rounds two numbers to the nearest, to even between two,
// keeps numbers below the normal ones and makes infinity of what is too large
// (PTX ISA, cvt), as integer arithmetic does in six instructions for each. A
// NaN becomes 0x7FFF by it; what is chosen instead is that of the others,
// 0x7FC0.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;

/// `like`, a scalar or a vector, with elements of another type.
static Type withElements(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

namespace {
struct RoundByInstruction : OpRewritePattern<arith::TruncFOp> {
  RoundByInstruction(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF32() ||
        !getElementTypeOrSelf(op.getType()).isBF16())
      return failure();
    Location loc = op.getLoc();
    Type word = withElements(op.getType(), b.getI16Type());
    Value rounded = arith::BitcastOp::create(
        b, loc, word, LLVM::FPTruncOp::create(b, loc, op.getType(), x));
    constexpr int16_t kNan = 0x7FC0;
    TypedAttr nan = b.getI16IntegerAttr(kNan);
    if (auto vector = dyn_cast<VectorType>(word))
      nan = DenseElementsAttr::get(vector, kNan);
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    Value result = arith::SelectOp::create(
        b, loc, isNan, arith::ConstantOp::create(b, loc, nan), rounded);
    b.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), result);
    return success();
  }
};
} // namespace

void reprise::populateRoundByInstruction(RewritePatternSet &patterns) {
  patterns.add<RoundByInstruction>(patterns.getContext());
}
