//===- Stages.h - Runs of passes that pipelines share -----------*- C++ -*-===//
#ifndef REPRISE_PASSES_STAGES_H
#define REPRISE_PASSES_STAGES_H

#include "mlir/Pass/PassManager.h"

namespace reprise {

/// The verifiers that close a level, on every function.
void addLevelVerifiers(mlir::OpPassManager &passes, llvm::StringRef level);

/// From flat functions to kernels and library ops. What patterns of `keep` name
/// is not computed again.
void addKernelFormation(mlir::OpPassManager &passes,
                        llvm::ArrayRef<std::string> keep = {});

} // namespace reprise

#endif // REPRISE_PASSES_STAGES_H
