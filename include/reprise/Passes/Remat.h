//===- Remat.h - Automatic rematerialization --------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_REMAT_H
#define REPRISE_PASSES_REMAT_H

#include "mlir/Pass/Pass.h"
#include "reprise/IR/Remat.h"
#include "reprise/Passes/BudgetPlans.h"
#include "reprise/Plan/HostMemory.h"

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

/// A schedule of one set of kernels that copies values to host memory.
struct HostChoice {
  KernelSet *kernels = nullptr;
  plan::HostPlan host;
  /// Its steps as ops, which cost what the step waits for the copies, and their
  /// places.
  plan::UnrolledGraph unrolled;
  plan::Plan plan;
  uint64_t bytes = 0; // of the step, with variables and constants
  double bound = 0;   // milliseconds that no schedule of all kernels beats
  /// The time of a step, a sum of whole picoseconds.
  double milliseconds() const { return plan.milliseconds; }
};

/// The schedule within both budgets that takes the least time; nothing if none
/// was found.
std::optional<HostChoice> chooseWithHost(BudgetPlans &plans, uint64_t budget,
                                         const plan::HostBudget &host);

/// The schedule for the smallest budget of the device for which one is found,
/// to a hundredth.
std::optional<HostChoice> leastWithHost(BudgetPlans &plans,
                                        const plan::HostBudget &host);

/// The bytes of the device below which no schedule of these sets' kernels
/// exists, even with copies to a host of any size.
BudgetPlans::Proof provenWithHost(BudgetPlans &plans);

/// The bytes of a budget, and the cheapest choice within it, if there is one.
struct BudgetAnswer {
  uint64_t bytes = 0;
  std::optional<PlanChoice> choice;
  /// Set if host memory may be used and saves time: used in place of `choice`.
  std::optional<HostChoice> host = std::nullopt;
  /// The plan of `choice` with calls between ranks beside other ops, if it has
  /// such calls and a plan within the budget was found.
  std::optional<plan::Plan> beside = std::nullopt;

  bool isMet() const { return choice || host; }
  /// The plan of an answer that is met without host memory.
  const plan::Plan &plan() const {
    return beside ? *beside : choice->curve().planOf(choice->point);
  }
  /// The curve of the chosen schedule of an answer that is met.
  BudgetCurve &curve() const {
    return host ? host->kernels->curve : choice->curve();
  }
};

/// The certificate of an answer that is met.
rt_dialect::CertificateAttr certify(BudgetPlans &plans,
                                    const BudgetAnswer &answer);

/// Rewrites the curve's function: ops in the order of the plan, with its
/// clones. Cannot fail.
void applySchedule(const BudgetCurve &curve, const plan::Plan &plan);
/// Rewrites the function of the choice's kernels to its schedule, with copies
/// to host memory. Cannot fail.
void applySchedule(const HostChoice &choice);

/// Chooses among `plans`. Fails with an error if they contradict their proofs.
mlir::FailureOr<BudgetAnswer> answerBudget(BudgetPlans &plans,
                                           const plan::Budget &budget,
                                           const plan::HostBudget &host = {});

/// Rewrites the chosen schedule's function to hold its ops in order, with the
/// certificate of the answer, after remarks. Fails with an error if the plan is
/// not valid.
mlir::LogicalResult applyAnswer(BudgetPlans &plans, const BudgetAnswer &answer);

/// Emits a remark for each value that the backward pass reads or that is
/// recomputed.
void remarkChoices(BudgetCurve &curve, uint32_t point, uint64_t budget);

} // namespace reprise

#endif // REPRISE_PASSES_REMAT_H
