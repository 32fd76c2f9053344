//===- RoundByInstruction.cpp - f32 to bf16 and back on a GPU -------------===//
//
// cvt.rn.bf16x2.f32 rounds two numbers to nearest, ties to even, keeps
// subnormal numbers and rounds numbers that are too large to infinity (PTX ISA,
// cvt), as integer arithmetic does in six instructions for each. It turns a NaN
// into 0x7FFF, while integer arithmetic returns 0x7FC0. A signed minimum with
// 0x7FC0 corrects that and leaves all other results, which are smaller,
// unchanged.
//
// In the other direction, a number becomes the upper half of a register: one
// instruction for each number if two come from one register, without separating
// them first.
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

/// Returns `like`, a scalar or a vector type, with another element type.
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
