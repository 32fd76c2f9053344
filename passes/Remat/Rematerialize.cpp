//===- Rematerialize.cpp - Make a step fit a budget -----------------------===//
//
// Input:   a module of variables and flat functions of kernels and library ops.
// Output:  the step's function with its ops in the order of a schedule that
//          fits, clones included.
// Method:  look: the step as a planning problem, its frontier of schedules, the
//          cheapest one within the budget. Then rewrite, which cannot fail.
// Cost:    the planner's (see lib/Plan).
// Fails:   when no schedule found fits, and on steps that the planner refuses.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"
#include "reprise/Target/Target.h"

namespace reprise {
#define GEN_PASS_DEF_SGREMATERIALIZE
#include "reprise/Passes/RematPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

FailureOr<BudgetCurve>
reprise::computeBudgetCurve(func::FuncOp step, const BudgetOptions &options) {
  FailureOr<std::unique_ptr<Target>> target =
      createTargetFor(step, options.target, options.threads);
  if (failed(target))
    return failure();
  FailureOr<FixedStorage> fixed =
      layOutFixed(step->getParentOfType<mlir::ModuleOp>(), **target);
  if (failed(fixed))
    return failure();
  FailureOr<PlanProblem> problem = buildPlanProblem(step, *fixed, **target);
  if (failed(problem) ||
      failed(priceOps(*problem, options.costs, **target, options.threads)))
    return failure();
  return BudgetCurve::compute(std::move(*problem), fixed->bytes, options);
}

uint64_t reprise::bytesOf(const BudgetRequest &request, BudgetPlans &plans) {
  switch (request.kind) {
  case BudgetRequest::Kind::Bytes:
    return request.bytes;
  case BudgetRequest::Kind::Percent:
    return request.percent / 100 * plans.plain().bytes();
  case BudgetRequest::Kind::Knee:
    return plans.knee().bytes();
  }
  llvm_unreachable("unknown kind of budget");
}

std::optional<PlanChoice> reprise::fitBudget(BudgetPlans &plans,
                                             const BudgetRequest &request,
                                             const BudgetObserver &observer) {
  uint64_t budget = bytesOf(request, plans);
  std::optional<PlanChoice> choice = plans.chooseClosely(budget);
  std::string error = plans.checkProofs(budget, choice);
  if (!error.empty()) {
    emitContradiction(plans.own().problem.function, error);
    return std::nullopt;
  }
  if (observer)
    observer(plans, budget, choice);
  else if (!choice)
    refuseBudget(plans, budget);
  if (!choice)
    return choice;
  PlanProblem &problem = choice->curve().problem;
  error =
      plan::validatePlan(problem.graph, choice->curve().planOf(choice->point));
  if (!error.empty()) {
    emitError(problem.function.getLoc()) << "the plan is wrong: " << error;
    return std::nullopt;
  }
  remarkChoices(choice->curve(), choice->point, budget);
  problem.function->setAttr(rt_dialect::RtDialect::kCertificateAttr,
                            certify(plans, budget, *choice));
  applySchedule(choice->curve(), choice->point);
  return choice;
}

namespace {
class Rematerialize : public reprise::impl::SgRematerializeBase<Rematerialize> {
public:
  using SgRematerializeBase::SgRematerializeBase;

  void runOnOperation() override {
    std::optional<BudgetRequest> request = readRequest();
    func::FuncOp step = request ? findStep() : nullptr;
    if (!step)
      return signalPassFailure();
    FailureOr<CostModel> costs = loadCosts(
        getOperation(), {gflops, gbytesPerSecond, narrowGflops}, profile);
    if (failed(costs))
      return signalPassFailure();
    BudgetOptions options;
    options.costs = std::move(*costs);
    options.work = work;
    options.threads = threads;
    options.target = target;
    options.keep.assign(keep.begin(), keep.end());
    FailureOr<BudgetCurve> curve = computeBudgetCurve(step, options);
    if (failed(curve))
      return signalPassFailure();
    FailureOr<std::vector<OtherEntry>> others = planOtherEntries(step, options);
    if (failed(others))
      return signalPassFailure();
    BudgetPlans plans(std::move(*curve), std::move(*others));
    if (!fitBudget(plans, *request, {}))
      signalPassFailure();
  }

private:
  std::optional<BudgetRequest> readRequest() {
    if ((budgetBytes != 0) + (budgetPercent != 0) + knee != 1) {
      getOperation().emitError()
          << "sg-rematerialize needs one of budget-bytes, budget-percent and "
             "knee";
      return std::nullopt;
    }
    BudgetRequest request;
    if (budgetBytes)
      request = {BudgetRequest::Kind::Bytes, budgetBytes, 0};
    if (budgetPercent != 0) {
      request = {BudgetRequest::Kind::Percent, 0, budgetPercent};
      if (!(budgetPercent > 0 && budgetPercent <= 1000)) {
        getOperation().emitError() << "budget-percent is " << budgetPercent
                                   << "; it must be above 0 and at most 1000";
        return std::nullopt;
      }
    }
    return request;
  }

  func::FuncOp findStep() {
    for (auto candidate : getOperation().getOps<func::FuncOp>())
      if (function.empty() || candidate.getSymName() == function)
        return candidate;
    getOperation().emitError()
        << "has no function" << (function.empty() ? "" : " '" + function + "'")
        << " to rematerialize";
    return nullptr;
  }
};
} // namespace
