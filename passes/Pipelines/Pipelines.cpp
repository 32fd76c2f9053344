//===- Pipelines.cpp - From a model to an artifact ------------------------===//
//
// Input:   a module with variables and one function, the model.
// Output:  the same module at a level, or an artifact.
// Method:  the passes in order, each level closed by its verifier. Evaluation
//          is derived from the untouched model and joins the training step
//          when both are flat.
// Cost:    the passes'; planning and compiling kernels dominate.
// Fails:   where a pass fails.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Pipelines.h"
#include "BudgetKernels.h"
#include "Stages.h"
#include "reprise/Passes/Program.h"

#include "mlir/Transforms/Passes.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Train.h"
#include "reprise/Target/Target.h"
#include "reprise/Translate/TranslateProgram.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace reprise;

namespace {
constexpr llvm::StringLiteral kTrainStep = "train_step";
constexpr llvm::StringLiteral kEvalStep = "eval_step";

/// Runs passes on a module and verifies levels of its functions.
class Stage {
public:
  Stage(mlir::ModuleOp module, const CompileOptions &options)
      : module(module), manager(module.getContext()) {
    if (options.configure)
      options.configure(manager);
  }

  Stage &add(std::unique_ptr<Pass> pass) {
    manager.addPass(std::move(pass));
    return *this;
  }
  Stage &addToFunctions(std::unique_ptr<Pass> pass) {
    manager.addNestedPass<func::FuncOp>(std::move(pass));
    return *this;
  }
  Stage &verify(StringRef level) {
    addLevelVerifiers(manager, level);
    return *this;
  }
  Stage &formKernels(const CompileOptions &options,
                     const KernelChoice &choice = {}) {
    addKernelFormation(manager,
                       {options.keep, options.target, !options.amp.empty(),
                        options.fuse, choice.mostReads, choice.addGradients});
    return *this;
  }
  Stage &chooseAttention(const CompileOptions &options) {
    SgChooseAttentionOptions choose;
    choose.target = options.target;
    choose.form = options.attention;
    choose.gflops = options.roofline.gflops;
    choose.gbytesPerSecond = options.roofline.gigabytesPerSecond;
    choose.narrowGflops = options.roofline.narrowGflops;
    choose.narrow = !options.amp.empty();
    return addToFunctions(createSgChooseAttention(choose));
  }
  /// Runs in f32: halves in bf16 would be rounded before they are added.
  Stage &halveHidden(const CompileOptions &options) {
    if (!options.amp.empty())
      return *this;
    SgHalveHiddenOptions halve;
    halve.target = options.target;
    halve.leastBytes = options.halvedBytes;
    return addToFunctions(createSgHalveHidden(halve));
  }
  /// Runs in f32: sums of bf16 products would be rounded before they are
  /// subtracted.
  Stage &spareNormOperands(const CompileOptions &options) {
    if (!options.amp.empty())
      return *this;
    SgSpareNormOperandsOptions spare;
    spare.target = options.target;
    spare.leastBytes = options.sparedBytes;
    return addToFunctions(createSgSpareNormOperands(spare));
  }
  /// Converts to mixed precision if requested.
  Stage &autocast(const CompileOptions &options) {
    if (options.amp.empty())
      return *this;
    SgAutocastOptions autocast;
    autocast.type = options.amp;
    return addToFunctions(createSgAutocast(autocast));
  }
  /// Replaces the model's loss by the training loss, if they differ.
  Stage &changeLoss(const LossSettings &loss) {
    if (!loss.changes())
      return *this;
    SgChangeLossOptions change;
    change.labelSmoothing = loss.labelSmoothing;
    change.classWeights.assign(loss.classWeights.begin(),
                               loss.classWeights.end());
    change.mixup = loss.mixup != 0;
    if (loss.ignoreIndex)
      change.ignoreIndex = *loss.ignoreIndex;
    return addToFunctions(createSgChangeLoss(change));
  }
  Stage &boundIndices() { return addToFunctions(createSgBoundIndices()); }
  LogicalResult run() { return manager.run(module); }

private:
  mlir::ModuleOp module;
  PassManager manager;
};
} // namespace

std::optional<CompileLevel> reprise::parseCompileLevel(StringRef name) {
  return llvm::StringSwitch<std::optional<CompileLevel>>(name)
      .Case("model", CompileLevel::Model)
      .Case("train", CompileLevel::Train)
      .Case("remat", CompileLevel::Remat)
      .Case("program", CompileLevel::Program)
      .Default(std::nullopt);
}

void reprise::registerPipelineDialects(DialectRegistry &registry) {
  registry.insert<sg::SgDialect, rt_dialect::RtDialect, func::FuncDialect>();
}

/// Finds the model's function.
static FailureOr<func::FuncOp> findModel(mlir::ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (llvm::hasSingleElement(functions))
    return *functions.begin();
  return module.emitError()
         << "holds " << std::distance(functions.begin(), functions.end())
         << " functions; a model is one function";
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

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

static LogicalResult flattenTraining(mlir::ModuleOp module,
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

static LogicalResult lowerTraining(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   CompileLevel level);

/// Lowers a model to the flat step of kernels of a choice.
static LogicalResult lowerToChoice(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   const KernelChoice &choice) {
  if (failed(findModel(module)) ||
      failed(lowerTraining(module, options, CompileLevel::Remat)) ||
      failed(flattenTraining(module, options)))
    return failure();
  return Stage(module, options).formKernels(options, choice).run();
}

/// Makes the training step fit its budget. The step may become that of another
/// mode.
static LogicalResult fitTraining(mlir::ModuleOp module, mlir::ModuleOp model,
                                 const CompileOptions &options) {
  func::FuncOp step = module.lookupSymbol<func::FuncOp>(kTrainStep);
  FailureOr<BudgetPlans> plans =
      plansOf(step, model, options, lowerToChoice, 0, options.budget);
  if (failed(plans))
    return failure();
  std::optional<PlanChoice> choice =
      fitBudget(*plans, *options.budget, options.budgetObserver);
  if (options.searchObserver)
    options.searchObserver({});
  if (!choice)
    return failure();
  func::FuncOp fitted = choice->curve().problem.function;
  if (fitted != step) {
    fitted->remove();
    step->getBlock()->getOperations().insert(Block::iterator(step), fitted);
    step.erase();
  }
  return Stage(module, options).verify("flat").run();
}

/// `model`: the model from which the training step was lowered, if there is a
/// budget.
static LogicalResult lowerToProgramLevel(mlir::ModuleOp module,
                                         mlir::ModuleOp model,
                                         const std::string &name,
                                         const CompileOptions &options) {
  SgLowerToRtOptions lower;
  lower.model = name;
  lower.threads = options.threads;
  lower.target = options.target;
  lower.gflops = options.roofline.gflops;
  lower.gbytesPerSecond = options.roofline.gigabytesPerSecond;
  lower.narrowGflops = options.roofline.narrowGflops;
  lower.profile = options.profile;
  lower.checkpointing = options.training ? options.checkpointing : "none";
  if (failed(Stage(module, options).formKernels(options).run()))
    return failure();
  if (model && failed(fitTraining(module, model, options)))
    return failure();
  return Stage(module, options).add(createSgLowerToRt(lower)).run();
}

static LogicalResult verifyProgram(mlir::ModuleOp module,
                                   const CompileOptions &options) {
  PassManager manager(module.getContext());
  if (options.configure)
    options.configure(manager);
  manager.addNestedPass<rt_dialect::ProgramOp>(createRtVerifyProgram());
  manager.addNestedPass<rt_dialect::ProgramOp>(createRtVerifyEffects());
  return manager.run(module);
}

//===----------------------------------------------------------------------===//
// The flow
//===----------------------------------------------------------------------===//

/// Returns a module with the flat evaluation of the model in `module`.
static FailureOr<OwningOpRef<mlir::ModuleOp>>
deriveEvaluation(mlir::ModuleOp module, const CompileOptions &options) {
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

/// Adds the entry of a module that deriveEvaluation returned.
static void takeEvaluation(mlir::ModuleOp module, mlir::ModuleOp evaluation) {
  Operation *step = *evaluation.getOps<func::FuncOp>().begin();
  step->remove();
  module.push_back(step);
}

/// Rewrites the model's function up to `level`, at most remat.
static LogicalResult lowerTraining(mlir::ModuleOp module,
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

LogicalResult reprise::lowerToKernels(mlir::ModuleOp module,
                                      const CompileOptions &options) {
  return lowerToChoice(module, options, {options.checkpointing});
}

FailureOr<BudgetPlans> reprise::planBudgets(mlir::ModuleOp module,
                                            const CompileOptions &options,
                                            uint64_t withinBytes) {
  OwningOpRef<mlir::ModuleOp> model = module.clone();
  if (failed(lowerToKernels(module, options)))
    return failure();
  func::FuncOp step = *module.getOps<func::FuncOp>().begin();
  if (options.evaluation) {
    auto evaluation = deriveEvaluation(*model, options);
    if (failed(evaluation) ||
        failed(Stage(**evaluation, options).formKernels(options).run()))
      return failure();
    takeEvaluation(module, **evaluation);
  }
  return plansOf(step, *model, options, lowerToChoice, withinBytes);
}

LogicalResult reprise::lowerModel(mlir::ModuleOp module,
                                  const CompileOptions &options,
                                  CompileLevel level) {
  FailureOr<func::FuncOp> function = findModel(module);
  if (failed(function))
    return failure();
  if (!options.training && !options.evaluation)
    return function->emitError() << "neither training nor evaluation is wanted";
  if (options.loss.ignoreIndex && options.microBatches > 1)
    return function->emitError()
           << "micro-batches have other numbers of labels that are not ignored "
              "("
           << *options.loss.ignoreIndex
           << "), so that the mean of their losses is not the batch's";
  std::string name =
      options.model.empty() ? function->getSymName().str() : options.model;
  bool isProgram = level == CompileLevel::Program;
  OwningOpRef<mlir::ModuleOp> evaluation, model;
  if (isProgram && options.training && options.budget)
    model = module.clone();
  if (isProgram && options.evaluation) {
    auto derived = deriveEvaluation(module, options);
    if (failed(derived))
      return failure();
    evaluation = std::move(*derived);
  }
  if (isProgram && !options.training) {
    function->erase();
  } else {
    if (failed(lowerTraining(module, options, level)))
      return failure();
  }
  if (!isProgram)
    return success();
  if (options.training && failed(flattenTraining(module, options)))
    return failure();
  if (evaluation)
    takeEvaluation(module, *evaluation);
  if (failed(lowerToProgramLevel(module, model ? *model : mlir::ModuleOp(),
                                 name, options)))
    return failure();
  return verifyProgram(module, options);
}

FailureOr<std::vector<uint8_t>>
reprise::emitArtifact(mlir::ModuleOp module,
                      const std::optional<TrainingNote> &training,
                      std::function<void(double)> progress) {
  auto programs = module.getOps<rt_dialect::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return module.emitError()
           << "holds " << std::distance(programs.begin(), programs.end())
           << " programs; an artifact is one rt.program";
  rt_dialect::ProgramOp program = *programs.begin();
  std::vector<KernelSource> sources;
  for (auto kernel : program.getBody().getOps<rt_dialect::KernelOp>())
    sources.push_back({kernel.getSymName().str(), &kernel.getBody().front()});
  rt_dialect::TargetAttr recorded = program.getTarget();
  rt::Expected<std::unique_ptr<Target>> target = createTargetOf(
      recorded.getDevice(), recorded.getFeatures(), program.getThreads());
  if (!target.ok())
    return program.emitOpError() << target.status().message();
  (*target)->reportProgress(std::move(progress));
  std::vector<uint8_t> code;
  if (!sources.empty()) {
    FailureOr<std::vector<uint8_t>> compiled =
        (*target)->compileKernels(sources);
    if (failed(compiled))
      return failure();
    code = std::move(*compiled);
  }
  return translateProgram(program, code, training);
}

FailureOr<std::vector<uint8_t>>
reprise::compileModel(mlir::ModuleOp module, const CompileOptions &options) {
  TrainingNote training = noteTraining(module, options);
  if (failed(lowerModel(module, options, CompileLevel::Program)))
    return failure();
  return emitArtifact(module, training);
}
