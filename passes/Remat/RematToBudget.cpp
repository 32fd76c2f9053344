//===- RematToBudget.cpp - Make a function of any dialect fit a budget ----===//
//
// Input:   a module with a function of straight-line code, of any dialect.
// Output:  the function with its ops in the order of a schedule that fits the
//          budget, clones included.
// Method:  look: the function as a graph, its frontier of schedules, the
//          cheapest one within the budget. Then rewrite, which cannot fail, and
//          count the live bytes of the new body.
// Cost:    the planner's (see lib/Plan).
// Fails:   when no schedule found fits, and on functions that the planner
//          refuses.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/RematToBudget.h"
#include "RemarkChoices.h"
#include "reprise/Passes/Remat.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/Format.h"

namespace reprise {
#define GEN_PASS_DEF_REMATTOBUDGET
#include "reprise/Passes/RematPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

static constexpr llvm::StringLiteral kCategory = "remat-to-budget";

/// Emits a remark with the promise, and one for each choice.
static void remarkPlan(const LiveCurve &curve, uint64_t budget,
                       const plan::Solution &chosen) {
  const FunctionGraph &problem = curve.problem;
  func::FuncOp function = problem.function;
  if (!function.getContext()->getRemarkEngine())
    return;
  plan::LowerBound bound = plan::lowerBound(problem.graph, budget);
  remark::passed(
      function.getLoc(),
      remark::RemarkOpts::name("planned").category(kCategory).function(
          function.getSymName()))
      << remark::metric("live_bytes", chosen.maxLive)
      << remark::metric("budget_bytes", budget)
      << remark::metric("live_bytes_plain", curve.plain().maxLive)
      << remark::metric("argument_bytes", problem.argumentBytes)
      << remark::metric("milliseconds", chosen.milliseconds)
      << remark::metric("milliseconds_plain", curve.plain().milliseconds)
      << remark::metric("milliseconds_bound", bound.milliseconds)
      << remark::metric("recomputed",
                        chosen.executions.size() - problem.ops.size());
  remarkChoices({problem.graph, function, kCategory,
                 [&](plan::OpId id) { return problem.ops[id]->getLoc(); },
                 chosen.executions, [](plan::OpId) { return false; },
                 plan::priceOf(bound)});
}

/// Fails if the written function has more than the promised bytes, counted
/// anew. It may have fewer: a clone need not share a storage that other ops
/// write, as its original does.
static LogicalResult checkWritten(func::FuncOp function, uint64_t promised,
                                  const rt::Roofline &roofline) {
  FailureOr<FunctionGraph> written = buildFunctionGraph(function, roofline);
  if (failed(written))
    return failure();
  if (uint64_t bytes = written->liveBytes(); bytes > promised)
    return function.emitError()
           << "the plan is wrong: " << promised
           << " bytes were promised to be live, " << bytes << " are";
  return success();
}

namespace {
class RematToBudget : public reprise::impl::RematToBudgetBase<RematToBudget> {
public:
  using RematToBudgetBase::RematToBudgetBase;

  void runOnOperation() override {
    func::FuncOp step = succeeded(checkOptions()) ? findStep() : nullptr;
    if (!step || failed(rewrite(step)))
      signalPassFailure();
  }

private:
  LogicalResult rewrite(func::FuncOp step) {
    rt::Roofline roofline{gflops, gbytesPerSecond};
    FailureOr<FunctionGraph> problem = buildFunctionGraph(step, roofline);
    if (failed(problem))
      return failure();
    plan::SolverOptions options;
    options.work = work;
    options.threads = threads;
    LiveCurve curve(std::move(*problem), options);
    uint64_t budget = bytesAskedFor(curve);
    std::optional<plan::Solution> chosen = curve.choose(budget);
    std::string error = curve.checkProofs(budget, chosen);
    if (!error.empty())
      return emitContradiction(step, error);
    if (!chosen)
      return refuseBudget(curve, budget);
    error = plan::checkExecutions(curve.problem.graph, chosen->executions);
    if (!error.empty())
      return emitError(step.getLoc()) << "the plan is wrong: " << error;
    remarkPlan(curve, budget, *chosen);
    writeExecutions(curve.problem, chosen->executions);
    return checkWritten(step, chosen->maxLive, roofline);
  }

  uint64_t bytesAskedFor(const LiveCurve &curve) const {
    if (knee)
      return curve.kneeBytes();
    return budgetBytes ? uint64_t(budgetBytes)
                       : uint64_t(budgetPercent / 100 * curve.plain().maxLive);
  }

  /// An error of an option, which has no place in the file.
  InFlightDiagnostic emitOptionError() {
    return emitError(
        NameLoc::get(StringAttr::get(&getContext(), getArgument())));
  }

  /// Returns the given budget options, such as "budget-bytes=4096 and knee".
  std::string givenBudgets() const {
    std::string text;
    auto add = [&](const Twine &option) {
      text += ((text.empty() ? "" : " and ") + option).str();
    };
    if (budgetBytes != 0)
      add("budget-bytes=" + Twine(uint64_t(budgetBytes)));
    if (budgetPercent != 0)
      add("budget-percent=" + numberText(budgetPercent));
    if (knee)
      add("knee");
    return text;
  }

  static std::string numberText(double number) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%g", number);
    return text;
  }

  LogicalResult checkOptions() {
    if ((budgetBytes != 0) + (budgetPercent != 0) + knee != 1) {
      std::string given = givenBudgets();
      return emitOptionError()
             << "give one of budget-bytes, budget-percent and knee; "
             << (given.empty() ? "none above 0" : given)
             << (given.find(" and ") == given.npos ? " is given"
                                                   : " are given");
    }
    if (budgetPercent != 0 && !(budgetPercent > 0 && budgetPercent <= 1000))
      return emitOptionError()
             << "budget-percent is " << numberText(budgetPercent)
             << "; it must be above 0 and at most 1000";
    if (!(work > 0 && work <= 1024))
      return emitOptionError() << "work is " << numberText(work)
                               << "; it must be above 0 and at most 1024";
    for (auto [name, rate] :
         {std::pair("gflops", gflops.getValue()),
          std::pair("gbytes-per-second", gbytesPerSecond.getValue())})
      if (!(rate > 0 && rate <= 1e9))
        return emitOptionError() << name << " is " << numberText(rate)
                                 << "; it must be above 0 and at most 1e9";
    return success();
  }

  func::FuncOp findStep() {
    for (auto candidate : getOperation().getOps<func::FuncOp>())
      if (!candidate.isExternal() &&
          (function.empty() || candidate.getSymName() == function))
        return candidate;
    if (function.empty())
      getOperation().emitError()
          << "has no function with a body to rematerialize";
    else
      emitOptionError() << "function is '" << function
                        << "'; the module has no function of that name with "
                           "a body";
    return nullptr;
  }
};
} // namespace
