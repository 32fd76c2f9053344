//===- StableHlo.h - Steps of StableHLO for remat-to-budget -----*- C++ -*-===//
#ifndef REPRISE_PASSES_STABLEHLO_H
#define REPRISE_PASSES_STABLEHLO_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "reprise/StableHlo/StableHlo.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/StableHloPasses.h.inc"

namespace stablehlo {

/// The function of a module that holds its step: `name`, or, if that is empty,
/// "main", else the first one with a body that is not private, else the first
/// one with a body. Null, with an error at the module, if there is none.
mlir::func::FuncOp findStep(mlir::ModuleOp module, llvm::StringRef name);

/// Emits an error for each construct of a step that cannot be planned, before
/// anything is changed; fails if there is one.
mlir::LogicalResult checkSupported(mlir::ModuleOp module,
                                   mlir::func::FuncOp step);

/// The name and the number of ops that are planned to run once since nothing is
/// known of them, by name.
std::vector<std::pair<std::string, uint64_t>>
listUnknownOps(mlir::func::FuncOp step);

} // namespace stablehlo
} // namespace reprise

#endif // REPRISE_PASSES_STABLEHLO_H
