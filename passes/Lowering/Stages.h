//===- Stages.h - The passes of each level ----------------------*- C++ -*-===//
//
// One order of passes for everybody: the driver (Pipelines.cpp) runs these
// stages one after another, and tools that take pipelines by name
// (RegisterPipelines.cpp) string them together. Each stage ends with the
// verifiers of its level.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_STAGES_H
#define REPRISE_PASSES_STAGES_H

#include "reprise/Passes/Pipelines.h"

namespace reprise {

/// Adds the verifiers that close a level, on every function.
void addLevelVerifiers(mlir::OpPassManager &passes, llvm::StringRef level);

/// A model, annotated for checkpointing.
void addModelStage(mlir::OpPassManager &passes, const CompileOptions &options);
/// A model without its training: what evaluation flattens.
void addInferenceStage(mlir::OpPassManager &passes,
                       const CompileOptions &options);
/// An annotated model as a training step. One of several micro-batches ends
/// with its gradients: addFlatStage sums them and adds the ops after them.
void addTrainStage(mlir::OpPassManager &passes, const CompileOptions &options);
void addRematStage(mlir::OpPassManager &passes);
/// Functions without blocks: an evaluation, or a training step of all
/// micro-batches.
void addFlatEvaluationStage(mlir::OpPassManager &passes);
void addFlatStage(mlir::OpPassManager &passes, const CompileOptions &options);
/// Flat functions of kernels and library calls.
void addKernelStage(mlir::OpPassManager &passes, const CompileOptions &options,
                    const KernelChoice &choice = {});
/// A placed program named `options.model`, which records the mode
/// `checkpointing`; "": unknown.
void addProgramStage(mlir::OpPassManager &passes, const CompileOptions &options,
                     const std::string &checkpointing);

} // namespace reprise

#endif // REPRISE_PASSES_STAGES_H
