//===- AutocastModels.cpp - Ops of sg under mixed precision ---------------===//
//
// One rule differs from PyTorch's: a global mean is Wide, because it would
// otherwise be rounded twice.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/Activations.h"
#include "reprise/IR/Autocast.h"
#include "reprise/IR/Sg.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
template <AutocastRule rule, typename OpTy>
struct Model : AutocastOpInterface::ExternalModel<Model<rule, OpTy>, OpTy> {
  AutocastRule getAutocastRule(Operation *) const { return rule; }
};
} // namespace

namespace {
struct AttentionModel
    : AutocastOpInterface::ExternalModel<AttentionModel, AttentionOp> {
  AutocastRule getAutocastRule(Operation *) const {
    return AutocastRule::Narrow;
  }
  bool staysWide(Operation *op, Value value) const {
    auto attention = cast<AttentionOp>(op);
    return value == attention.getBias() || value == attention.getLse();
  }
};
} // namespace

template <AutocastRule rule, typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<rule, Ops>>(*context), ...);
}

void sg::registerAutocastModels(MLIRContext *context) {
  attach<AutocastRule::Narrow, MatMulOp, Conv2DOp>(context);
  AttentionOp::attachInterface<AttentionModel>(*context);
  attach<AutocastRule::Wide, CrossEntropyOp, ExpOp, GlobalAvgPoolOp,
         LayerNormOp, LogOp, ReduceSumOp, RsqrtOp, SoftmaxOp>(context);
  attach<AutocastRule::Widest, AddOp, CompareOp, ConcatOp, DivOp, MaximumOp,
         MinimumOp, MulOp, SelectOp, SubOp>(context);
  attach<AutocastRule::First, AbsOp, AvgPool2DOp, BatchNormOp, BroadcastOp,
         DropoutOp, ErfOp, GatherOp, KeepOp, MaxPool2DOp, NegOp, PadOp,
         RecomputeOp, ReduceMaxOp, ReluOp, ReshapeOp, RollOp, SigmoidOp,
         SliceOp, SqrtOp, TanhOp, TransposeOp>(context);
  forEachActivation(
      [&](auto op) { attach<AutocastRule::First, decltype(op)>(context); });
}
