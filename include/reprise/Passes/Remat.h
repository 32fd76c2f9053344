//===- Remat.h - Automatic rematerialization --------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_REMAT_H
#define REPRISE_PASSES_REMAT_H

#include "mlir/Pass/Pass.h"
#include "reprise/Bridge/BudgetCurve.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/RematPasses.h.inc"

/// What a budget is given as.
struct BudgetRequest {
  enum class Kind { Bytes, Percent, Knee } kind = Kind::Knee;
  uint64_t bytes = 0;
  double percent = 0;
};

/// The curve of a flat function of kernels and library ops, for a processor and
/// this machine's library.
mlir::FailureOr<BudgetCurve> computeBudgetCurve(mlir::func::FuncOp step,
                                                const BudgetOptions &options);

/// Bytes that a request means for a curve.
uint64_t bytesOf(const BudgetRequest &request, BudgetCurve &curve);

/// Reports at the function that `budget` cannot be met.
mlir::InFlightDiagnostic refuseBudget(BudgetCurve &curve, uint64_t budget);

/// Rewrites the curve's function: ops in the order of the point's schedule,
/// with its clones. Cannot fail.
void applySchedule(BudgetCurve &curve, uint32_t point);

/// Sees a curve and what was chosen on it; without a point, in place of the
/// error that the budget cannot be met.
using BudgetObserver = std::function<void(BudgetCurve &curve, uint64_t budget,
                                          std::optional<uint32_t> point)>;

std::unique_ptr<mlir::Pass>
createSgRematerialize(SgRematerializeOptions options, BudgetObserver observer);

/// Emits a remark for each value that the backward pass reads or that is
/// computed again.
void remarkChoices(BudgetCurve &curve, uint32_t point, uint64_t budget);

} // namespace reprise

#endif // REPRISE_PASSES_REMAT_H
