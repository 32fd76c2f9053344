//===- CutSegments.cpp - Consecutive segments of a model ------------------===//
//
// Input:   a model and where to cut it.
// Output:  runs of its ops in annotated blocks.
// Method:  a value is live over the positions from its op to its last use; an
//          articulation is a position over which one value alone is live.
// Cost:    linear in the ops.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "CutSegments.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/SparedNorms.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Positions = DenseMap<Operation *, unsigned>;

static Positions positionsOf(ArrayRef<Operation *> ops) {
  Positions positions;
  for (auto [k, op] : llvm::enumerate(ops))
    positions[op] = k;
  return positions;
}

static llvm::BitVector findNorms(ArrayRef<Operation *> ops) {
  Positions positions = positionsOf(ops);
  llvm::BitVector within(ops.size());
  for (auto [k, op] : llvm::enumerate(ops))
    if (auto norm = dyn_cast<BatchNormOp>(op); norm && norm.getSparesX())
      if (Conv2DOp convolution = pointConvolutionBehind(norm.getX(), norm))
        within.set(positions.lookup(convolution), k);
  return within;
}

FlatModel sg::dissolve(func::FuncOp function) {
  SmallVector<SgModuleOp> modules;
  function.walk<WalkOrder::PostOrder>(
      [&](SgModuleOp op) { modules.push_back(op); });
  for (SgModuleOp op : modules)
    inlineModule(op);
  FlatModel model;
  uint64_t bytes = 0;
  for (Operation &op : function.getBody().front().without_terminator()) {
    model.ops.push_back(&op);
    // A reshape is a view and takes no memory; neither does a mark.
    for (Value result : op.getResults())
      if (!isFree(result) && !isa<ReshapeOp, KeepOp, RecomputeOp>(op))
        bytes += byteSize(result.getType());
    model.bytesUpTo.push_back(bytes);
  }
  model.isWithinNorm = findNorms(model.ops);
  return model;
}

SmallVector<unsigned> sg::findArticulations(const FlatModel &model) {
  Positions positions = positionsOf(model.ops);
  unsigned end = model.ops.size();
  // Change of the number of live values after each op.
  SmallVector<int> change(end + 1, 0);
  for (auto [k, op] : llvm::enumerate(model.ops))
    for (Value result : op->getResults()) {
      if (isFree(result) || result.use_empty())
        continue;
      unsigned last = k;
      for (Operation *user : result.getUsers()) {
        auto place = positions.find(user);
        last = std::max(last, place == positions.end() ? end : place->second);
      }
      ++change[k];
      --change[last];
    }
  SmallVector<unsigned> articulations;
  int live = 0;
  for (unsigned k = 0; k + 1 < end; ++k) {
    live += change[k];
    bool makesValue = llvm::any_of(model.ops[k]->getResults(), [](Value v) {
      return !isFree(v) && cast<RankedTensorType>(v.getType()).getRank() > 0;
    });
    bool isAlone = live == 1;
    if (isAlone && makesValue && !model.isWithinNorm[k])
      articulations.push_back(k);
  }
  return articulations;
}

void sg::wrapSegment(ArrayRef<Operation *> ops, StringRef name) {
  SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs, outputs, frees;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !inside.contains(operand.getDefiningOp()))
        (isFree(operand) ? frees : inputs).insert(operand);
    for (Value result : op->getResults()) {
      if (!isFree(result) &&
          llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(user); }))
        outputs.insert(result);
    }
  }
  // A read with uses outside stays there as well; the block gets its own.
  for (Operation *op : ops)
    if (op->getNumResults() == 1 && isFree(op->getResult(0)) &&
        llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return !inside.contains(user); })) {
      OpBuilder before(ops.front());
      Operation *outside = before.clone(*op);
      op->getResult(0).replaceUsesWithIf(
          outside->getResult(0),
          [&](OpOperand &use) { return !inside.contains(use.getOwner()); });
    }
  OpBuilder builder(ops.back()->getContext());
  builder.setInsertionPointAfter(ops.back());
  auto module = SgModuleOp::create(builder, ops.front()->getLoc(),
                                   TypeRange(outputs.getArrayRef()),
                                   inputs.getArrayRef(), name);
  module.setActivationCheckpointing(true);
  Block &body = module.getBody().front();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  auto useInside = [&](Value outer, Value value) {
    outer.replaceUsesWithIf(
        value, [&](OpOperand &use) { return inside.contains(use.getOwner()); });
  };
  for (auto [input, argument] :
       llvm::zip_equal(inputs.getArrayRef(), body.getArguments()))
    useInside(input, argument);
  for (Value value : frees)
    useInside(value, inner.clone(*value.getDefiningOp())->getResult(0));
  for (Operation *op : ops)
    op->moveBefore(&body, body.end());
  for (auto [output, result] :
       llvm::zip_equal(outputs.getArrayRef(), module->getResults()))
    Value(output).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !inside.contains(use.getOwner());
    });
  inner.setInsertionPointToEnd(&body);
  YieldOp::create(inner, module.getLoc(), outputs.getArrayRef());
}
