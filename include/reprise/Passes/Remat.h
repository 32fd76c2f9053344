//===- Remat.h - Automatic rematerialization --------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_REMAT_H
#define REPRISE_PASSES_REMAT_H

#include "mlir/Pass/Pass.h"
#include "reprise/IR/Remat.h"
#include "reprise/Passes/BudgetPlans.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/RematPasses.h.inc"

/// The forms of a budget.
struct BudgetRequest {
  enum class Kind { Bytes, Percent, Knee } kind = Kind::Knee;
  uint64_t bytes = 0;
  double percent = 0;
};

/// The curve of a flat function of kernels and library ops, for a processor and
/// this machine's library.
mlir::FailureOr<BudgetCurve> computeBudgetCurve(mlir::func::FuncOp step,
                                                const BudgetOptions &options);

/// The bytes that a request amounts to for `plans`.
uint64_t bytesOf(const BudgetRequest &request, BudgetPlans &plans);

/// Reports at the function that `budget` cannot be met.
mlir::InFlightDiagnostic refuseBudget(BudgetPlans &plans, uint64_t budget);

/// The certificate of a choice within a budget.
rt_dialect::CertificateAttr certify(BudgetPlans &plans, uint64_t budget,
                                    const PlanChoice &choice);

/// Rewrites the curve's function: ops in the order of the point's schedule,
/// with its clones. Cannot fail.
void applySchedule(BudgetCurve &curve, uint32_t point);

/// Receives the plans and the choice among them; without a choice, it is called
/// in place of the error that the budget cannot be met.
using BudgetObserver = std::function<void(BudgetPlans &plans, uint64_t budget,
                                          std::optional<PlanChoice> choice)>;

/// Rewrites the chosen schedule's function to hold its ops in order, after
/// remarks, and returns the choice; none, reported to `observer` or as an
/// error, if no schedule fits.
std::optional<PlanChoice> fitBudget(BudgetPlans &plans,
                                    const BudgetRequest &request,
                                    const BudgetObserver &observer);

/// Emits a remark for each value that the backward pass reads or that is
/// recomputed.
void remarkChoices(BudgetCurve &curve, uint32_t point, uint64_t budget);

} // namespace reprise

#endif // REPRISE_PASSES_REMAT_H
