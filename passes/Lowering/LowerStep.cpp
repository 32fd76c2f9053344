//===- LowerStep.cpp - From a model to kernels ----------------------------===//
//
// Input:   a module with variables and one function, the model.
// Output:  the same module with flat functions, or with their kernels.
// Method:  the passes in order, each level closed by its verifier.
// Cost:    the passes'.
// Fails:   where a pass fails.
//
//===----------------------------------------------------------------------===//
#include "LowerStep.h"
#include "Stage.h"

#include "reprise/Passes/Checkpoint.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace reprise;

FailureOr<func::FuncOp> reprise::findModel(mlir::ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (llvm::hasSingleElement(functions))
    return *functions.begin();
  return module.emitError()
         << "holds " << std::distance(functions.begin(), functions.end())
         << " functions; a model is one function";
}

static LogicalResult lowerToModel(mlir::ModuleOp module,
                                  const CompileOptions &options) {
  SgAssignCheckpointingOptions assign;
  assign.mode = options.checkpointing;
  assign.recompute.assign(options.recompute.begin(), options.recompute.end());
  return Stage(module, options)
      .verify("model")
      .chooseAttention(options)
      .halveHidden(options)
      .spareNormOperands(options)
      .autocast(options)
      .changeLoss(options.loss)
      .boundIndices()
      .addToFunctions(createSgAssignCheckpointing(assign))
      .verify("model")
      .run();
}

/// Returns a number with enough digits to restore it exactly.
static std::string exactText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  return text;
}

/// Returns the options of the ops after the gradients, in the form of a pass's
/// options.
template <typename PassOptions>
static PassOptions stepEndOf(const CompileOptions &options) {
  PassOptions end;
  end.optimizer = options.optimizer;
  for (const auto &[name, value] : options.hyperparameters)
    end.hyperparameters.push_back(name + "=" + exactText(value));
  end.noWeightDecay.assign(options.noWeightDecay.begin(),
                           options.noWeightDecay.end());
  end.clipMode = options.clipping.mode;
  end.clipNorm = options.clipping.norm;
  end.clipTolerance = options.clipping.tolerance;
  end.clipMomentum = options.clipping.momentum;
  end.clipNormType = options.clipping.normType;
  end.emitGradients = options.emitGradients;
  end.emitNonFinite = options.emitNonFinite;
  end.lossScaling = options.amp == "f16" && options.optimizer != "none";
  return end;
}

/// Lowers one of several micro-batches, which ends with its gradients: the ops
/// after them follow when they are summed, see flattenTraining.
static LogicalResult lowerToTrain(mlir::ModuleOp module,
                                  const CompileOptions &options) {
  auto differentiate = stepEndOf<SgDifferentiateOptions>(options);
  if (options.microBatches > 1) {
    bool lossScaling = differentiate.lossScaling;
    differentiate = {};
    differentiate.lossScaling = lossScaling;
    differentiate.optimizer = "none";
    differentiate.emitGradients = true;
  }
  differentiate.oneValueNorms = options.onlyEvaluates;
  return Stage(module, options)
      .add(createSgDifferentiate(differentiate))
      .verify("train")
      .run();
}

static LogicalResult lowerToRemat(mlir::ModuleOp module,
                                  const CompileOptions &options) {
  return Stage(module, options)
      .addToFunctions(createSgLowerCheckpointing())
      .verify("remat")
      .run();
}

static LogicalResult flatten(mlir::ModuleOp module,
                             const CompileOptions &options) {
  return Stage(module, options)
      .addToFunctions(createSgFlatten())
      .addToFunctions(createSgRecomputeMarked())
      .verify("flat")
      .run();
}

LogicalResult reprise::flattenTraining(mlir::ModuleOp module,
                                       const CompileOptions &options) {
  if (options.microBatches <= 1)
    return flatten(module, options);
  SgAccumulateGradientsOptions accumulate;
  accumulate.microBatches = options.microBatches;
  return Stage(module, options)
      .addToFunctions(createSgFlatten())
      .addToFunctions(createSgRecomputeMarked())
      .addToFunctions(createSgAccumulateGradients(accumulate))
      .add(createSgUpdateParameters(
          stepEndOf<SgUpdateParametersOptions>(options)))
      .verify("flat")
      .run();
}

LogicalResult reprise::lowerTraining(mlir::ModuleOp module,
                                     const CompileOptions &options,
                                     CompileLevel level) {
  if (failed(lowerToModel(module, options)))
    return failure();
  if (level >= CompileLevel::Train)
    (*module.getOps<func::FuncOp>().begin()).setSymName(kTrainStep);
  if (level >= CompileLevel::Train && failed(lowerToTrain(module, options)))
    return failure();
  if (level >= CompileLevel::Remat && failed(lowerToRemat(module, options)))
    return failure();
  return success();
}

LogicalResult reprise::lowerToChoice(mlir::ModuleOp module,
                                     const CompileOptions &options,
                                     const KernelChoice &choice) {
  if (failed(findModel(module)) ||
      failed(lowerTraining(module, options, CompileLevel::Remat)) ||
      failed(flattenTraining(module, options)))
    return failure();
  return Stage(module, options).formKernels(options, choice).run();
}

FailureOr<OwningOpRef<mlir::ModuleOp>>
reprise::deriveEvaluation(mlir::ModuleOp module,
                          const CompileOptions &options) {
  OwningOpRef<mlir::ModuleOp> evaluation = module.clone();
  FailureOr<func::FuncOp> function = findModel(*evaluation);
  if (failed(function))
    return failure();
  function->setSymName(kEvalStep);
  LossSettings ignoring;
  ignoring.ignoreIndex = options.loss.ignoreIndex;
  if (failed(Stage(*evaluation, options)
                 .verify("model")
                 .chooseAttention(options)
                 .halveHidden(options)
                 .autocast(options)
                 .changeLoss(ignoring)
                 .boundIndices()
                 .addToFunctions(createSgToInference())
                 .run()) ||
      failed(flatten(*evaluation, options)))
    return failure();
  return evaluation;
}

void reprise::takeEvaluation(mlir::ModuleOp module, mlir::ModuleOp evaluation) {
  Operation *step = *evaluation.getOps<func::FuncOp>().begin();
  step->remove();
  module.push_back(step);
}
