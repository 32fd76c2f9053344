//===- CutSegments.cpp - Consecutive segments of a model ------------------===//
//
// Input:   a model.
// Output:  its ops in one list, and where it may be cut.
// Method:  a value is live over the positions from its op to its last use; an
//          articulation is a position over which one value alone is live.
// Cost:    linear in the ops.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "CutSegments.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/SparedNorms.h"

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
