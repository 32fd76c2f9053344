//===- Memory.h - From flat functions to a program --------------*- C++ -*-===//
#ifndef REPRISE_PASSES_MEMORY_H
#define REPRISE_PASSES_MEMORY_H

#include "mlir/Pass/Pass.h"
#include "reprise/Bridge/BuildProgram.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/MemoryPasses.h.inc"

/// Plans and places the module's functions, in their order, into a program for
/// `target` at the end of the module; options.target is set from it. Steps say
/// what they take by `costs`, unless their ops do. Leaves functions and
/// variables where they are.
mlir::FailureOr<rt_dialect::ProgramOp>
lowerToProgram(mlir::ModuleOp module, const ProgramOptions &options,
               Target &target, const CostModel &costs);

} // namespace reprise

#endif // REPRISE_PASSES_MEMORY_H
