//===- ExpandTraining.cpp - Model-level ops in training -------------------===//
//
// Input:   a model.
// Output:  the same with sg.batch_norm specialized to training.
// Fails:   where a channel has one value, which the check finds first.
//
//===----------------------------------------------------------------------===//

#include "ExpandTraining.h"
#include "reprise/IR/Origin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

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

static int64_t valuesPerChannel(Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  return type.getNumElements() / type.getShape().back();
}

/// Returns the extents, such as "64x1x1x512".
static std::string sizesOf(Value x) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(cast<RankedTensorType>(x.getType()).getShape(), stream, "x");
  return text;
}

LogicalResult sg::checkNormalizations(func::FuncOp function) {
  WalkResult walk = function.walk([](Operation *op) {
    if (!isa<BatchNormOp, BatchNormTrainingOp>(op) ||
        valuesPerChannel(op->getOperand(0)) != 1)
      return WalkResult::advance();
    op->emitError() << "batch normalization has one value for each channel in "
                       "training, of an input of "
                    << sizesOf(op->getOperand(0))
                    << "; the gradients of what it normalizes are all zero, so "
                       "give it a larger batch or larger images";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

void sg::expandTraining(func::FuncOp function, unsigned ranks) {
  function.walk([ranks](BatchNormOp op) {
    OpBuilder builder(op);
    OriginScope scope(builder, op);
    auto training = BatchNormTrainingOp::create(
        builder, op.getLoc(), op.getX(), op.getGamma(), op.getBeta(),
        op.getEpsilonAttr(), ranks > 1 ? UnitAttr() : op.getSparesXAttr());
    double count = double(ranks) * double(valuesPerChannel(op.getX()));
    double unbiased = count > 1 ? count / (count - 1) : 1;
    double momentum = op.getMomentum().convertToDouble();
    writeRunning(builder, op.getLoc(), op.getRunningMeanAttr(),
                 training.getMean(), momentum, 1.0);
    writeRunning(builder, op.getLoc(), op.getRunningVarianceAttr(),
                 training.getVariance(), momentum, unbiased);
    op.getResult().replaceAllUsesWith(training.getY());
    op.erase();
  });
}
