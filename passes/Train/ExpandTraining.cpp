//===- ExpandTraining.cpp - Model-level ops in training -------------------===//
//
// Input:   a model.
// Output:  the same with sg.batch_norm specialized to training.
// Fails:   never on verified input.
//
//===----------------------------------------------------------------------===//

#include "ExpandTraining.h"
#include "reprise/Fault.h"
#include "reprise/IR/Origin.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Writes (1 - momentum) * old + momentum * statistic * scale.
static void writeRunning(OpBuilder &builder, Location loc,
                         FlatSymbolRefAttr variable, Value statistic,
                         double momentum, double scale) {
  auto type = cast<RankedTensorType>(statistic.getType());
  Value old = ReadOp::create(builder, loc, type, variable);
  Value keep = createSplat(builder, loc, type, 1.0 - momentum);
  Value take = createSplat(builder, loc, type, momentum * scale);
  Value kept = MulOp::create(builder, loc, old, keep);
  Value taken = MulOp::create(builder, loc, statistic, take);
  Value next = AddOp::create(builder, loc, kept, taken);
  WriteOp::create(builder, loc, variable, next);
}

void sg::expandTraining(func::FuncOp function) {
  function.walk([](BatchNormOp op) {
    OpBuilder builder(op);
    OriginScope scope(builder, op);
    auto training = BatchNormTrainingOp::create(
        builder, op.getLoc(), op.getX(), op.getGamma(), op.getBeta(),
        op.getEpsilonAttr(), op.getSparesXAttr());
    auto x = cast<RankedTensorType>(op.getX().getType());
    double count = static_cast<double>(x.getNumElements()) /
                   static_cast<double>(x.getShape().back());
    double unbiased = count > 1 ? count / (count - 1) : 1.0;
    REPRISE_FAULT("variance-biased", unbiased = 1.0);
    double momentum = op.getMomentum().convertToDouble();
    writeRunning(builder, op.getLoc(), op.getRunningMeanAttr(),
                 training.getMean(), momentum, 1.0);
    writeRunning(builder, op.getLoc(), op.getRunningVarianceAttr(),
                 training.getVariance(), momentum, unbiased);
    op.getResult().replaceAllUsesWith(training.getY());
    op.erase();
  });
}
