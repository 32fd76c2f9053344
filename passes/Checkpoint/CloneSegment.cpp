//===- CloneSegment.cpp - Clone the needed part of a block ----------------===//
//
// Input:   a body and the values in it to recompute.
// Output:  clones of the ops they depend on, and of no others.
// Method:  one backward walk marks, one forward walk clones. An op whose
//          statistics are kept is marked through its operands only, and cloned
//          by StatisticsOpInterface.
// Cost:    linear in the body.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "CloneSegment.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Remat.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Returns true if an op of another dialect may repeat, by the same test as
/// plans for budgets.
static bool mayRepeat(Operation *op) {
  if (op->hasAttr(remat::RematDialect::kPure))
    return true;
  if (auto remat = dyn_cast<remat::RematOpInterface>(op))
    return remat.getRematExecution() == remat::Execution::Anywhere;
  return isMemoryEffectFree(op);
}

namespace {
class Marker {
public:
  Slice slice;

  void mark(Block &body) { mark(body, /*isOutermost=*/true); }

private:
  bool isNeeded(Operation &op) {
    return llvm::any_of(op.getResults(),
                        [&](Value v) { return slice.needed.contains(v); });
  }

  void mark(Block &body, bool isOutermost) {
    for (Operation &op : llvm::reverse(body)) {
      if (!isNeeded(op))
        continue;
      if (auto module = dyn_cast<SgModuleOp>(op)) {
        markModule(module, isOutermost);
        continue;
      }
      if (isa<KeepOp>(op)) {
        slice.kept.insert(op.getResult(0));
        continue;
      }
      if (!isa_and_nonnull<SgDialect>(op.getDialect()) && !mayRepeat(&op))
        slice.once.insert(&op);
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(op.getRegions(), captured);
      slice.needed.insert(captured.begin(), captured.end());
      if (auto statistics = dyn_cast<StatisticsOpInterface>(op);
          statistics && isOutermost)
        for (unsigned k : statistics.getStatistics())
          slice.statistics.insert(op.getResult(k));
      for (Value operand : op.getOperands())
        slice.needed.insert(operand);
      if (isOutermost && llvm::all_of(op.getOperands(), isFree))
        for (Value operand : op.getOperands())
          if (operand.getDefiningOp<ReadOp>())
            slice.roots.insert(operand);
    }
  }

  /// A nested annotated block is cloned as a block. Only values marked to be
  /// kept reach into it, not statistics: it recomputes its own, to the same
  /// bits.
  void markModule(SgModuleOp module, bool isOutermost) {
    for (auto [result, value] :
         llvm::zip_equal(module->getResults(), module.getYield().getOperands()))
      if (slice.needed.contains(result))
        slice.needed.insert(value);
    Block &body = module.getBody().front();
    mark(body, isOutermost && !module.getActivationCheckpointing());
    for (auto [argument, input] :
         llvm::zip_equal(body.getArguments(), module.getInputs()))
      if (slice.needed.contains(argument))
        slice.needed.insert(input);
  }
};

class Cloner {
public:
  Cloner(const Slice &slice, IRMapping &mapping, Originals &originals)
      : slice(slice), mapping(mapping), originals(originals) {}

  void clone(OpBuilder &builder, Block &body) {
    for (Operation &op : body.without_terminator()) {
      if (llvm::any_of(op.getResults(), [&](Value v) {
            return slice.needed.contains(v) && !slice.roots.contains(v);
          }))
        clone(builder, &op);
    }
  }

private:
  void clone(OpBuilder &builder, Operation *op) {
    auto module = dyn_cast<SgModuleOp>(op);
    if (module && module.getActivationCheckpointing())
      return cloneBlock(builder, module);
    if (module)
      return inlineBlock(builder, module);
    assert(!isa<WriteOp>(op) && "a write has no result to be needed");
    if (isa<KeepOp>(op))
      return; // passed in
    auto statistics = dyn_cast<StatisticsOpInterface>(op);
    if (statistics && keeps(statistics))
      return recompute(builder, statistics);
    Operation *copy = builder.clone(*op, mapping);
    if (statistics)
      for (unsigned k : statistics.getStatistics()) {
        Value original = originals.lookup(op->getResult(k));
        originals[copy->getResult(k)] = original ? original : op->getResult(k);
      }
  }

  bool keeps(StatisticsOpInterface op) {
    return llvm::all_of(op.getStatistics(), [&](unsigned k) {
      return slice.statistics.contains(op->getResult(k));
    });
  }

  void recompute(OpBuilder &builder, StatisticsOpInterface op) {
    SmallVector<Value> operands, statistics;
    for (Value operand : op->getOperands())
      operands.push_back(mapping.lookup(operand));
    SmallVector<unsigned> indices = op.getStatistics();
    for (unsigned k : indices)
      statistics.push_back(mapping.lookup(op->getResult(k)));
    OriginScope scope(builder, op);
    SmallVector<Value> values = op.recompute(builder, operands, statistics);
    unsigned next = 0;
    for (OpResult result : op->getResults())
      if (!llvm::is_contained(indices, result.getResultNumber()))
        mapping.map(result, values[next++]);
  }

  void inlineBlock(OpBuilder &builder, SgModuleOp module) {
    Block &body = module.getBody().front();
    for (auto [argument, input] :
         llvm::zip_equal(body.getArguments(), module.getInputs())) {
      if (slice.needed.contains(argument))
        mapping.map(argument, mapping.lookup(input));
    }
    clone(builder, body);
    for (auto [result, value] :
         llvm::zip_equal(module->getResults(), module.getYield().getOperands()))
      if (slice.needed.contains(result))
        mapping.map(result, mapping.lookup(value));
  }

  void cloneBlock(OpBuilder &builder, SgModuleOp module) {
    Block &body = module.getBody().front();
    OperationState state(module.getLoc(), SgModuleOp::getOperationName());
    state.addAttributes(module->getAttrs());
    Block &copy = state.addRegion()->emplaceBlock();
    for (auto [argument, input] :
         llvm::zip_equal(body.getArguments(), module.getInputs())) {
      if (!slice.needed.contains(argument))
        continue;
      state.operands.push_back(mapping.lookup(input));
      mapping.map(argument,
                  copy.addArgument(input.getType(), argument.getLoc()));
    }
    body.walk([&](KeepOp mark) {
      if (!slice.kept.contains(mark.getResult()))
        return;
      state.operands.push_back(mapping.lookup(mark.getResult()));
      mapping.map(mark.getResult(),
                  copy.addArgument(mark.getType(), mark.getLoc()));
    });
    OpBuilder inner(module.getContext());
    inner.setInsertionPointToEnd(&copy);
    clone(inner, body);
    SmallVector<Value> yielded;
    SmallVector<OpResult> results;
    unsigned residuals = 0;
    for (OpResult result : module->getResults())
      if (slice.needed.contains(result)) {
        yielded.push_back(mapping.lookup(
            module.getYield().getOperand(result.getResultNumber())));
        results.push_back(result);
        residuals += result.getResultNumber() >= module.getNumPrimalResults();
      }
    YieldOp::create(inner, module.getLoc(), yielded);
    state.addTypes(ValueRange(yielded).getTypes());
    auto clone = cast<SgModuleOp>(builder.create(state));
    clone.setPhase(Phase::Recompute);
    clone.setResiduals(residuals);
    for (auto [before, after] : llvm::zip(results, clone->getResults()))
      mapping.map(before, after);
  }

  const Slice &slice;
  IRMapping &mapping;
  Originals &originals;
};
} // namespace

Slice sg::sliceBody(Block &body, ValueRange wanted) {
  Marker marker;
  marker.slice.needed.insert(wanted.begin(), wanted.end());
  marker.mark(body);
  return std::move(marker.slice);
}

void sg::cloneSlice(OpBuilder &builder, Block &body, const Slice &slice,
                    IRMapping &mapping, Originals &originals) {
  Cloner(slice, mapping, originals).clone(builder, body);
}
