//===- SgFolds.cpp - Simplifications that keep every bit ------------------===//
//
// Folds only ops that move nothing or do nothing. x + 0 is not x (-0 + 0 is 0),
// x * 1 is x but is left to its author, sums are not regrouped, and a cast
// there and back rounds, unless it widens first.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
/// A constant that the backward pass uses is created there: if it were created
/// outside, the backward region would capture it, as if it were kept.
struct SgFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const final {
    return isa<BackwardOp>(region->getParentOp());
  }
};
} // namespace

void SgDialect::registerInterfaces() { addInterfaces<SgFoldInterface>(); }

Operation *SgDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// The operand of an op of one operand, if its type is the result's.
template <typename OpTy> static OpFoldResult foldIfSameType(OpTy op) {
  if (op->getOperand(0).getType() == op->getResult(0).getType())
    return op->getOperand(0);
  return {};
}

/// Returns true if `to` can represent all numbers of `from`.
static bool widens(Type from, Type to) {
  auto narrow = dyn_cast<FloatType>(from), wide = dyn_cast<FloatType>(to);
  return narrow && wide && wide.getWidth() > narrow.getWidth() &&
         wide.getFPMantissaWidth() >= narrow.getFPMantissaWidth();
}

/// A widened value that is cast back is the value itself.
OpFoldResult CastOp::fold(FoldAdaptor) {
  auto before = getOperand().getDefiningOp<CastOp>();
  if (before && before.getOperand().getType() == getType() &&
      widens(getElementTypeOrSelf(getType()),
             getElementTypeOrSelf(getOperand().getType())))
    return before.getOperand();
  return foldIfSameType(*this);
}

/// Its dims increase, so that if the type is unchanged they are the identity.
OpFoldResult BroadcastOp::fold(FoldAdaptor) { return foldIfSameType(*this); }

/// A part of the whole extent in every dimension is the whole.
OpFoldResult SliceOp::fold(FoldAdaptor) { return foldIfSameType(*this); }

OpFoldResult PadOp::fold(FoldAdaptor) {
  // Interior padding in a dimension of extent 1 adds nothing, whatever its
  // value.
  return foldIfSameType(*this);
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getNumOperands() == 1)
    return getOperand(0);
  return {};
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor) { return foldIfSameType(*this); }

OpFoldResult ReduceMaxOp::fold(FoldAdaptor) { return foldIfSameType(*this); }

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  if (auto before = getOperand().getDefiningOp<ReshapeOp>()) {
    setOperand(before.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult RollOp::fold(FoldAdaptor) {
  if (llvm::all_of(getShifts(), [](int64_t shift) { return shift == 0; }))
    return getOperand();
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool identity = true;
  for (auto [k, d] : llvm::enumerate(getPermutation()))
    identity &= static_cast<int64_t>(k) == d;
  if (identity)
    return getOperand();
  auto before = getOperand().getDefiningOp<TransposeOp>();
  if (!before)
    return {};
  SmallVector<int64_t> composed;
  for (int64_t d : getPermutation())
    composed.push_back(before.getPermutation()[d]);
  setPermutation(composed);
  setOperand(before.getOperand());
  return getResult();
}

/// x / (1 - 0) is x.
OpFoldResult DropoutOp::fold(FoldAdaptor) {
  if (getProbability().isZero())
    return getX();
  return {};
}
