//===- GradientSums.cpp - Gradients that add up where they are made -------===//
//
// Where a tensor has two readers, as the input of a residual block, its
// gradient is the sum of theirs. A product that adds to what the other one left
// needs no bytes for its own. Bits are those of the two ops, since the product
// is whole before it is added, and rounded once. It is slower: what it adds to
// should be large, and free to be written over.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/GradientSums.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Sg.h"
#include <optional>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Whether an op of the block makes the value and none behind `last` reads it.
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

/// Which operand is the gradient that is added to the other one; of two the one
/// that is made later.
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
      continue; // would be rounded otherwise
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
