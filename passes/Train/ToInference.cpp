//===- ToInference.cpp - Remove training-only ops from a model ------------===//
//
// Input:   a model.
// Output:  the same without annotations, marks, dropout, auxiliary losses and
//          writes, normalizing by the running statistics.
// Fails:   on a differentiated function.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Train.h"

namespace reprise {
#define GEN_PASS_DEF_SGTOINFERENCE
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static void infer(BatchNormOp op) {
  OpBuilder builder(op);
  OriginScope scope(builder, op);
  Type channel = op.getGamma().getType();
  Value mean =
      ReadOp::create(builder, op.getLoc(), channel, op.getRunningMeanAttr());
  Value variance = ReadOp::create(builder, op.getLoc(), channel,
                                  op.getRunningVarianceAttr());
  Value y = BatchNormInferenceOp::create(builder, op.getLoc(), op.getX(),
                                         op.getGamma(), op.getBeta(), mean,
                                         variance, op.getEpsilonAttr());
  op.getResult().replaceAllUsesWith(y);
  op.erase();
}

/// Turns off the dropout of an attention's weights.
static void keepWeights(AttentionOp op) {
  op.getSeedMutable().clear();
  op.getStepMutable().clear();
  op.removeProbabilityAttr();
  op.removeStreamAttr();
}

namespace {
class ToInference : public reprise::impl::SgToInferenceBase<ToInference> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    WalkResult walk = function.walk([](Operation *op) {
      if (!isa<BackwardOp, BatchNormTrainingOp>(op))
        return WalkResult::advance();
      op->emitError() << "inference is derived from a model, before "
                         "differentiation";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    function.walk([](Operation *op) {
      if (auto module = dyn_cast<SgModuleOp>(op))
        module.setActivationCheckpointing(false);
      else if (auto norm = dyn_cast<BatchNormOp>(op))
        infer(norm);
      else if (auto dropout = dyn_cast<DropoutOp>(op)) {
        dropout.getResult().replaceAllUsesWith(dropout.getX());
        dropout.erase();
      } else if (auto total = dyn_cast<AuxiliaryLossOp>(op)) {
        total.getResult().replaceAllUsesWith(total.getLoss());
        total.erase();
      } else if (auto attention = dyn_cast<AttentionOp>(op))
        keepWeights(attention);
      else if (isa<WriteOp>(op))
        op->erase();
    });
    eraseMarks(function);
    pruneModules(function);
  }
};
} // namespace
