//===- BudgetKernels.h - Kernels that a budget chooses among ----*- C++ -*-===//
#ifndef REPRISE_PASSES_BUDGETKERNELS_H
#define REPRISE_PASSES_BUDGETKERNELS_H

#include "reprise/Passes/Pipelines.h"

namespace reprise {

/// Lowers a model to the flat step of kernels of a choice.
using LowerToChoice = mlir::LogicalResult (*)(mlir::ModuleOp,
                                              const CompileOptions &,
                                              const KernelChoice &);

/// Returns the plans of `step`, which was lowered from `model`, and of the
/// steps that other kernel choices make of `model`; see planBudgets. With
/// `only`, the plans are for that budget alone: if the unchanged step fits it,
/// only faster kernels are searched for. Fails with a message if costs are not
/// available.
mlir::FailureOr<BudgetPlans>
plansOf(mlir::func::FuncOp step, mlir::ModuleOp model,
        const CompileOptions &options, LowerToChoice lower,
        uint64_t withinBytes = 0,
        const std::optional<BudgetRequest> &only = std::nullopt);

} // namespace reprise

#endif // REPRISE_PASSES_BUDGETKERNELS_H
