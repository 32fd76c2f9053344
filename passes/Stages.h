//===- Stages.h - Runs of passes that pipelines share -----------*- C++ -*-===//
#ifndef REPRISE_PASSES_STAGES_H
#define REPRISE_PASSES_STAGES_H

#include "mlir/Pass/PassManager.h"

namespace reprise {

/// The verifiers that close a level, on every function.
void addLevelVerifiers(mlir::OpPassManager &passes, llvm::StringRef level);

struct KernelFormation {
  /// What these patterns name is not computed again.
  llvm::ArrayRef<std::string> keep = {};
  /// What the library of a target lacks is asked of it; "": of none.
  llvm::StringRef target = "";
  /// Whether the model is in mixed precision, whose type it may lack.
  bool isMixed = false;
  /// Whether ops share kernels, and with library calls; else nothing is
  /// computed again to join its readers either.
  bool fuse = true;
  /// See sg-recompute-cheap; 0: as the target takes no time for.
  double mostReads = 0;
  /// See sg-form-kernels.
  llvm::StringRef joinProducts = "all";
  bool addGradients = false; // see sg-decompose
};

/// From flat functions to kernels and library ops.
void addKernelFormation(mlir::OpPassManager &passes,
                        const KernelFormation &how = {});

} // namespace reprise

#endif // REPRISE_PASSES_STAGES_H
