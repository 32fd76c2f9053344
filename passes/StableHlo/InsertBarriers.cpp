//===- InsertBarriers.cpp - Barriers that XLA keeps -----------------------===//
//
// Input:   a function after remat-to-budget.
// Output:  the same with stablehlo.optimization_barrier, without remat's ops
//          and attributes.
// Method:  a barrier of a view becomes one of what is viewed, and the view is
//          computed again behind it: a value that passes a barrier is stored.
//          The barriers in front of the first op that reads one of them become
//          one. Later readers of a value that a barrier waits for read it from
//          the barrier.
// Cost:    linear in the ops and the uses of those values.
// Fails:   never.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/StableHlo.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace reprise {
#define GEN_PASS_DEF_STABLEHLOINSERTBARRIERS
#include "reprise/Passes/StableHloPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::stablehlo;

/// Replaces the uses of `value` in ops of a block from `first` on.
static void replaceFrom(Value value, Operation *first, Value other) {
  Block *block = first->getBlock();
  value.replaceUsesWithIf(other, [&](OpOperand &use) {
    Operation *reader = block->findAncestorOpInBlock(*use.getOwner());
    return reader && !reader->isBeforeInBlock(first);
  });
}

/// The view that `barrier` passes on, if it is one.
static Operation *viewBehind(remat::BarrierOp barrier) {
  Operation *op = barrier.getInput().getDefiningOp();
  bool isView = op && !isa<remat::BarrierOp>(op) && remat::viewSourceOf(op) &&
                isMemoryEffectFree(op);
  return isView ? op : nullptr;
}

/// Replaces barriers of views by barriers of their operands. The views are
/// repeated in front of the barrier's first reader.
static void passUnderViews(Block &block) {
  SmallVector<remat::BarrierOp> barriers(block.getOps<remat::BarrierOp>());
  while (!barriers.empty()) {
    remat::BarrierOp barrier = barriers.pop_back_val();
    Operation *view = viewBehind(barrier), *reader = nullptr;
    for (Operation *user : barrier->getUsers())
      if (Operation *at = block.findAncestorOpInBlock(*user);
          at && (!reader || at->isBeforeInBlock(reader)))
        reader = at;
    if (!view || !reader)
      continue;
    OpBuilder builder(barrier);
    IRMapping mapping;
    for (Value operand : view->getOperands()) {
      if (mapping.contains(operand))
        continue;
      barriers.push_back(remat::BarrierOp::create(builder, barrier.getLoc(),
                                                  operand.getType(), operand,
                                                  barrier.getAfter()));
      mapping.map(operand, barriers.back().getResult());
    }
    builder.setInsertionPoint(reader);
    barrier.getResult().replaceAllUsesWith(
        builder.clone(*view, mapping)->getResult(0));
    barrier.erase();
  }
}

/// Returns what `value` is before it passes any of the barriers.
static Value beforeBarriers(Value value, ArrayRef<remat::BarrierOp> barriers) {
  for (auto barrier = value.getDefiningOp<remat::BarrierOp>();
       barrier && llvm::is_contained(barriers, barrier);
       barrier = value.getDefiningOp<remat::BarrierOp>())
    value = barrier.getInput();
  return value;
}

/// Makes one barrier, in front of `reader`, of some that stand before it. They
/// may wait for each other.
static void join(ArrayRef<remat::BarrierOp> barriers, Operation *reader) {
  llvm::SetVector<Value> passed;
  SmallVector<size_t> places;
  for (remat::BarrierOp barrier : barriers) {
    Value input = beforeBarriers(barrier.getInput(), barriers);
    passed.insert(input);
    places.push_back(llvm::find(passed, input) - passed.begin());
  }
  size_t inputs = passed.size();
  for (remat::BarrierOp barrier : barriers)
    for (Value after : barrier.getAfter())
      passed.insert(beforeBarriers(after, barriers));
  OpBuilder builder(reader);
  auto joined = OptimizationBarrierOp::create(
      builder, reader->getLoc(), ValueRange(passed.getArrayRef()).getTypes(),
      passed.getArrayRef());
  for (auto [barrier, place] : llvm::zip(barriers, places)) {
    remat::BarrierOp op = barrier;
    op.getResult().replaceAllUsesWith(joined.getResult(place));
    op.erase();
  }
  for (size_t k = inputs; k < passed.size(); ++k)
    replaceFrom(passed[k], reader, joined.getResult(k));
}

namespace {
class InsertBarriers
    : public reprise::impl::StableHloInsertBarriersBase<InsertBarriers> {
public:
  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      passUnderViews(block);
      joinIn(block);
    }
    getOperation().walk([](Operation *op) {
      SmallVector<StringAttr> ours;
      for (NamedAttribute attribute : op->getDiscardableAttrs())
        if (attribute.getNameDialect() &&
            isa<remat::RematDialect>(attribute.getNameDialect()))
          ours.push_back(attribute.getName());
      for (StringAttr name : ours)
        op->removeDiscardableAttr(name);
    });
  }

private:
  static void joinIn(Block &block) {
    SmallVector<remat::BarrierOp> pending;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto barrier = dyn_cast<remat::BarrierOp>(op)) {
        pending.push_back(barrier);
        continue;
      }
      if (pending.empty() || !readsOneOf(pending, &op))
        continue;
      join(pending, &op);
      pending.clear();
    }
    // No op reads the rest.
    for (remat::BarrierOp barrier : llvm::reverse(pending)) {
      barrier.getResult().replaceAllUsesWith(barrier.getInput());
      barrier.erase();
    }
  }

  static bool readsOneOf(ArrayRef<remat::BarrierOp> barriers, Operation *op) {
    Block *block = op->getBlock();
    return llvm::any_of(barriers, [&](remat::BarrierOp barrier) {
      return llvm::any_of(barrier->getUsers(), [&](Operation *user) {
        return block->findAncestorOpInBlock(*user) == op;
      });
    });
  }
};
} // namespace
