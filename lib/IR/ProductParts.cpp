//===- ProductParts.cpp - The operands of a matrix product ----------------===//

#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Product.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Returns true if each point of the result depends on one point of the image.
template <typename OpTy> static bool isOfPoints(OpTy op) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  auto areAll = [](ArrayRef<int64_t> numbers, int64_t value) {
    return llvm::all_of(numbers, [=](int64_t each) { return each == value; });
  };
  return op.getGroups() == 1 && filter.getDimSize(1) == 1 &&
         filter.getDimSize(2) == 1 && areAll(op.getStrides(), 1) &&
         areAll(op.getPadding(), 0);
}

static ProductParts partsOf(Value left, Value right, Value result) {
  auto from = cast<RankedTensorType>(left.getType());
  auto to = cast<RankedTensorType>(result.getType());
  ProductParts parts;
  parts.left = left;
  parts.right = right;
  parts.result = result;
  parts.inner = from.getShape().back();
  parts.columns = to.getShape().back();
  parts.rows = 1;
  for (int64_t extent : to.getShape().drop_back())
    parts.rows *= extent;
  return parts;
}

static std::optional<ProductParts> anyParts(Operation *op) {
  if (auto forward = dyn_cast<Conv2DOp>(op)) {
    if (!isOfPoints(forward))
      return std::nullopt;
    ProductParts parts =
        partsOf(forward.getX(), forward.getFilter(), forward.getResult());
    parts.isTransposed = true;
    return parts;
  }
  auto grad = dyn_cast<Conv2DInputGradOp>(op);
  if (!grad || !isOfPoints(grad))
    return std::nullopt;
  return partsOf(grad.getDy(), grad.getFilter(), grad.getResult());
}

std::optional<ProductParts> sg::productParts(Operation *op) {
  std::optional<ProductParts> parts = anyParts(op);
  if (!parts)
    return std::nullopt;
  Type element = getElementTypeOrSelf(parts->result);
  if (getElementTypeOrSelf(parts->left) != element ||
      getElementTypeOrSelf(parts->right) != element)
    return std::nullopt;
  return parts;
}

template <typename OpTy>
static bool hasPatches(OpTy op, Value image, Value filter) {
  ArrayRef<int64_t> extents = tensorOf(image).getShape();
  ArrayRef<int64_t> window = tensorOf(filter).getShape().slice(1, 2);
  return op.getStrides() == window &&
         op.getDilation() == ArrayRef<int64_t>{1, 1} &&
         op.getPadding() == ArrayRef<int64_t>{0, 0, 0, 0} &&
         op.getGroups() == 1 && window[0] * window[1] != 1 &&
         extents[1] % window[0] == 0 && extents[2] % window[1] == 0;
}

bool sg::isOfPatches(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<Conv2DOp>(
          [](Conv2DOp op) { return hasPatches(op, op.getX(), op.getFilter()); })
      .Case<Conv2DInputGradOp>([](Conv2DInputGradOp op) {
        return hasPatches(op, op.getResult(), op.getFilter());
      })
      .Case<Conv2DFilterGradOp>([](Conv2DFilterGradOp op) {
        return hasPatches(op, op.getX(), op.getResult());
      })
      .Default(false);
}
