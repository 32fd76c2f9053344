//===- Marks.cpp - Tensors marked sg.recompute ----------------------------===//

#include "Marks.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Returns the definition of a value, looking through blocks and recompute
/// marks.
static Value markedValue(Value value) {
  value = definitionOf(value);
  while (auto mark = value.getDefiningOp<RecomputeOp>())
    value = definitionOf(mark.getOperand());
  return value;
}

static LogicalResult
checkMark(RecomputeOp mark, const llvm::DenseMap<Operation *, KeepOp> &held) {
  Value value = markedValue(mark.getOperand());
  Operation *op = value.getDefiningOp();
  if (!op || isFree(value))
    return mark.emitOpError()
           << "marks " << (op ? "a variable or a constant" : "an input")
           << " of the model; there is nothing to recompute it from";
  KeepOp other = dyn_cast<KeepOp>(op);
  if (!other)
    other = held.lookup(op);
  if (!other)
    return success();
  InFlightDiagnostic error = mark.emitOpError()
                             << "marks what is to be held as well";
  error.attachNote(other.getLoc()) << "by this mark";
  return error;
}

LogicalResult sg::checkMarks(func::FuncOp function) {
  llvm::DenseMap<Operation *, KeepOp> held;
  function.walk([&](KeepOp mark) {
    if (Operation *op = markedValue(mark.getOperand()).getDefiningOp())
      held.try_emplace(op, mark);
  });
  WalkResult walk = function.walk([&](RecomputeOp mark) {
    return failed(checkMark(mark, held)) ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

static bool isCheckpointed(Operation *op) {
  for (auto block = op->getParentOfType<SgModuleOp>(); block;
       block = block->getParentOfType<SgModuleOp>())
    if (block.getActivationCheckpointing())
      return true;
  return false;
}

void sg::dropMarksInSegments(func::FuncOp function) {
  SmallVector<RecomputeOp> needless;
  function.walk([&](RecomputeOp mark) {
    Operation *op = markedValue(mark.getOperand()).getDefiningOp();
    if (isCheckpointed(mark) || (op && isCheckpointed(op)))
      needless.push_back(mark);
  });
  for (RecomputeOp mark : needless) {
    mark.getResult().replaceAllUsesWith(mark.getOperand());
    mark.erase();
  }
}
