//===- Remat.h - Automatic rematerialization --------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_REMAT_H
#define REPRISE_PASSES_REMAT_H

#include "mlir/Pass/Pass.h"
#include "reprise/IR/Remat.h"
#include "reprise/Passes/BudgetPlans.h"
#include "reprise/Plan/Budget.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/RematPasses.h.inc"

/// The curve of a flat function of kernels and library ops, for a processor and
/// this machine's library.
mlir::FailureOr<BudgetCurve> computeBudgetCurve(mlir::func::FuncOp step,
                                                const BudgetOptions &options);

/// The bytes that a request amounts to for `plans`.
uint64_t bytesOf(const plan::Budget &request, BudgetPlans &plans);

/// Reports at the function that `budget` cannot be met.
mlir::InFlightDiagnostic refuseBudget(BudgetPlans &plans, uint64_t budget);

/// The certificate of a choice within a budget.
rt_dialect::CertificateAttr certify(BudgetPlans &plans, uint64_t budget,
                                    const PlanChoice &choice);

/// Rewrites the curve's function: ops in the order of the point's schedule,
/// with its clones. Cannot fail.
void applySchedule(BudgetCurve &curve, uint32_t point);

/// The bytes of a budget, and the cheapest choice within it, if there is one.
struct BudgetAnswer {
  uint64_t bytes = 0;
  std::optional<PlanChoice> choice;
};

/// Chooses among `plans`. Fails with an error if they contradict their proofs.
mlir::FailureOr<BudgetAnswer> answerBudget(BudgetPlans &plans,
                                           const plan::Budget &budget);

/// Rewrites the chosen schedule's function to hold its ops in order, with the
/// certificate of the answer, after remarks. Fails with an error if the plan is
/// not valid.
mlir::LogicalResult applyAnswer(BudgetPlans &plans, const BudgetAnswer &answer);

/// Emits a remark for each value that the backward pass reads or that is
/// recomputed.
void remarkChoices(BudgetCurve &curve, uint32_t point, uint64_t budget);

} // namespace reprise

#endif // REPRISE_PASSES_REMAT_H
