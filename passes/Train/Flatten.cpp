//===- Flatten.cpp - Blocks and the backward region inlined ---------------===//
//
// Input:   a function at level model, train or remat.
// Output:  the same ops in one block; what the structure said is in their
//          locations (see reprise/Passes/Origin.h).
// Fails:   never on verified input.
//
//===----------------------------------------------------------------------===//

#include "reprise/Passes/ModuleRewrite.h"
#include "reprise/Passes/Origin.h"
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

/// Gives every op of `function` its origin: the innermost block's path and the
/// phase of the outermost block that is no forward one.
static void markOrigins(func::FuncOp function) {
  function.walk([&](Operation *op) {
    if (op == function || op->getParentOp() == nullptr)
      return;
    Phase phase = Phase::Forward;
    StringRef path;
    for (Operation *p = op->getParentOp(); p != function;
         p = p->getParentOp()) {
      if (auto module = dyn_cast<sg::ModuleOp>(p)) {
        path = path.empty() ? module.getPath() : path;
        phase = phase == Phase::Forward ? module.getPhase() : phase;
      } else if (isa<BackwardOp>(p) && phase == Phase::Forward)
        phase = Phase::Backward;
    }
    op->setLoc(withOrigin(op->getLoc(), path, phase));
  });
}

namespace {
class Flatten : public reprise::impl::SgFlattenBase<Flatten> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    markOrigins(function);
    SmallVector<BackwardOp> backwards;
    SmallVector<sg::ModuleOp> modules;
    function.walk([&](BackwardOp op) { backwards.push_back(op); });
    for (BackwardOp op : backwards)
      inlineBackward(op);
    function.walk<WalkOrder::PostOrder>(
        [&](sg::ModuleOp op) { modules.push_back(op); });
    for (sg::ModuleOp op : modules)
      inlineModule(op, [](Location loc) { return loc; });
  }
};
} // namespace
