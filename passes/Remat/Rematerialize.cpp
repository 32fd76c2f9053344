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
#include "RemarkChoices.h"
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

uint64_t reprise::bytesOf(const plan::Budget &budget, BudgetPlans &plans) {
  switch (budget.kind) {
  case plan::Budget::Kind::Bytes:
    return budget.bytes;
  case plan::Budget::Kind::Percent:
    return budget.percent / 100 * plans.plain().bytes();
  case plan::Budget::Kind::Knee:
    return plans.knee().bytes();
  }
  llvm_unreachable("unknown kind of budget");
}

/// Returns the plan of a choice with calls beside other ops, within the budget.
static std::optional<plan::Plan> planBeside(const PlanChoice &choice,
                                            uint64_t budget) {
  BudgetCurve &curve = choice.curve();
  const plan::Graph &graph = curve.problem.graph;
  // The last unit that is placed need not be touched to its end.
  uint64_t bytes = budget - curve.fixedBytes,
           below = bytes - bytes % plan::kAlignment;
  for (uint64_t capacity : {curve.placedBytes(budget), below}) {
    std::optional<plan::Plan> found =
        plan::overlapCalls(graph, curve.planOf(choice.point), capacity);
    if (!found || plan::touchedHeight(graph, *found) <= bytes)
      return found;
  }
  return std::nullopt;
}

FailureOr<BudgetAnswer> reprise::answerBudget(BudgetPlans &plans,
                                              const plan::Budget &budget,
                                              const plan::HostBudget &host) {
  BudgetAnswer answer;
  answer.bytes = bytesOf(budget, plans);
  answer.choice = plans.chooseClosely(answer.bytes);
  std::string error = plans.checkProofs(answer.bytes, answer.choice);
  if (!error.empty())
    return emitContradiction(plans.own().problem.function, error);
  if (host.bytes > 0)
    answer.host = chooseWithHost(plans, answer.bytes, host);
  bool isSlower = answer.host && answer.choice &&
                  answer.choice->milliseconds() <= answer.host->milliseconds();
  if (isSlower)
    answer.host.reset();
  if (answer.choice && !answer.host)
    answer.beside = planBeside(*answer.choice, answer.bytes);
  return answer;
}

LogicalResult reprise::applyAnswer(BudgetPlans &plans,
                                   const BudgetAnswer &answer) {
  BudgetCurve &curve = answer.curve();
  PlanProblem &problem = curve.problem;
  std::string error =
      answer.host
          ? plan::validatePlan(answer.host->unrolled.graph, answer.host->plan)
          : plan::validatePlan(problem.graph, answer.plan());
  if (answer.host && error.empty())
    error = plan::checkHostSteps(problem.graph, answer.host->host.steps);
  if (!error.empty())
    return emitError(problem.function.getLoc())
           << "the plan is wrong: " << error;
  if (answer.host)
    remarkChoices(*answer.host, answer.bytes);
  else
    remarkChoices(curve, answer.choice->point, answer.bytes);
  problem.function->setAttr(rt_dialect::RtDialect::kCertificateAttr,
                            certify(plans, answer));
  if (answer.host)
    applySchedule(*answer.host);
  else
    applySchedule(curve, answer.plan());
  return success();
}

namespace {
class Rematerialize : public reprise::impl::SgRematerializeBase<Rematerialize> {
public:
  using SgRematerializeBase::SgRematerializeBase;

  void runOnOperation() override {
    std::optional<plan::Budget> budget = readBudget();
    func::FuncOp step = budget ? findStep() : nullptr;
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
    options.target = TargetName::parse(target);
    options.keep.assign(keep.begin(), keep.end());
    FailureOr<BudgetCurve> curve = computeBudgetCurve(step, options);
    if (failed(curve))
      return signalPassFailure();
    FailureOr<std::vector<OtherEntry>> others = planOtherEntries(step, options);
    if (failed(others))
      return signalPassFailure();
    BudgetPlans plans(std::move(*curve), std::move(*others));
    FailureOr<BudgetAnswer> answer = answerBudget(
        plans, *budget,
        {hostBytes, {hostGbytesPerSecond * 1e6, hostMicroseconds * 1e-3}});
    if (failed(answer))
      return signalPassFailure();
    if (!answer->isMet()) {
      refuseBudget(plans, answer->bytes);
      return signalPassFailure();
    }
    if (failed(applyAnswer(plans, *answer)))
      signalPassFailure();
  }

private:
  std::optional<plan::Budget> readBudget() {
    if ((budgetBytes != 0) + (budgetPercent != 0) + knee != 1) {
      getOperation().emitError()
          << "sg-rematerialize needs one of budget-bytes, budget-percent and "
             "knee";
      return std::nullopt;
    }
    if (hostBytes && !(hostGbytesPerSecond > 0 && hostMicroseconds >= 0)) {
      getOperation().emitError()
          << "host-bytes needs host-gbytes-per-second, above 0";
      return std::nullopt;
    }
    plan::Budget budget;
    if (budgetBytes)
      budget = plan::Budget::ofBytes(budgetBytes);
    if (budgetPercent != 0) {
      budget = plan::Budget::ofPercent(budgetPercent);
      if (!(budgetPercent > 0 && budgetPercent <= 1000)) {
        getOperation().emitError() << "budget-percent is " << budgetPercent
                                   << "; it must be above 0 and at most 1000";
        return std::nullopt;
      }
    }
    return budget;
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
