//===- HeldInside.cpp - Bytes held while an op runs -----------------------===//
//
// Input:   an op with regions, or a call.
// Output:  the most bytes that are live at once in its blocks.
// Method:  each block is a graph of its own, in program order. Values that a
//          loop carries in place have bytes outside the loop already.
// Cost:    linear in the ops inside; a function is examined once.
// Fails:   on results of unknown bytes, and on functions that call themselves.
//
//===----------------------------------------------------------------------===//
#include "HeldInside.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;

/// Arguments of a loop's body in whose storage each iteration leaves its value.
static SmallVector<Value> carriedInPlace(Operation *op) {
  SmallVector<Value> carried;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (remat::isCarriedInPlace(loop, index))
        carried.push_back(argument);
  return carried;
}

FailureOr<uint64_t> HeldInside::ofRegion(Region &region) {
  SmallVector<Value> carried = carriedInPlace(region.getParentOp());
  uint64_t outside = 0, held = 0;
  for (Value value : carried)
    outside += llvm::alignTo(remat::bytesOf(value.getType()).value_or(0),
                             plan::kAlignment);
  for (Block &block : region) {
    FailureOr<FunctionGraph> graph =
        buildBlockGraph(block, carried, roofline, *this);
    if (failed(graph))
      return failure();
    held = llvm::SaturatingAdd(held, graph->liveBytes());
  }
  return held - std::min(held, outside);
}

FailureOr<uint64_t> HeldInside::ofCallee(Operation *call) {
  auto callee = dyn_cast_if_present<FunctionOpInterface>(
      cast<CallOpInterface>(call).resolveCallable());
  if (!callee || callee.isExternal())
    return 0;
  auto [known, isNew] = callees.try_emplace(callee, std::nullopt);
  if (!isNew && known->second)
    return *known->second;
  if (!isNew)
    return call->emitOpError()
           << "calls a function that calls itself; say the bytes that are live "
              "inside by '"
           << remat::RematDialect::kWorkspace << "'";
  FailureOr<uint64_t> held = ofRegion(callee.getFunctionBody());
  if (succeeded(held))
    callees[callee] = *held;
  return held;
}

FailureOr<uint64_t> HeldInside::of(Operation *op) {
  if (isa<CallOpInterface>(op))
    return ofCallee(op);
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  bool isOneOf = branch && !branch.hasLoop() && !isa<LoopLikeOpInterface>(op);
  uint64_t all = 0;
  for (Region &region : op->getRegions()) {
    FailureOr<uint64_t> held = ofRegion(region);
    if (failed(held))
      return failure();
    all = isOneOf ? std::max(all, *held) : llvm::SaturatingAdd(all, *held);
  }
  return all;
}
