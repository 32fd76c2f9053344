//===- TensorsInMemory.cpp - Tensors that memory may hold -----------------===//
#include "TensorsInMemory.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "reprise/IR/Remat.h"

using namespace mlir;
using namespace reprise;

bool reprise::mayWriteMemory(Operation *op) {
  WalkResult walk = op->walk([](Operation *inner) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!interface)
      return inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    bool writes = interface.hasEffect<MemoryEffects::Write>() ||
                  interface.hasEffect<MemoryEffects::Free>();
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

bool TensorsInMemory::contains(Value value) const {
  return isa<BaseMemRefType>(value.getType()) || tensors.contains(value);
}

/// Returns true if `op` or an op in its regions takes a value in memory and may
/// pass it on as a tensor; an op that only loads from it never does.
bool TensorsInMemory::isHandedOnBy(Operation *op) const {
  WalkResult walk = op->walk([&](Operation *inner) {
    bool hands =
        inner == op || inner->hasTrait<OpTrait::IsTerminator>() ||
        llvm::any_of(inner->getResultTypes(), llvm::IsaPred<TensorType>);
    return hands && llvm::any_of(inner->getOperands(),
                                 [&](Value value) { return contains(value); })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

void TensorsInMemory::note(Operation *op) {
  // A barrier's result is its input, and none of the values it waits for.
  if (auto barrier = dyn_cast<remat::BarrierOp>(op)) {
    if (contains(barrier.getInput()))
      tensors.insert(barrier.getResult());
    return;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  auto tied = dyn_cast<DestinationStyleOpInterface>(op);
  if (!isHandedOnBy(op))
    return;
  for (OpResult made : op->getResults()) {
    bool isCopy =
        !isa<TensorType>(made.getType()) ||
        (tied && !contains(tied.getTiedOpOperand(made)->get())) ||
        (effects && effects.getEffectOnValue<MemoryEffects::Allocate>(made));
    if (!isCopy)
      tensors.insert(made);
  }
}

bool TensorsInMemory::isUpdatedBy(Operation *op) const {
  if (isa<RegionBranchOpInterface>(op))
    return isHandedOnBy(op);
  auto tied = dyn_cast<DestinationStyleOpInterface>(op);
  return tied && llvm::any_of(op->getResults(), [&](OpResult made) {
           return contains(tied.getTiedOpOperand(made)->get());
         });
}
