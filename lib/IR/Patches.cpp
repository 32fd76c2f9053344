//===- Patches.cpp - Convolutions of patches ------------------------------===//

#include "reprise/IR/Patches.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

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
