//===- Marks.cpp - Tensors that are kept or computed again ----------------===//

#include "Generator.h"
#include "Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::random_graphs;

/// What a mark on `value` is about, past blocks, views and other marks; null
/// where that is an input, a variable or a constant.
static Operation *makerOf(Value value) {
  value = sg::definitionOf(value);
  while (isa_and_present<sg::ReshapeOp, sg::KeepOp, sg::RecomputeOp>(
      value.getDefiningOp()))
    value = sg::definitionOf(value.getDefiningOp()->getOperand(0));
  return sg::isFree(value) ? nullptr : value.getDefiningOp();
}

/// Values of the function and of its blocks, what blocks take and hand out too.
static SmallVector<Value> valuesOf(func::FuncOp function) {
  SmallVector<Value> values;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return;
    llvm::append_range(values, op->getResults());
    if (auto block = dyn_cast<sg::SgModuleOp>(op))
      llvm::append_range(values, block.getBody().getArguments());
  });
  return values;
}

unsigned random_graphs::markTensors(ModuleOp module, uint64_t seed) {
  Random random(seed, /*stream=*/4);
  func::FuncOp function = *module.getOps<func::FuncOp>().begin();
  llvm::DenseMap<Operation *, bool> isKept;
  OpBuilder b(module.getContext());
  unsigned marks = 0;
  for (Value value : valuesOf(function)) {
    Operation *maker = makerOf(value);
    if (!maker || !random.oneIn(4))
      continue;
    // A tensor is marked in one way, however often.
    bool keeps = isKept.try_emplace(maker, random.oneIn(2)).first->second;
    b.setInsertionPointAfterValue(value);
    Operation *mark =
        keeps ? sg::KeepOp::create(b, value.getLoc(), value).getOperation()
              : sg::RecomputeOp::create(b, value.getLoc(), value);
    value.replaceAllUsesExcept(mark->getResult(0), mark);
    ++marks;
  }
  return marks;
}
