//===- WrapBlock.cpp - Consecutive ops as a block -------------------------===//
//
// Cost:    linear in the operands of the ops and in the uses of their results.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/WrapBlock.h"
#include "mlir/IR/IRMapping.h"
#include "reprise/IR/BlockRewrite.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

SgModuleOp sg::wrapInModule(ArrayRef<Operation *> ops, StringRef path) {
  SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  auto isOutside = [&](Operation *user) { return !inside.contains(user); };
  llvm::SetVector<Value> inputs, outputs, frees;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || isOutside(operand.getDefiningOp()))
        (isFree(operand) ? frees : inputs).insert(operand);
    for (Value result : op->getResults()) {
      if (!isFree(result) && llvm::any_of(result.getUsers(), isOutside))
        outputs.insert(result);
    }
  }
  // A read with uses outside stays there as well; the block gets its own.
  for (Operation *op : ops)
    if (op->getNumResults() == 1 && isFree(op->getResult(0)) &&
        llvm::any_of(op->getUsers(), isOutside)) {
      Operation *outside = OpBuilder(ops.front()).clone(*op);
      op->getResult(0).replaceUsesWithIf(
          outside->getResult(0),
          [&](OpOperand &use) { return isOutside(use.getOwner()); });
    }
  OpBuilder builder(ops.back()->getContext());
  builder.setInsertionPointAfter(ops.back());
  auto module = SgModuleOp::create(builder, ops.front()->getLoc(),
                                   TypeRange(outputs.getArrayRef()),
                                   inputs.getArrayRef(), path);
  Block &body = module.getBody().front();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  IRMapping names;
  names.map(inputs.getArrayRef(), body.getArguments());
  for (Value value : frees)
    names.map(value, inner.clone(*value.getDefiningOp())->getResult(0));
  for (Operation *op : ops) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(names.lookupOrDefault(operand.get()));
    op->moveBefore(&body, body.end());
  }
  for (auto [output, result] :
       llvm::zip_equal(outputs.getArrayRef(), module->getResults()))
    Value(output).replaceUsesWithIf(
        result, [&](OpOperand &use) { return isOutside(use.getOwner()); });
  inner.setInsertionPointToEnd(&body);
  YieldOp::create(inner, module.getLoc(), outputs.getArrayRef());
  return module;
}
