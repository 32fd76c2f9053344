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

#include "reprise/IR/Sg.h"
#include "reprise/Target/Target.h"
#include "reprise/Translate/TranslateProgram.h"

using namespace mlir;
using namespace reprise;

namespace {
constexpr llvm::StringLiteral kTrainStep = "train_step";
constexpr llvm::StringLiteral kEvalStep = "eval_step";
} // namespace

/// Runs the passes that `add` adds.
static LogicalResult run(mlir::ModuleOp module, const CompileOptions &options,
                         llvm::function_ref<void(OpPassManager &)> add) {
  PassManager manager(module.getContext());
  if (options.configure)
    options.configure(manager);
  add(manager);
  return manager.run(module);
}

/// Runs one stage.
static LogicalResult run(mlir::ModuleOp module, const CompileOptions &options,
                         void (*stage)(OpPassManager &,
                                       const CompileOptions &)) {
  return run(module, options,
             [&](OpPassManager &passes) { stage(passes, options); });
}

static LogicalResult formKernels(mlir::ModuleOp module,
                                 const CompileOptions &options,
                                 const KernelChoice &choice = {}) {
  return run(module, options, [&](OpPassManager &passes) {
    addKernelStage(passes, options, choice);
  });
}

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

/// Rewrites the model's function up to `level`, at most remat.
static LogicalResult lowerTraining(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   CompileLevel level) {
  if (failed(run(module, options, addModelStage)))
    return failure();
  if (level >= CompileLevel::Train)
    (*module.getOps<func::FuncOp>().begin()).setSymName(kTrainStep);
  if (level >= CompileLevel::Train &&
      failed(run(module, options, addTrainStage)))
    return failure();
  return level >= CompileLevel::Remat ? run(module, options, addRematStage)
                                      : success();
}

/// Lowers a model to the flat step of kernels of a choice.
static LogicalResult lowerToChoice(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   const KernelChoice &choice) {
  if (failed(findModel(module)) ||
      failed(lowerTraining(module, options, CompileLevel::Remat)) ||
      failed(run(module, options, addFlatStage)))
    return failure();
  return formKernels(module, options, choice);
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
  return run(module, options,
             [](OpPassManager &passes) { addLevelVerifiers(passes, "flat"); });
}

/// `model`: the model from which the training step was lowered, if there is a
/// budget.
static LogicalResult lowerToProgramLevel(mlir::ModuleOp module,
                                         mlir::ModuleOp model,
                                         const std::string &name,
                                         const CompileOptions &options) {
  CompileOptions named = options;
  named.model = name;
  if (failed(formKernels(module, options)))
    return failure();
  if (model && failed(fitTraining(module, model, options)))
    return failure();
  return run(module, named, addProgramStage);
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
  auto addPasses = [&](OpPassManager &passes) {
    addInferenceStage(passes, options);
    addFlatEvaluationStage(passes);
  };
  if (failed(run(*evaluation, options, addPasses)))
    return failure();
  return evaluation;
}

/// Adds the entry of a module that deriveEvaluation returned.
static void takeEvaluation(mlir::ModuleOp module, mlir::ModuleOp evaluation) {
  Operation *step = *evaluation.getOps<func::FuncOp>().begin();
  step->remove();
  module.push_back(step);
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
    if (failed(evaluation) || failed(formKernels(**evaluation, options)))
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
  if (options.training && failed(run(module, options, addFlatStage)))
    return failure();
  if (evaluation)
    takeEvaluation(module, *evaluation);
  return lowerToProgramLevel(module, model ? *model : mlir::ModuleOp(), name,
                             options);
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
