//===- KernelFormation.h - From flat functions to kernels -------*- C++ -*-===//
#ifndef REPRISE_PASSES_KERNELFORMATION_H
#define REPRISE_PASSES_KERNELFORMATION_H

#include "mlir/Pass/PassManager.h"

namespace reprise {

/// Adds the verifiers that close a level, on every function.
void addLevelVerifiers(mlir::OpPassManager &passes, llvm::StringRef level);

struct KernelFormation {
  /// Patterns that name values not to recompute.
  llvm::ArrayRef<std::string> keep = {};
  /// The target whose library's limits count; "": none.
  llvm::StringRef target = "";
  /// True if the model is in mixed precision, whose type the library may lack.
  bool isMixed = false;
  /// True if ops share kernels, also with library calls; otherwise nothing is
  /// recomputed to join its readers either.
  bool fuse = true;
  /// See sg-recompute-cheap; 0: as many as take no time on the target.
  double mostReads = 0;
  bool addGradients = false; // see sg-decompose
};

/// Adds the passes from flat functions to kernels and library ops.
void addKernelFormation(mlir::OpPassManager &passes,
                        const KernelFormation &how = {});

} // namespace reprise

#endif // REPRISE_PASSES_KERNELFORMATION_H
