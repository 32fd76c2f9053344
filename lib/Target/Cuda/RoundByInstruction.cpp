//===- RoundByInstruction.cpp - f32 to bf16 and back on a GPU -------------===//
//
// cvt.rn.bf16x2.f32 rounds two numbers to the nearest, to even between two,
// keeps numbers below the normal ones and makes infinity of what is too large
// (PTX ISA, cvt), as integer arithmetic does in six instructions for each. A
// NaN becomes 0x7FFF by it; that of the others is 0x7FC0, the smaller one as a
// signed number, as which all that is positive is smaller still.
//
// Back, a number is the upper half of a register: one instruction for each
// where two come from one register, and none to take them apart before.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;

/// `like`, a scalar or a vector, with elements of another type.
static Type withElements(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

static Value constantLike(OpBuilder &b, Location loc, Type type,
                          int64_t value) {
  Attribute number = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, number);
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(number));
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
    constexpr int64_t kNan = 0x7FC0;
    Value result = arith::MinSIOp::create(b, loc, rounded,
                                          constantLike(b, loc, word, kNan));
    b.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), result);
    return success();
  }
};

struct WidenPairs : OpRewritePattern<arith::ExtFOp> {
  WidenPairs(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &b) const override {
    auto type = dyn_cast<VectorType>(op.getIn().getType());
    if (!type || type.getRank() != 1 || type.isScalable() ||
        type.getNumElements() % 2 || !type.getElementType().isBF16() ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    int64_t pairs = type.getNumElements() / 2;
    auto words = VectorType::get({pairs}, b.getI32Type());
    Value both = vector::BitCastOp::create(b, loc, words, op.getIn());
    Value even =
        arith::ShLIOp::create(b, loc, both, constantLike(b, loc, words, 16));
    Value odd = arith::AndIOp::create(b, loc, both,
                                      constantLike(b, loc, words, 0xFFFF0000));
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < pairs; ++i)
      order.append({i, pairs + i});
    Value all = vector::ShuffleOp::create(b, loc, even, odd, order);
    b.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), all);
    return success();
  }
};
} // namespace

void reprise::populateRoundByInstruction(RewritePatternSet &patterns) {
  patterns.add<RoundByInstruction>(patterns.getContext());
  populateWidenPairs(patterns);
}

void reprise::populateWidenPairs(RewritePatternSet &patterns) {
  patterns.add<WidenPairs>(patterns.getContext());
}
