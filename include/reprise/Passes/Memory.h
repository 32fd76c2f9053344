//===- Memory.h - From flat functions to a program --------------*- C++ -*-===//
#ifndef REPRISE_PASSES_MEMORY_H
#define REPRISE_PASSES_MEMORY_H

#include "mlir/Pass/Pass.h"
#include "reprise/Bridge/BuildProgram.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/MemoryPasses.h.inc"

/// Plans and places the module's functions, in their order, into a program at
/// the end of the module. Leaves functions and variables where they are.
mlir::FailureOr<rt_dialect::ProgramOp>
lowerToProgram(mlir::ModuleOp module, const ProgramOptions &options,
               TargetQueries &target);

/// Answers for processors with the features of `target`, as resolveTarget gives
/// them, and for this machine's library, on `threads` threads; each distinct
/// call is asked once. The first one holds the library of this process to the
/// target; see rt::limitLibrary.
std::unique_ptr<TargetQueries> createCpuTarget(unsigned threads,
                                               llvm::StringRef target);

} // namespace reprise

#endif // REPRISE_PASSES_MEMORY_H
