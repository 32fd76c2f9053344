//===- Stages.cpp - The passes of each level ------------------------------===//

#include "Stages.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Program.h"
#include "reprise/Passes/Train.h"

using namespace mlir;
using namespace reprise;

static void addToFunctions(OpPassManager &passes, std::unique_ptr<Pass> pass) {
  passes.addNestedPass<func::FuncOp>(std::move(pass));
}

void reprise::addLevelVerifiers(OpPassManager &passes, StringRef level) {
  SgVerifyLevelOptions options;
  options.level = level.str();
  addToFunctions(passes, createSgVerifyLevel(options));
  addToFunctions(passes, createSgVerifyEffects());
}

/// Sets the options of Rates.td.
template <typename PassOptions>
static void setRates(PassOptions &pass, const rt::Roofline &roofline) {
  pass.gflops = roofline.gflops;
  pass.gbytesPerSecond = roofline.gigabytesPerSecond;
  pass.narrowGflops = roofline.narrowGflops;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static void addAttentionChoice(OpPassManager &passes,
                               const CompileOptions &options) {
  SgChooseAttentionOptions choose;
  choose.target = options.target.text();
  choose.form = termName(options.attention);
  setRates(choose, options.roofline);
  choose.narrow = options.amp != MixedPrecision::None;
  addToFunctions(passes, createSgChooseAttention(choose));
}

/// Runs in f32: halves in bf16 would be rounded before they are added.
static void addHalves(OpPassManager &passes, const CompileOptions &options) {
  if (options.amp != MixedPrecision::None)
    return;
  SgHalveHiddenOptions halve;
  halve.target = options.target.text();
  halve.leastBytes = options.halvedBytes;
  addToFunctions(passes, createSgHalveHidden(halve));
}

/// Runs in f32: sums of bf16 products would be rounded before they are
/// subtracted. Sums over all ranks are not those of the operands.
static void addSparedNorms(OpPassManager &passes,
                           const CompileOptions &options) {
  if (options.amp != MixedPrecision::None || options.syncBatchNorm)
    return;
  SgSpareNormOperandsOptions spare;
  spare.target = options.target.text();
  spare.leastBytes = options.sparedBytes;
  addToFunctions(passes, createSgSpareNormOperands(spare));
}

/// Converts to mixed precision if requested.
static void addAutocast(OpPassManager &passes, const CompileOptions &options) {
  if (options.amp == MixedPrecision::None)
    return;
  SgAutocastOptions autocast;
  autocast.type = termName(options.amp);
  addToFunctions(passes, createSgAutocast(autocast));
}

/// Marks frozen parameters and those with other learning rates, if there are
/// any.
static void addSelection(OpPassManager &passes, const TrainedPart &trained) {
  if (!trained.selects())
    return;
  SgSelectParametersOptions select;
  select.freeze.assign(trained.freeze.begin(), trained.freeze.end());
  select.freezeNorms = trained.freezeNorms;
  select.rateScales.assign(trained.rateScales.begin(),
                           trained.rateScales.end());
  select.layerDecay = trained.layerDecay;
  passes.addPass(createSgSelectParameters(select));
}

/// Replaces the model's loss by another, if they differ.
static void addLossChange(OpPassManager &passes, const LossSettings &loss) {
  if (!loss.changes())
    return;
  SgChangeLossOptions change;
  change.labelSmoothing = loss.labelSmoothing;
  change.classWeights.assign(loss.classWeights.begin(),
                             loss.classWeights.end());
  change.mixup = loss.mixup != 0;
  if (loss.ignoreIndex)
    change.ignoreIndex = *loss.ignoreIndex;
  addToFunctions(passes, createSgChangeLoss(change));
}

void reprise::addModelStage(OpPassManager &passes,
                            const CompileOptions &options) {
  SgAssignCheckpointingOptions assign;
  assign.mode = options.checkpointing.text();
  assign.recompute.assign(options.recompute.begin(), options.recompute.end());
  addLevelVerifiers(passes, "model");
  addSelection(passes, options.trained);
  addAttentionChoice(passes, options);
  addHalves(passes, options);
  addSparedNorms(passes, options);
  addAutocast(passes, options);
  addLossChange(passes, options.loss);
  addToFunctions(passes, createSgBoundIndices());
  addToFunctions(passes, createSgAssignCheckpointing(assign));
  addLevelVerifiers(passes, "model");
}

void reprise::addInferenceStage(OpPassManager &passes,
                                const CompileOptions &options) {
  LossSettings ignoring;
  ignoring.ignoreIndex = options.loss.ignoreIndex;
  addLevelVerifiers(passes, "model");
  addAttentionChoice(passes, options);
  addHalves(passes, options);
  addAutocast(passes, options);
  addLossChange(passes, ignoring);
  addToFunctions(passes, createSgBoundIndices());
  addToFunctions(passes, createSgToInference());
}

//===----------------------------------------------------------------------===//
// The training step
//===----------------------------------------------------------------------===//

static bool scalesLoss(const CompileOptions &options) {
  return options.amp == MixedPrecision::F16 && options.optimizer.updates();
}

/// Returns the options of the ops after the gradients, in the form of a pass's
/// options.
template <typename PassOptions>
static PassOptions stepEndOf(const CompileOptions &options) {
  PassOptions end;
  end.optimizer = termName(options.optimizer.kind);
  llvm::append_range(end.hyperparameters, options.optimizer.numbers());
  end.noWeightDecay.assign(options.noWeightDecay.begin(),
                           options.noWeightDecay.end());
  end.clipMode = termName(options.clipping.mode);
  end.clipNorm = options.clipping.norm;
  end.clipTolerance = options.clipping.tolerance;
  end.clipMomentum = options.clipping.momentum;
  end.clipNormType = termName(options.clipping.normType);
  end.emitGradients = options.emitGradients;
  end.emitNonFinite = options.emitNonFinite;
  end.lossScaling = scalesLoss(options);
  return end;
}

void reprise::addTrainStage(OpPassManager &passes,
                            const CompileOptions &options) {
  auto differentiate = stepEndOf<SgDifferentiateOptions>(options);
  if (options.microBatches > 1) {
    bool lossScaling = differentiate.lossScaling;
    differentiate = {};
    differentiate.lossScaling = lossScaling;
    differentiate.optimizer = termName(OptimizerKind::None);
    differentiate.emitGradients = true;
  }
  differentiate.oneValueNorms = options.onlyEvaluates;
  differentiate.syncRanks = options.syncBatchNorm ? options.ranks : 1;
  passes.addPass(createSgDifferentiate(differentiate));
  addLevelVerifiers(passes, "train");
}

void reprise::addRematStage(OpPassManager &passes) {
  addToFunctions(passes, createSgLowerCheckpointing());
  addLevelVerifiers(passes, "remat");
}

//===----------------------------------------------------------------------===//
// Flat functions
//===----------------------------------------------------------------------===//

static void addFlattening(OpPassManager &passes) {
  addToFunctions(passes, createSgFlatten());
  addToFunctions(passes, createSgRecomputeMarked());
}

void reprise::addFlatEvaluationStage(OpPassManager &passes) {
  addFlattening(passes);
  addLevelVerifiers(passes, "flat");
}

/// Keeps averages of the variables if requested.
static void addAverages(OpPassManager &passes, const CompileOptions &options) {
  if (options.ema == 0)
    return;
  SgAverageVariablesOptions average;
  average.decay = options.ema;
  if (scalesLoss(options))
    average.keepsBy = KeepsBy::Skipped;
  else if (options.emitNonFinite)
    average.keepsBy = KeepsBy::NonFinite;
  passes.addPass(createSgAverageVariables(average));
}

static SgReduceOverRanksOptions rankOptionsOf(const CompileOptions &options) {
  SgReduceOverRanksOptions ranks;
  ranks.ranks = options.ranks;
  ranks.bucketBytes = options.bucketBytes;
  if (options.shardOptimizer)
    ranks.singleBytes = SgShardOptimizerOptions().leastBytes;
  return ranks;
}

void reprise::addFlatStage(OpPassManager &passes,
                           const CompileOptions &options) {
  addFlattening(passes);
  if (options.microBatches > 1) {
    if (options.syncBatchNorm) {
      SgSynchronizeNormsOptions norms;
      norms.ranks = options.ranks;
      addToFunctions(passes, createSgSynchronizeNorms(norms));
    }
    if (options.ranks > 1)
      addToFunctions(passes, createSgReduceOverRanks(rankOptionsOf(options)));
    else
      addToFunctions(passes,
                     createSgAccumulateGradients({options.microBatches}));
    passes.addPass(createSgUpdateParameters(
        stepEndOf<SgUpdateParametersOptions>(options)));
  }
  if (options.shardOptimizer) {
    SgShardOptimizerOptions shard;
    shard.ranks = options.ranks;
    passes.addPass(createSgShardOptimizer(shard));
  }
  addAverages(passes, options);
  addLevelVerifiers(passes, "flat");
}

void reprise::addKernelStage(OpPassManager &passes,
                             const CompileOptions &options,
                             const KernelChoice &choice) {
  if (options.amp != MixedPrecision::None) {
    SgWidenCallsOptions widen;
    widen.target = options.target.text();
    addToFunctions(passes, createSgWidenCalls(widen));
  }
  // No common-subexpression elimination: it would make the backward pass read a
  // value that the forward pass happens to compute too, and so keep it. The
  // work on images that sg-decompose shares is cheap, so sharing it remains a
  // choice.
  addToFunctions(passes, createCanonicalizerPass());
  SgDecomposeOptions decompose;
  decompose.fuse = options.fuse;
  decompose.target = options.target.text();
  decompose.addGradients = choice.addGradients;
  addToFunctions(passes, createSgDecompose(decompose));
  addToFunctions(passes, createCanonicalizerPass());
  if (options.fuse) {
    SgRecomputeCheapOptions cheap;
    cheap.keep.assign(options.keep.begin(), options.keep.end());
    cheap.target = options.target.text();
    cheap.mostReads = choice.mostReads;
    addToFunctions(passes, createSgRecomputeCheap(cheap));
  }
  if (options.lossyKept != LossyKept::None) {
    SgRoundKeptOptions round;
    round.type = termName(options.lossyKept);
    round.exactBytes = options.exactBytes;
    addToFunctions(passes, createSgRoundKept(round));
  }
  addToFunctions(passes,
                 createSgFormKernels({options.fuse, options.target.text()}));
  addLevelVerifiers(passes, "flat");
}

void reprise::addProgramStage(OpPassManager &passes,
                              const CompileOptions &options,
                              const std::string &checkpointing) {
  SgLowerToRtOptions lower;
  lower.model = options.model;
  lower.threads = options.threads;
  lower.target = options.target.text();
  setRates(lower, options.roofline);
  lower.profile = options.profile;
  lower.checkpointing = checkpointing;
  lower.overlapPercent = options.overlapPercent;
  passes.addPass(createSgLowerToRt(lower));
  passes.addNestedPass<rt_dialect::ProgramOp>(createRtVerifyProgram());
  passes.addNestedPass<rt_dialect::ProgramOp>(createRtVerifyEffects());
}
