//===- Pipelines.cpp - From a model to an artifact ------------------------===//
//
// Input:   a module with variables and one function, the model.
// Output:  the same module at a level, or an artifact.
// Method:  the passes in order, each level closed by its verifier. Evaluation
//          is derived from the untouched model and joins the training step
//          when both are flat.
// Cost:    the passes'; planning and compiling kernels dominate.
// Fails:   on what the passes refuse.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Pipelines.h"
#include "Stages.h"

#include "mlir/Transforms/Passes.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Memory.h"
#include "reprise/Passes/Train.h"
#include "reprise/Target/Target.h"
#include "reprise/Translate/TranslateProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

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
                        options.fuse, choice.mostReads, choice.joinProducts,
                        choice.addGradients});
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
  /// In mixed precision, if that is wanted.
  Stage &autocast(const CompileOptions &options) {
    if (options.amp.empty())
      return *this;
    SgAutocastOptions autocast;
    autocast.type = options.amp;
    return addToFunctions(createSgAutocast(autocast));
  }
  /// What training is for, where that is not the model's loss.
  Stage &changeLoss(const LossSettings &loss) {
    if (!loss.changes())
      return *this;
    SgChangeLossOptions change;
    change.labelSmoothing = loss.labelSmoothing;
    change.classWeights.assign(loss.classWeights.begin(),
                               loss.classWeights.end());
    change.mixup = loss.mixup != 0;
    return addToFunctions(createSgChangeLoss(change));
  }
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

/// The model's function.
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
      .autocast(options)
      .changeLoss(options.loss)
      .addToFunctions(createSgAssignCheckpointing(assign))
      .verify("model")
      .run();
}

/// A number with as many digits as bring it back.
static std::string exactText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  return text;
}

/// What follows the gradients, as a pass's options say it.
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

/// Of several micro-batches one, which ends with its gradients: what follows
/// them comes when they are summed, see flattenTraining.
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

static FailureOr<BudgetOptions> budgetOptionsOf(mlir::ModuleOp module,
                                                const CompileOptions &from) {
  FailureOr<CostModel> costs = loadCosts(module, from.roofline, from.profile);
  if (failed(costs))
    return failure();
  BudgetOptions options;
  options.costs = std::move(*costs);
  options.work = from.planWork;
  options.threads = from.threads;
  options.target = from.target;
  options.keep = from.keep;
  return options;
}

/// Whether the library makes gradients for the inputs of convolutions, which
/// may add up.
static bool hasGradientsOfImages(func::FuncOp step) {
  return step
      .walk([](LibraryOpInterface call) {
        return call.getLibraryFunction() == "conv2d_input_grad"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The kernels that a budget may choose. What a user chose is not replaced: a
/// mode, blocks to keep or to compute again.
static std::vector<KernelChoice> choicesBeside(func::FuncOp step,
                                               const CompileOptions &options) {
  if (options.checkpointing != "none" || !options.keep.empty() ||
      !options.recompute.empty() || options.planWork <= 0)
    return {};
  // Two values as large, and small ones: what a block adds up is kept.
  std::vector<KernelChoice> choices = {{"none", 2.5, "sums kept"}};
  // Gradients that products add up are one tensor instead of two.
  if (options.amp.empty() && options.fuse && hasGradientsOfImages(step)) {
    choices.push_back({"none", 0, "gradients added up", /*isForSmall=*/true,
                       "all", 0.5, /*addGradients=*/true});
    choices.push_back({"none", 2.5, "sums kept, gradients added up",
                       /*isForSmall=*/true, "all", 0.25,
                       /*addGradients=*/true});
  }
  // Where it takes time to make it again from what goes into it, that is what
  // budgets are for.
  rt::Expected<std::unique_ptr<Target>> target =
      createTarget(options.target, options.threads);
  if (target.ok() && (*target)->bytesAreTime()) {
    choices.push_back({"none", kReadsOfCheapValues, "sums computed again",
                       /*isForSmall=*/true, "backward"});
    // A kernel with a product has all at once that stands around it.
    choices.push_back(
        {"none", 0, "products alone", /*isForSmall=*/true, "none", 0.4});
  }
  for (const char *mode :
       {"annotated", "per-block", "nested", "segments=2", "segments=3",
        "segments=4", "segments=6", "segments=8", "sqrt", "threshold-bytes=0"})
    choices.push_back({mode});
  return choices;
}

static LogicalResult lowerTraining(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   CompileLevel level);

/// Whether a call of a library adds its result to a tensor.
static bool addsUp(mlir::ModuleOp module) {
  return module
      .walk([](LibraryOpInterface call) {
        return llvm::is_contained(call.getLibraryEpilogues(),
                                  LibraryEpilogue::Add)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The flat step of kernels that a choice makes of a model.
static LogicalResult lowerToChoice(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   const KernelChoice &choice) {
  if (failed(findModel(module)) ||
      failed(lowerTraining(module, options, CompileLevel::Remat)) ||
      failed(flattenTraining(module, options)))
    return failure();
  return Stage(module, options).formKernels(options, choice).run();
}

/// The plans of `step`, which was made of `model`.
static FailureOr<BudgetPlans> plansOf(func::FuncOp step, mlir::ModuleOp model,
                                      const CompileOptions &options) {
  FailureOr<BudgetOptions> search = budgetOptionsOf(model, options);
  if (failed(search))
    return failure();
  FailureOr<BudgetCurve> own = computeBudgetCurve(step, *search);
  if (failed(own))
    return failure();
  // Whatever the plans are for: not every use asks for proofs.
  if (!own->contradiction.empty())
    return emitContradiction(step, own->contradiction);
  auto shared = std::make_shared<OwningOpRef<mlir::ModuleOp>>(model.clone());
  auto addNothing = std::make_shared<bool>(false);
  auto form = [shared, options, addNothing](const KernelChoice &choice)
      -> FailureOr<OwningOpRef<mlir::ModuleOp>> {
    if (choice.addGradients && *addNothing)
      return failure();
    OwningOpRef<mlir::ModuleOp> module = (*shared)->clone();
    CompileOptions other = options;
    other.checkpointing = choice.mode;
    if (failed(lowerToChoice(*module, other, choice)))
      return failure();
    if (choice.addGradients && !addsUp(*module)) {
      *addNothing = true;
      return failure();
    }
    return module;
  };
  return BudgetPlans(std::move(*own), std::move(*search),
                     choicesBeside(step, options), form);
}

/// Makes the training step fit. The step may become another mode's.
static LogicalResult fitTraining(mlir::ModuleOp module, mlir::ModuleOp model,
                                 const CompileOptions &options) {
  func::FuncOp step = module.lookupSymbol<func::FuncOp>(kTrainStep);
  FailureOr<BudgetPlans> plans = plansOf(step, model, options);
  if (failed(plans))
    return failure();
  std::optional<PlanChoice> choice =
      fitBudget(*plans, *options.budget, options.budgetObserver);
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

/// `model` is what the training step was made of, where there is a budget.
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

/// A module with the evaluation of the model in `module`, flat.
static FailureOr<OwningOpRef<mlir::ModuleOp>>
deriveEvaluation(mlir::ModuleOp module, const CompileOptions &options) {
  OwningOpRef<mlir::ModuleOp> evaluation = module.clone();
  FailureOr<func::FuncOp> function = findModel(*evaluation);
  if (failed(function))
    return failure();
  function->setSymName(kEvalStep);
  if (failed(Stage(*evaluation, options)
                 .verify("model")
                 .chooseAttention(options)
                 .autocast(options)
                 .addToFunctions(createSgToInference())
                 .run()) ||
      failed(flatten(*evaluation, options)))
    return failure();
  return evaluation;
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

static std::string text(const BudgetRequest &budget) {
  const auto &[kind, bytes, percent] = budget;
  return std::to_string(int(kind)) + " " + std::to_string(bytes) + " " +
         llvm::toHex(llvm::bit_cast<uint64_t>(percent));
}

static std::string text(const rt::Roofline &roofline) {
  const auto &[gflops, gigabytes, narrow] = roofline;
  std::string all;
  for (double rate : {gflops, gigabytes, narrow})
    all += llvm::toHex(llvm::bit_cast<uint64_t>(rate)) + " ";
  return all;
}

std::string reprise::describeOptions(const CompileOptions &options) {
  // Names every member, so that a new one is not forgotten here.
  const auto &[model, checkpointing, optimizer, hyperparameters, noWeightDecay,
               amp, attention, fuse, clipping, loss, microBatches,
               emitGradients, emitNonFinite, training, evaluation, budget,
               planWork, roofline, profile, keep, recompute, budgetObserver,
               threads, target, configure] = options;
  std::string all;
  auto add = [&](llvm::StringRef value) {
    all += (llvm::Twine(value.size()) + " " + value + "\n").str();
  };
  auto number = [&](double value) {
    add(llvm::toHex(llvm::bit_cast<uint64_t>(value)));
  };
  auto list = [&](const std::vector<std::string> &values) {
    number(double(values.size()));
    llvm::for_each(values, add);
  };
  for (const std::string &value :
       {model, checkpointing, optimizer, amp, attention, profile, target})
    add(value);
  number(double(hyperparameters.size()));
  for (const auto &[name, value] : hyperparameters) {
    add(name);
    number(value);
  }
  const auto &[clipMode, clipNorm, tolerance, momentum, normType] = clipping;
  const auto &[labelSmoothing, classWeights, mixup] = loss;
  add(clipMode);
  add(normType);
  for (double value : {clipNorm, tolerance, momentum, labelSmoothing, mixup})
    number(value);
  number(double(classWeights.size()));
  llvm::for_each(classWeights, number);
  list(noWeightDecay);
  list(keep);
  list(recompute);
  for (double value :
       {clipNorm, double(microBatches), double(fuse), double(emitGradients),
        double(emitNonFinite), double(training), double(evaluation), planWork,
        double(threads)})
    number(value);
  add(budget ? text(*budget) : "");
  add(text(roofline));
  // What only watches.
  (void)budgetObserver;
  (void)configure;
  return all;
}

LogicalResult reprise::lowerToKernels(mlir::ModuleOp module,
                                      const CompileOptions &options) {
  return lowerToChoice(module, options, {options.checkpointing});
}

FailureOr<BudgetPlans> reprise::planBudgets(mlir::ModuleOp module,
                                            const CompileOptions &options) {
  OwningOpRef<mlir::ModuleOp> model = module.clone();
  if (failed(lowerToKernels(module, options)))
    return failure();
  return plansOf(*module.getOps<func::FuncOp>().begin(), *model, options);
}

LogicalResult reprise::lowerModel(mlir::ModuleOp module,
                                  const CompileOptions &options,
                                  CompileLevel level) {
  FailureOr<func::FuncOp> function = findModel(module);
  if (failed(function))
    return failure();
  if (!options.training && !options.evaluation)
    return function->emitError() << "neither training nor evaluation is wanted";
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
  if (evaluation) {
    Operation *step = *evaluation->getOps<func::FuncOp>().begin();
    step->remove();
    module.push_back(step);
  }
  if (failed(lowerToProgramLevel(module, model ? *model : mlir::ModuleOp(),
                                 name, options)))
    return failure();
  return verifyProgram(module, options);
}

FailureOr<std::vector<uint8_t>>
reprise::emitArtifact(mlir::ModuleOp module,
                      const std::optional<TrainingNote> &training) {
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

TrainingNote reprise::noteTraining(mlir::ModuleOp model,
                                   const CompileOptions &options) {
  TrainingNote note;
  note.optimizer = options.optimizer;
  note.hyperparameters = options.hyperparameters;
  note.amp = options.amp;
  note.noWeightDecay = llvm::join(options.noWeightDecay, " ");
  note.clipping = options.clipping;
  note.loss = options.loss;
  note.microBatches = options.microBatches;
  if (options.attention != "auto")
    note.attention = options.attention;
  note.model = digestModel(model);
  // What is wrong with them is said where they are used.
  (void)completeHyperparameters(note.optimizer, note.hyperparameters);
  return note;
}

/// Drops what inputs and outputs are for, which decides no bit of a run, but
/// for which result is differentiated where that is not the first.
static void dropBindings(func::FuncOp function) {
  for (unsigned k = 0; k < function.getNumArguments(); ++k)
    function.removeArgAttr(k, sg::SgDialect::kBindingAttr);
  for (unsigned k = 0; k < function.getNumResults(); ++k)
    if (k == 0 ||
        sg::roleOf(function.getResultAttrDict(k)) != sg::BindingRole::Loss)
      function.removeResultAttr(
          k,
          StringAttr::get(function.getContext(), sg::SgDialect::kBindingAttr));
}

std::string reprise::digestModel(mlir::ModuleOp module) {
  OwningOpRef<mlir::ModuleOp> bare = module.clone();
  sg::eraseMarks(*bare);
  bare->walk([](sg::BlockOp block) {
    block->removeAttr(block.getActivationCheckpointingAttrName());
  });
  for (auto function : bare->getOps<func::FuncOp>())
    dropBindings(function);
  // What ops are called decides no bit.
  bare->walk([](Operation *op) { op->removeAttr(sg::SgDialect::kPathAttr); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  bare->print(stream, OpPrintingFlags().printGenericOpForm());
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}

FailureOr<std::vector<uint8_t>>
reprise::compileModel(mlir::ModuleOp module, const CompileOptions &options) {
  TrainingNote training = noteTraining(module, options);
  if (failed(lowerModel(module, options, CompileLevel::Program)))
    return failure();
  return emitArtifact(module, training);
}
