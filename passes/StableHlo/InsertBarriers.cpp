//===- InsertBarriers.cpp - Barriers that XLA keeps -----------------------===//
//
// Input:   a function after remat-to-budget.
// Output:  the same with stablehlo.optimization_barrier, without remat's ops
//          and attributes.
// Method:  the barriers in front of the first op that reads one of them become
//          one. Later readers of a value that a barrier waits for read it from
//          the barrier.
// Cost:    linear in the ops and the uses of those values.
// Fails:   never.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/StableHlo.h"

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

/// Makes one barrier, in front of `reader`, of some that stand before it.
static void join(ArrayRef<remat::BarrierOp> barriers, Operation *reader) {
  llvm::SetVector<Value> passed;
  for (remat::BarrierOp barrier : barriers)
    passed.insert(barrier.getInput());
  size_t inputs = passed.size();
  for (remat::BarrierOp barrier : barriers)
    passed.insert(barrier.getAfter().begin(), barrier.getAfter().end());
  OpBuilder builder(reader);
  auto joined = OptimizationBarrierOp::create(
      builder, reader->getLoc(), ValueRange(passed.getArrayRef()).getTypes(),
      passed.getArrayRef());
  for (remat::BarrierOp barrier : barriers) {
    auto at = llvm::find(passed, barrier.getInput()) - passed.begin();
    barrier.getResult().replaceAllUsesWith(joined.getResult(at));
    barrier.erase();
  }
  for (size_t k = inputs; k < passed.size(); ++k)
    replaceFrom(passed[k], reader, joined.getResult(k));
}

namespace {
class InsertBarriers
    : public reprise::impl::StableHloInsertBarriersBase<InsertBarriers> {
public:
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      joinIn(block);
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
    // Nothing reads the rest.
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
