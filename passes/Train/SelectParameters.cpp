//===- SelectParameters.cpp - Which parameters are trained, and how fast --===//
//
// Input:   a model, and globs of its parameters.
// Output:  the same with sg.frozen and sg.rate_scale on variables; if
//          requested, batch normalizations whose scale and offset are frozen
//          normalize by their running statistics.
// Cost:    linear, times the globs.
// Fails:   at a glob that matches no parameter, a factor that is not above 0,
//          a decay by layers of a model of one layer, and where everything is
//          frozen.
//
//===----------------------------------------------------------------------===//

#include "StepVariables.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/TrainedVariables.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

namespace reprise {
#define GEN_PASS_DEF_SGSELECTPARAMETERS
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

//===----------------------------------------------------------------------===//
// Frozen parameters
//===----------------------------------------------------------------------===//

/// Freezes parameters. The last glob that matches a parameter decides; one that
/// begins with '!' excepts.
static LogicalResult freezeMatching(mlir::ModuleOp module,
                                    ArrayRef<std::string> patterns) {
  for (StringRef pattern : patterns) {
    bool excepts = pattern.consume_front("!");
    auto take = [&](VariableOp variable) {
      if (excepts)
        variable->removeAttr(kFrozenAttr);
      else
        variable->setAttr(kFrozenAttr, UnitAttr::get(variable.getContext()));
    };
    if (failed(matchParameters(module, "freeze", pattern, take)))
      return failure();
  }
  auto variables = module.getOps<VariableOp>();
  if (!patterns.empty() && llvm::none_of(variables, isTrained))
    return module.emitError() << "freeze: every parameter is frozen, so that "
                                 "nothing is trained";
  return success();
}

static bool readsFrozen(Value value, SymbolTable &symbols) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read)
    return false;
  auto variable = symbols.lookup<VariableOp>(read.getVariable());
  return variable && variable->hasAttr(kFrozenAttr);
}

/// Normalizes by the running statistics, which then keep their values.
static void useRunningStatistics(BatchNormOp op) {
  OpBuilder builder(op);
  OriginScope scope(builder, op);
  Type channel = op.getGamma().getType();
  auto read = [&](FlatSymbolRefAttr variable) -> Value {
    return ReadOp::create(builder, op.getLoc(), channel, variable);
  };
  Value mean = read(op.getRunningMeanAttr());
  Value variance = read(op.getRunningVarianceAttr());
  Value y = BatchNormInferenceOp::create(builder, op.getLoc(), op.getX(),
                                         op.getGamma(), op.getBeta(), mean,
                                         variance, op.getEpsilonAttr());
  op.getResult().replaceAllUsesWith(y);
  op.erase();
}

static LogicalResult freezeNormalizations(mlir::ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<BatchNormOp> frozen;
  module.walk([&](BatchNormOp op) {
    if (readsFrozen(op.getGamma(), symbols) &&
        readsFrozen(op.getBeta(), symbols))
      frozen.push_back(op);
  });
  if (frozen.empty())
    return module.emitError() << "freeze-norms: no batch normalization has a "
                                 "frozen scale and offset";
  llvm::for_each(frozen, useRunningStatistics);
  return success();
}

//===----------------------------------------------------------------------===//
// Learning rates
//===----------------------------------------------------------------------===//

static void multiplyRate(VariableOp variable, double factor) {
  Builder builder(variable.getContext());
  variable->setAttr(kRateScaleAttr,
                    builder.getF64FloatAttr(rateScaleOf(variable) * factor));
}

/// Splits "GLOB=FACTOR" at the last '='.
static LogicalResult scaleMatching(mlir::ModuleOp module, StringRef text) {
  auto [pattern, number] = text.rsplit('=');
  double factor = 0;
  if (number.getAsDouble(factor) || !(factor > 0) || !std::isfinite(factor))
    return module.emitError() << "lr-scale '" << text
                              << "': write PATTERN=FACTOR with a factor above "
                                 "0; freeze trains a parameter not at all";
  return matchParameters(module, "lr-scale", pattern, [&](VariableOp variable) {
    multiplyRate(variable, factor);
  });
}

/// Returns the layers of the parameters: those that one block reads are a
/// layer, and so are those that are read between two blocks. A block counts
/// without the blocks in it; a parameter belongs to its first reader.
static llvm::MapVector<VariableOp, unsigned> layersOf(mlir::ModuleOp module,
                                                      SymbolTable &symbols) {
  llvm::MapVector<VariableOp, unsigned> layers;
  Operation *reader = nullptr;
  unsigned layer = 0;
  module.walk<WalkOrder::PreOrder>([&](ReadOp read) {
    auto variable = symbols.lookup<VariableOp>(read.getVariable());
    if (!variable || variable.getRole() != Role::Parameter ||
        layers.contains(variable))
      return;
    Operation *parent = read->getParentOp();
    layer += reader && parent != reader;
    reader = parent;
    layers[variable] = layer;
  });
  return layers;
}

static LogicalResult decayByLayers(mlir::ModuleOp module, double decay) {
  if (!(decay > 0 && decay <= 1))
    return module.emitError() << "layer-decay is " << decay
                              << "; it must be above 0 and at most 1";
  SymbolTable symbols(module);
  auto layers = layersOf(module, symbols);
  unsigned last = layers.empty() ? 0 : layers.back().second;
  if (last == 0)
    return module.emitError()
           << "layer-decay: the model has one layer only, because its "
              "parameters are not read in blocks (sg.module); scale rates by "
              "names with lr-scale";
  for (auto [variable, layer] : layers)
    multiplyRate(variable, std::pow(decay, double(last - layer)));
  return success();
}

namespace {
class SelectParameters
    : public reprise::impl::SgSelectParametersBase<SelectParameters> {
public:
  using SgSelectParametersBase::SgSelectParametersBase;

private:
  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    if (failed(freezeMatching(module, freeze)) ||
        (freezeNorms && failed(freezeNormalizations(module))) ||
        (layerDecay != 1 && failed(decayByLayers(module, layerDecay))))
      return signalPassFailure();
    for (const std::string &text : rateScales)
      if (failed(scaleMatching(module, text)))
        return signalPassFailure();
  }
};
} // namespace
