//===- BudgetKernels.h - Which kernels a budget may choose ------*- C++ -*-===//
#ifndef REPRISE_PASSES_BUDGETKERNELS_H
#define REPRISE_PASSES_BUDGETKERNELS_H

#include "reprise/Passes/Pipelines.h"

namespace reprise {

/// Makes of a model the flat step of kernels of a choice.
using LowerToChoice = mlir::LogicalResult (*)(mlir::ModuleOp,
                                              const CompileOptions &,
                                              const KernelChoice &);

/// The plans of `step`, which was made of `model`, and of what other choices of
/// kernels make of that; see planBudgets. With `only`, the plans are for that
/// budget alone: one in which the step fits as it is is not searched for, but
/// for kernels that are faster. Fails with a message where costs cannot be had.
mlir::FailureOr<BudgetPlans>
plansOf(mlir::func::FuncOp step, mlir::ModuleOp model,
        const CompileOptions &options, LowerToChoice lower,
        uint64_t withinBytes = 0,
        const std::optional<BudgetRequest> &only = std::nullopt);

} // namespace reprise

#endif // REPRISE_PASSES_BUDGETKERNELS_H
