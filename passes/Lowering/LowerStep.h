//===- LowerStep.h - From a model to kernels --------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_LOWERSTEP_H
#define REPRISE_PASSES_LOWERSTEP_H

#include "Stages.h"

namespace reprise {

/// Names of the entries.
inline constexpr llvm::StringLiteral kTrainStep = "train_step";
inline constexpr llvm::StringLiteral kEvalStep = "eval_step";

/// Runs the passes that `add` adds.
mlir::LogicalResult
runPasses(mlir::ModuleOp module, const CompileOptions &options,
          llvm::function_ref<void(mlir::OpPassManager &)> add);

/// Finds the model's function.
mlir::FailureOr<mlir::func::FuncOp> findModel(mlir::ModuleOp module);

/// Rewrites the model's function up to `level`, at most remat.
mlir::LogicalResult lowerTraining(mlir::ModuleOp module,
                                  const CompileOptions &options,
                                  CompileLevel level);

/// Flattens the training step of a module at level remat.
mlir::LogicalResult flattenTraining(mlir::ModuleOp module,
                                    const CompileOptions &options);

/// Rewrites flat functions to the kernels of a choice.
mlir::LogicalResult formKernels(mlir::ModuleOp module,
                                const CompileOptions &options,
                                const KernelChoice &choice = {});

/// Lowers a model to the flat step of kernels of a choice.
mlir::LogicalResult lowerToChoice(mlir::ModuleOp module,
                                  const CompileOptions &options,
                                  const KernelChoice &choice);

/// Returns a module with the flat evaluation of the model in `module`.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
deriveEvaluation(mlir::ModuleOp module, const CompileOptions &options);

/// Adds the entry of a module that deriveEvaluation returned. It reads the
/// averages of the variables that `module` averages.
void takeEvaluation(mlir::ModuleOp module, mlir::ModuleOp evaluation);

} // namespace reprise

#endif // REPRISE_PASSES_LOWERSTEP_H
