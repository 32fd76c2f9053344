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
#include "../Lowering/LowerStep.h"
#include "../Remat/OtherKernels.h"

#include "reprise/IR/Sg.h"
#include "reprise/Target/Target.h"
#include "reprise/Translate/TranslateProgram.h"

using namespace mlir;
using namespace reprise;

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

//===----------------------------------------------------------------------===//
// The flow
//===----------------------------------------------------------------------===//

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
  return plansOf(step, *model, options, withinBytes);
}

/// Rejects options that no model can be lowered with.
static LogicalResult checkOptions(func::FuncOp model,
                                  const CompileOptions &options) {
  if (!options.training && !options.evaluation)
    return model.emitError() << "neither training nor evaluation is wanted";
  if (options.ranks > 1 && options.ranks != options.microBatches)
    return model.emitError()
           << options.microBatches << " micro-batches cannot be shared by "
           << options.ranks << " ranks, which run one each";
  if ((options.shardOptimizer || options.syncBatchNorm) && options.ranks < 2)
    return model.emitError()
           << "optimizer state is sharded, and batch normalization "
              "synchronized, among ranks, but one process runs the step alone";
  if (options.loss.ignoreIndex && options.microBatches > 1)
    return model.emitError()
           << "micro-batches have other numbers of labels that are not ignored "
              "("
           << *options.loss.ignoreIndex
           << "), so that the mean of their losses is not the batch's";
  return success();
}

static std::string nameOf(func::FuncOp model, const CompileOptions &options) {
  return options.model.empty() ? model.getSymName().str() : options.model;
}

/// Rewrites the model to the entries of its program, as kernels.
static LogicalResult lowerEntries(mlir::ModuleOp module, func::FuncOp model,
                                  const CompileOptions &options) {
  OwningOpRef<mlir::ModuleOp> evaluation;
  if (options.evaluation) {
    auto derived = deriveEvaluation(module, options);
    if (failed(derived))
      return failure();
    evaluation = std::move(*derived);
  }
  if (!options.training)
    model->erase();
  else if (failed(lowerTraining(module, options, CompileLevel::Program)) ||
           failed(flattenTraining(module, options)))
    return failure();
  if (evaluation)
    takeEvaluation(module, *evaluation);
  return formKernels(module, options);
}

/// Returns the mode, and what is approximate, for people.
static std::string describeKept(const CompileOptions &options) {
  if (!options.training)
    return Checkpointing().text();
  std::string text = options.checkpointing.text();
  if (options.lossyKept != LossyKept::None)
    text +=
        std::string(", kept values rounded to ") + termName(options.lossyKept);
  return text;
}

/// Places entries of kernels.
static LogicalResult placeEntries(mlir::ModuleOp module,
                                  const std::string &name,
                                  const CompileOptions &options) {
  CompileOptions named = options;
  named.model = name;
  return runPasses(module, named, [&](OpPassManager &passes) {
    addProgramStage(passes, named, describeKept(options));
  });
}

FailureOr<PlannedModel> reprise::planModel(mlir::ModuleOp module,
                                           const CompileOptions &options) {
  FailureOr<func::FuncOp> function = findModel(module);
  if (failed(function) || failed(checkOptions(*function, options)))
    return failure();
  std::string name = nameOf(*function, options);
  OwningOpRef<mlir::ModuleOp> model = module.clone();
  if (failed(lowerEntries(module, *function, options)))
    return failure();
  FailureOr<BudgetPlans> plans =
      plansOf(module.lookupSymbol<func::FuncOp>(kTrainStep), *model, options, 0,
              options.budget);
  if (failed(plans))
    return failure();
  FailureOr<BudgetAnswer> answer =
      answerBudget(*plans, *options.budget, options.host);
  if (options.searchObserver)
    options.searchObserver({});
  if (failed(answer))
    return failure();
  return PlannedModel{name, std::move(*plans), *answer};
}

LogicalResult reprise::lowerPlanned(mlir::ModuleOp module,
                                    PlannedModel &planned,
                                    const CompileOptions &options) {
  if (failed(applyAnswer(planned.plans, planned.answer)))
    return failure();
  // The step may become that of other kernels.
  func::FuncOp step = module.lookupSymbol<func::FuncOp>(kTrainStep);
  func::FuncOp fitted = planned.answer.curve().problem.function;
  if (fitted != step) {
    fitted->remove();
    step->getBlock()->getOperations().insert(Block::iterator(step), fitted);
    step.erase();
  }
  if (failed(runPasses(module, options, [](OpPassManager &passes) {
        addLevelVerifiers(passes, "flat");
      })))
    return failure();
  return placeEntries(module, planned.name, options);
}

LogicalResult reprise::lowerModel(mlir::ModuleOp module,
                                  const CompileOptions &options,
                                  CompileLevel level) {
  bool isProgram = level == CompileLevel::Program;
  if (isProgram && options.training && options.budget) {
    FailureOr<PlannedModel> planned = planModel(module, options);
    if (failed(planned))
      return failure();
    if (planned->answer.isMet())
      return lowerPlanned(module, *planned, options);
    refuseBudget(planned->plans, planned->answer.bytes);
    return failure();
  }
  FailureOr<func::FuncOp> function = findModel(module);
  if (failed(function) || failed(checkOptions(*function, options)))
    return failure();
  if (!isProgram)
    return lowerTraining(module, options, level);
  std::string name = nameOf(*function, options);
  if (failed(lowerEntries(module, *function, options)))
    return failure();
  return placeEntries(module, name, options);
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
