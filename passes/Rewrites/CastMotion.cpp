//===- CastMotion.cpp - Casts on the kernels' side of views ---------------===//
//
// A view is no kernel: ops after it cannot join ops before it. An op that only
// moves elements, as a transpose or a roll, is a kernel of its own, and moves
// half as many bytes for narrow elements. Casts do not change the order of
// elements, so that they may be on either side:
//
//   kernel, roll, transpose, {cast} -> {kernel, cast}, roll, transpose
//   {cast}, transpose, roll, kernel -> transpose, roll, {cast, kernel}
//
//===----------------------------------------------------------------------===//

#include "CastMotion.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// The bits that a cast of floating-point numbers adds to an element; negative
/// if it removes some, 0 for other casts.
static int addedBits(CastOp op) {
  Type from = getElementTypeOrSelf(op.getOperand().getType());
  Type to = getElementTypeOrSelf(op.getResult().getType());
  if (!isa<FloatType>(from) || !isa<FloatType>(to))
    return 0;
  return static_cast<int>(to.getIntOrFloatBitWidth()) -
         static_cast<int>(from.getIntOrFloatBitWidth());
}

namespace {

/// Moves a narrowing cast before a view: to the op that computes the value.
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

/// Moves a widening cast after a view: to the ops that read the value.
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

/// Creates the op on another operand, of the operand's element type.
Value moveAgain(Operation *op, Value operand, PatternRewriter &rewriter) {
  OriginScope scope(rewriter, op);
  IRMapping mapping;
  mapping.map(op->getOperand(0), operand);
  Operation *moved = rewriter.clone(*op, mapping);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  moved->getResult(0).setType(type.clone(getElementTypeOrSelf(operand)));
  return moved->getResult(0);
}

/// Null for an argument; for a view, the producer of the viewed value.
Operation *makerOf(Value value) {
  while (auto view = value.getDefiningOp<ReshapeOp>())
    value = view.getOperand();
  return value.getDefiningOp();
}

/// Returns true if a cast can join the op's kernel.
bool takesCast(Operation *op) {
  KernelRole role = kernelRoleOf(op);
  return role != KernelRole::None && role != KernelRole::Alone;
}

/// Returns true if all readers of a value, or of its views, can take in a cast.
bool areKernels(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    auto view = dyn_cast<ReshapeOp>(user);
    return view ? areKernels(view.getResult()) : takesCast(user);
  });
}

/// Moves a narrowing cast before an op that only moves elements and has no
/// other reader: to the kernel that computes them.
struct NarrowBeforeMove : public OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    Operation *move = op.getOperand().getDefiningOp();
    if (!isa_and_present<TransposeOp, RollOp>(move) || !move->hasOneUse() ||
        addedBits(op) >= 0)
      return rewriter.notifyMatchFailure(op, "narrows nothing that is moved");
    Value from = move->getOperand(0);
    Operation *maker = makerOf(from);
    if (!maker || !takesCast(maker) || sg::phaseOf(maker) != sg::phaseOf(op) ||
        sg::phaseOf(move) != sg::phaseOf(op))
      return rewriter.notifyMatchFailure(op, "no kernel can take it in");
    rewriter.setInsertionPoint(move);
    Type element = getElementTypeOrSelf(op.getResult());
    Value narrow;
    {
      OriginScope scope(rewriter, op);
      auto type = cast<RankedTensorType>(from.getType());
      narrow = CastOp::create(rewriter, op.getLoc(), type.clone(element), from);
    }
    rewriter.replaceOp(op, moveAgain(move, narrow, rewriter));
    return success();
  }
};

/// Moves a widening cast after an op that only moves elements: to the kernels
/// that read them.
template <typename MoveOp>
struct WidenBehindMove : public OpRewritePattern<MoveOp> {
  using OpRewritePattern<MoveOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MoveOp op,
                                PatternRewriter &rewriter) const override {
    auto widening = op.getOperand().template getDefiningOp<CastOp>();
    if (!widening || addedBits(widening) <= 0)
      return rewriter.notifyMatchFailure(op, "moves no widened value");
    if (!areKernels(op.getResult()))
      return rewriter.notifyMatchFailure(op, "not only kernels read it");
    Value wide = moveAgain(op, widening.getOperand(), rewriter);
    {
      OriginScope scope(rewriter, op);
      wide =
          CastOp::create(rewriter, op.getLoc(), op.getResult().getType(), wide);
    }
    rewriter.replaceOp(op, wide);
    return success();
  }
};

} // namespace

void sg::populateCastMotionPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowBeforeReshape, WidenBehindReshape, NarrowBeforeMove,
               WidenBehindMove<TransposeOp>, WidenBehindMove<RollOp>>(
      patterns.getContext());
}
