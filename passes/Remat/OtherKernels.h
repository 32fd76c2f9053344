//===- OtherKernels.h - Kernels that a budget chooses among -----*- C++ -*-===//
#ifndef REPRISE_PASSES_OTHERKERNELS_H
#define REPRISE_PASSES_OTHERKERNELS_H

#include "reprise/Passes/Pipelines.h"

namespace reprise {

/// The steps that one model makes of its choices of kernels.
class OtherKernels {
public:
  /// `step` was lowered from `model`, which is copied; `others` are the other
  /// entries, whose constants take bytes in addition to every choice's step.
  OtherKernels(mlir::func::FuncOp step, mlir::ModuleOp model,
               const CompileOptions &options,
               const std::vector<OtherEntry> &others);

  /// Returns the choices that the user's settings leave.
  std::vector<KernelChoice> choices() const;

  /// Returns a module with the flat step of a choice, kernels formed, or
  /// failure if its mode does not apply to the model.
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  form(const KernelChoice &choice);

private:
  mlir::func::FuncOp step;
  mlir::OwningOpRef<mlir::ModuleOp> model;
  CompileOptions options;
  llvm::SmallVector<mlir::func::FuncOp> beside;
  bool addsNothing = false; // no product adds up gradients
};

/// Returns the plans of `step`, which was lowered from `model`, and of the
/// steps that other kernel choices make of `model`; see planBudgets. With
/// `only`, the plans are for that budget alone: if the unchanged step fits it,
/// only faster kernels are searched for. Fails with a message if costs are not
/// available.
mlir::FailureOr<BudgetPlans>
plansOf(mlir::func::FuncOp step, mlir::ModuleOp model,
        const CompileOptions &options, uint64_t withinBytes = 0,
        const std::optional<plan::Budget> &only = std::nullopt);

} // namespace reprise

#endif // REPRISE_PASSES_OTHERKERNELS_H
