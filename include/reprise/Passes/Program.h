//===- Program.h - From flat functions to a program -------------*- C++ -*-===//
#ifndef REPRISE_PASSES_PROGRAM_H
#define REPRISE_PASSES_PROGRAM_H

#include "mlir/Pass/Pass.h"
#include "reprise/Bridge/BuildProgram.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/ProgramPasses.h.inc"

/// Plans and places the module's functions, in their order, into a program for
/// `target` at the end of the module; sets options.target from it. Steps are
/// priced by `costs`, unless their ops have costs. Leaves functions and
/// variables in place.
mlir::FailureOr<rt_dialect::ProgramOp>
lowerToProgram(mlir::ModuleOp module, const ProgramOptions &options,
               Target &target, const CostModel &costs);

} // namespace reprise

#endif // REPRISE_PASSES_PROGRAM_H
