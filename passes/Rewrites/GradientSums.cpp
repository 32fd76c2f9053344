//===- GradientSums.cpp - Gradients added in place by products ------------===//
//
// If a tensor has two readers, as the input of a residual block has, its
// gradient is the sum of theirs. A product that adds to the other gradient in
// place needs no bytes of its own. Bits are those of the two ops, since the
// product is complete before it is added, and rounded once. It is slower: the
// tensor it adds to should be large, and free to be overwritten.
//
//===----------------------------------------------------------------------===//

#include "GradientSums.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"
#include <optional>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Returns true if an op of the block computes the value and none after `last`
/// reads it.
static bool endsAt(Value value, Operation *last) {
  Operation *made = value.getDefiningOp();
  if (!made || made->getBlock() != last->getBlock() ||
      isa<ReadOp, ConstantOp>(made))
    return false;
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *reader = last->getBlock()->findAncestorOpInBlock(*user);
    return reader && !last->isBeforeInBlock(reader);
  });
}

/// The operand that is the gradient to add to the other one; if both could be,
/// the one computed later.
static std::optional<unsigned> sideOfGradient(AddOp op,
                                              const AddsInPlace &adds) {
  std::optional<unsigned> found;
  for (unsigned side : {0u, 1u}) {
    Operation *gradient =
        op->getOperand(side).getDefiningOp<Conv2DInputGradOp>();
    if (!gradient || !gradient->hasOneUse() ||
        !endsAt(op->getOperand(1 - side), op) || !adds(gradient))
      continue;
    if (!found ||
        op->getOperand(*found).getDefiningOp()->isBeforeInBlock(gradient))
      found = side;
  }
  return found;
}

static void addUp(AddOp op, unsigned side, IRRewriter &rewriter) {
  auto gradient = op->getOperand(side).getDefiningOp<Conv2DInputGradOp>();
  rewriter.setInsertionPoint(op);
  Value sum;
  {
    OriginScope scope(rewriter, gradient);
    sum = Conv2DInputGradAddOp::create(
        rewriter, gradient.getLoc(), op.getType(), gradient.getDy(),
        gradient.getFilter(), op->getOperand(1 - side), gradient.getStrides(),
        gradient.getPadding(), gradient.getDilation(), gradient.getGroups());
  }
  rewriter.replaceOp(op, sum);
}

void sg::addUpGradients(Block &block, const AddsInPlace &adds) {
  SmallVector<std::pair<AddOp, unsigned>> found;
  uint64_t largest = 0;
  for (AddOp op : block.getOps<AddOp>()) {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      continue; // rounding would differ
    if (std::optional<unsigned> side = sideOfGradient(op, adds)) {
      found.push_back({op, *side});
      largest = std::max(largest, byteSize(op.getType()));
    }
  }
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (auto [op, side] : found)
    if (2 * byteSize(op.getType()) > largest)
      addUp(op, side, rewriter);
}
