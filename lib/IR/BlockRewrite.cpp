//===- BlockRewrite.cpp - Operands and results of blocks ------------------===//

#include "reprise/IR/BlockRewrite.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "reprise/IR/Origin.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

SgModuleOp sg::moduleOf(Block *block) {
  return cast<SgModuleOp>(block->getParentOp());
}

bool sg::isFree(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<ReadOp, ConstantOp>(op);
}

bool sg::isStatistics(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return false;
  if (auto module = dyn_cast<SgModuleOp>(result.getOwner()))
    return isStatistics(module.getYield().getOperand(result.getResultNumber()));
  auto op = dyn_cast<StatisticsOpInterface>(result.getOwner());
  return op && llvm::is_contained(op.getStatistics(), result.getResultNumber());
}

/// Replaces `module` by one with other operands; its results are those for
/// which `keepResult` returns true, followed by `extra` types. The body moves
/// along.
static SgModuleOp rebuild(SgModuleOp module, ValueRange operands,
                          llvm::function_ref<bool(unsigned)> keepResult,
                          TypeRange extra) {
  SmallVector<Type> types;
  SmallVector<OpResult> kept;
  unsigned residuals = 0;
  for (OpResult result : module->getResults()) {
    if (!keepResult(result.getResultNumber()))
      continue;
    residuals += result.getResultNumber() >= module.getNumPrimalResults();
    types.push_back(result.getType());
    kept.push_back(result);
  }
  types.append(extra.begin(), extra.end());
  OpBuilder builder(module);
  OperationState state(module.getLoc(), SgModuleOp::getOperationName(),
                       operands, types, module->getAttrs());
  state.addRegion()->takeBody(module.getBody());
  auto fresh = cast<SgModuleOp>(builder.create(state));
  fresh.setResiduals(residuals + extra.size());
  for (auto [before, after] : llvm::zip(kept, fresh.getResults()))
    before.replaceAllUsesWith(after);
  module.erase();
  return fresh;
}

static bool keepAll(unsigned) { return true; }

void sg::exposeResults(Block *block, ValueRange values) {
  SgModuleOp module = moduleOf(block);
  YieldOp yield = module.getYield();
  SmallPtrSet<Value, 16> yielded(yield.getOperands().begin(),
                                 yield.getOperands().end());
  SmallVector<Value> missing;
  for (Value value : values)
    if (yielded.insert(value).second)
      missing.push_back(value);
  if (missing.empty())
    return;
  yield->insertOperands(yield->getNumOperands(), missing);
  rebuild(module, module->getOperands(), keepAll,
          ValueRange(missing).getTypes());
}

OpResult sg::exposeResult(Value value) {
  Block *block = value.getParentBlock();
  exposeResults(block, value);
  SgModuleOp module = moduleOf(block);
  auto operands = module.getYield().getOperands();
  return module->getResult(
      std::distance(operands.begin(), llvm::find(operands, value)));
}

Value sg::exposeAt(Value value, Block *level) {
  while (value.getParentBlock() != level)
    value = exposeResult(value);
  return value;
}

BlockArgument sg::exposeInput(Block *block, Value outer) {
  SgModuleOp module = moduleOf(block);
  for (auto [k, operand] : llvm::enumerate(module.getInputs()))
    if (operand == outer)
      return block->getArgument(k);
  module->insertOperands(module->getNumOperands(), outer);
  return block->addArgument(outer.getType(), outer.getLoc());
}

Value sg::definitionOf(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto module = dyn_cast<SgModuleOp>(argument.getOwner()->getParentOp());
      if (!module)
        return value;
      value = module.getInputs()[argument.getArgNumber()];
      continue;
    }
    auto result = cast<OpResult>(value);
    auto module = dyn_cast<SgModuleOp>(result.getOwner());
    if (!module)
      return value;
    value = module.getYield().getOperand(result.getResultNumber());
  }
}

Value sg::unmarkedDefinitionOf(Value value) {
  value = definitionOf(value);
  while (isa_and_present<KeepOp, RecomputeOp>(value.getDefiningOp()))
    value = definitionOf(value.getDefiningOp()->getOperand(0));
  return value;
}

void sg::eraseMarks(Operation *root) {
  SmallVector<Operation *> marks;
  root->walk([&](Operation *op) {
    if (isa<KeepOp, RecomputeOp>(op))
      marks.push_back(op);
  });
  for (Operation *mark : marks) {
    mark->replaceAllUsesWith(mark->getOperands());
    mark->erase();
  }
}

void sg::settleMarks(Operation *root) {
  root->walk([](KeepOp mark) {
    Value value = definitionOf(mark.getOperand());
    while (isa_and_present<ReshapeOp, KeepOp>(value.getDefiningOp()))
      value = definitionOf(value.getDefiningOp()->getOperand(0));
    // Arguments and values that cost nothing are always available.
    if (Operation *op = value.getDefiningOp(); op && hasOrigin(op))
      op->setAttr(SgDialect::kKeepAttr, UnitAttr::get(op->getContext()));
  });
  eraseMarks(root);
}

void sg::inlineModule(SgModuleOp module) {
  Block &body = module.getBody().front();
  YieldOp yield = module.getYield();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), module.getInputs()))
    argument.replaceAllUsesWith(operand);
  for (auto [result, value] :
       llvm::zip_equal(module->getResults(), yield.getOperands()))
    result.replaceAllUsesWith(value);
  yield.erase();
  for (Operation &op : body)
    if (hasOrigin(&op) && !isa<SgModuleOp>(op) && !originOf(&op) &&
        !op.hasAttr(SgDialect::kPathAttr) && !module.getPath().empty())
      op.setAttr(SgDialect::kPathAttr, module.getPathAttr());
  module->getBlock()->getOperations().splice(Block::iterator(module),
                                             body.getOperations());
  module.erase();
}

/// Removes a module's unused residuals and, unless it is a block of the model,
/// unused results; then its unused inputs.
static bool pruneSeams(SgModuleOp module) {
  bool ownResults = module.getPhase() != Phase::Forward;
  llvm::BitVector drop(module->getNumResults());
  for (OpResult result : module->getResults())
    if (result.use_empty() && (ownResults || result.getResultNumber() >=
                                                 module.getNumPrimalResults()))
      drop.set(result.getResultNumber());
  bool changed = drop.any();
  if (changed) {
    module.getYield()->eraseOperands(drop);
    module = rebuild(module, module->getOperands(),
                     [&](unsigned k) { return !drop[k]; }, {});
  }
  Block &body = module.getBody().front();
  llvm::BitVector unused(body.getNumArguments());
  for (BlockArgument argument : body.getArguments())
    if (argument.use_empty() && ownResults)
      unused.set(argument.getArgNumber());
  if (unused.none())
    return changed;
  body.eraseArguments(unused);
  module->eraseOperands(unused);
  return true;
}

/// One sweep from outside in, users before producers.
static bool pruneBlock(Block &block) {
  bool changed = false;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (!isa<BackwardOp>(op) && isOpTriviallyDead(&op)) {
      op.erase();
      changed = true;
      continue;
    }
    if (auto backward = dyn_cast<BackwardOp>(op)) {
      changed |= pruneBlock(backward.getBody().front());
      continue;
    }
    auto module = dyn_cast<SgModuleOp>(op);
    if (!module)
      continue;
    Block *body = &module.getBody().front();
    changed |= pruneSeams(module);
    changed |= pruneBlock(*body);
  }
  return changed;
}

void sg::pruneModules(func::FuncOp function) {
  bool changed = true;
  while (changed) {
    changed = false;
    // A declaration has no block.
    for (Block &block : function.getBody())
      changed |= pruneBlock(block);
  }
}
