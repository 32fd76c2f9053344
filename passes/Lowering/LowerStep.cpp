//===- LowerStep.cpp - From a model to kernels ----------------------------===//
//
// Input:   a module with variables and one function, the model.
// Output:  the same module with flat functions, or with their kernels.
// Method:  the stages in order.
// Cost:    the passes'.
// Fails:   where a pass fails.
//
//===----------------------------------------------------------------------===//
#include "LowerStep.h"
#include "reprise/Averages.h"

using namespace mlir;
using namespace reprise;

LogicalResult
reprise::runPasses(mlir::ModuleOp module, const CompileOptions &options,
                   llvm::function_ref<void(OpPassManager &)> add) {
  PassManager manager(module.getContext());
  if (options.configure)
    options.configure(manager);
  add(manager);
  return manager.run(module);
}

FailureOr<func::FuncOp> reprise::findModel(mlir::ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (llvm::hasSingleElement(functions))
    return *functions.begin();
  return module.emitError()
         << "holds " << std::distance(functions.begin(), functions.end())
         << " functions; a model is one function";
}

LogicalResult reprise::lowerTraining(mlir::ModuleOp module,
                                     const CompileOptions &options,
                                     CompileLevel level) {
  auto run = [&](llvm::function_ref<void(OpPassManager &)> add) {
    return runPasses(module, options, add);
  };
  if (failed(run([&](auto &passes) { addModelStage(passes, options); })))
    return failure();
  if (level >= CompileLevel::Train)
    (*module.getOps<func::FuncOp>().begin()).setSymName(kTrainStep);
  if (level >= CompileLevel::Train &&
      failed(run([&](auto &passes) { addTrainStage(passes, options); })))
    return failure();
  return level >= CompileLevel::Remat ? run(addRematStage) : success();
}

LogicalResult reprise::flattenTraining(mlir::ModuleOp module,
                                       const CompileOptions &options) {
  return runPasses(module, options, [&](OpPassManager &passes) {
    addFlatStage(passes, options);
  });
}

LogicalResult reprise::formKernels(mlir::ModuleOp module,
                                   const CompileOptions &options,
                                   const KernelChoice &choice) {
  return runPasses(module, options, [&](OpPassManager &passes) {
    addKernelStage(passes, options, choice);
  });
}

LogicalResult reprise::lowerToChoice(mlir::ModuleOp module,
                                     const CompileOptions &options,
                                     const KernelChoice &choice) {
  if (failed(findModel(module)) ||
      failed(lowerTraining(module, options, CompileLevel::Remat)) ||
      failed(flattenTraining(module, options)))
    return failure();
  return formKernels(module, options, choice);
}

FailureOr<OwningOpRef<mlir::ModuleOp>>
reprise::deriveEvaluation(mlir::ModuleOp module,
                          const CompileOptions &options) {
  OwningOpRef<mlir::ModuleOp> evaluation = module.clone();
  FailureOr<func::FuncOp> function = findModel(*evaluation);
  if (failed(function))
    return failure();
  function->setSymName(kEvalStep);
  auto addStages = [&](OpPassManager &passes) {
    addInferenceStage(passes, options);
    addFlatEvaluationStage(passes);
  };
  if (failed(runPasses(*evaluation, options, addStages)))
    return failure();
  return evaluation;
}

void reprise::takeEvaluation(mlir::ModuleOp module, mlir::ModuleOp evaluation) {
  func::FuncOp step = *evaluation.getOps<func::FuncOp>().begin();
  SymbolTable symbols(module);
  step.walk([&](sg::ReadOp read) {
    std::string average = averageName(read.getVariable());
    if (auto found = symbols.lookup<sg::VariableOp>(average);
        found && found.getRole() == sg::Role::OptimizerState)
      read.setVariable(average);
  });
  step->remove();
  module.push_back(step);
}
