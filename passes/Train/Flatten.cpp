//===- Flatten.cpp - Blocks and the backward region inlined ---------------===//
//
// Input:   a function at level model, train or remat.
// Output:  the same ops in one block; the structure is recorded in their
//          attributes sg.origin (see reprise/IR/Origin.h).
// Fails:   never on verified input.
//
//===----------------------------------------------------------------------===//

#include "FlattenOrigins.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Train.h"

namespace reprise {
#define GEN_PASS_DEF_SGFLATTEN
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static void inlineBackward(BackwardOp backward) {
  Block &body = backward.getBody().front();
  Operation *yield = body.getTerminator();
  for (auto [gradient, value] :
       llvm::zip_equal(backward.getGradients(), yield->getOperands()))
    gradient.replaceAllUsesWith(value);
  yield->erase();
  backward->getBlock()->getOperations().splice(Block::iterator(backward),
                                               body.getOperations());
  backward.erase();
}

void sg::markOrigins(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function || isa<SgModuleOp, BackwardOp>(op))
      return WalkResult::advance();
    if (hasOrigin(op) && !originOf(op)) {
      Phase phase = phaseOf(op);
      setOrigin(op,
                OriginAttr::get(context, pathOf(op), phase, instanceOf(op)));
    }
    op->removeAttr(SgDialect::kPathAttr);
    return isa<KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

bool sg::saysOrigins(func::FuncOp function) {
  return llvm::all_of(function.getOps(), [](Operation &op) {
    return !hasOrigin(&op) || originOf(&op);
  });
}

namespace {
class Flatten : public reprise::impl::SgFlattenBase<Flatten> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    markOrigins(function);
    SmallVector<BackwardOp> backwards;
    SmallVector<SgModuleOp> modules;
    function.walk([&](BackwardOp op) { backwards.push_back(op); });
    for (BackwardOp op : backwards)
      inlineBackward(op);
    function.walk<WalkOrder::PostOrder>(
        [&](SgModuleOp op) { modules.push_back(op); });
    for (SgModuleOp op : modules)
      inlineModule(op);
  }
};
} // namespace
