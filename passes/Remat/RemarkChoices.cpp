//===- RemarkChoices.cpp - Remarks on kept and recomputed values ----------===//
//
// Input:   a graph and the executions chosen.
// Output:  a remark for each placed value of the forward pass that the backward
//          pass reads, and for each one that is recomputed or copied to host
//          memory.
// Cost:    linear in the executions; none unless remarks are enabled.
//
//===----------------------------------------------------------------------===//
#include "RemarkChoices.h"
#include "reprise/Passes/Remat.h"
#include "reprise/Plan/Choice.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace reprise;
using plan::OpId;
using plan::ValueId;

/// Returns a remark's text for a reason other than Input, Result, Workspace or
/// Passing.
static StringRef textOf(Reason reason) {
  switch (reason) {
  case Reason::RunsOnce:
    return "its op runs once";
  case Reason::Asked:
    return "the user asked for it";
  case Reason::Free:
    return "nothing asks for less memory";
  case Reason::Dear:
    return "its time is worth more than its bytes";
  case Reason::Again:
    return "its bytes are worth more than its time";
  default:
    return "what it would be computed from is not kept";
  }
}

void reprise::remarkChoices(const Choices &choices) {
  const plan::Graph &graph = choices.graph;
  func::FuncOp function = choices.function;
  std::vector<uint32_t> executions(graph.ops.size(), 0);
  for (OpId id : choices.executions)
    ++executions[id];
  std::vector<bool> isReadLater = plan::findReadLater(graph);
  for (ValueId id = 0; id < isReadLater.size(); ++id) {
    const plan::Value &value = graph.values[id];
    if (value.producer == plan::kNone || value.bytes == 0 ||
        value.storage != plan::StorageClass::Temporary)
      continue;
    const plan::Op &op = graph.ops[value.producer];
    uint32_t again = executions[value.producer] - 1;
    bool isOffloaded = !choices.isOffloaded.empty() && choices.isOffloaded[id];
    bool isKept = !again && !isOffloaded;
    if (isKept && (!isReadLater[id] || op.backward))
      continue;
    plan::Bargain bargain = {
        op.runsOnce && !choices.isAsked(value.producer),
        choices.isAsked(value.producer),
        static_cast<uint64_t>(plan::picosecondsOf(op.cost)), value.bytes,
        choices.picosecondsPerMiB};
    StringRef why =
        isOffloaded ? "host memory holds it until it is read again"
                    : textOf(again ? Reason::Again : plan::whyKept(bargain));
    double worth = plan::worthOf(value.bytes, choices.picosecondsPerMiB) * 1e-9;
    remark::RemarkOpts options =
        remark::RemarkOpts::name(isOffloaded ? "offloaded"
                                 : again     ? "recomputed"
                                             : "kept")
            .category(choices.category)
            .function(function.getSymName());
    Location loc = choices.locationOf(value.producer);
    auto emit = [&](auto &&remark) {
      remark << remark::add("{0}: {1}", value.name, why)
             << remark::metric("bytes", value.bytes)
             << remark::metric("milliseconds", op.cost)
             << remark::metric("executions", executions[value.producer])
             << remark::metric("milliseconds_worth", worth);
    };
    if (!isKept)
      emit(remark::passed(loc, options));
    else
      emit(remark::missed(loc, options));
  }
}

static void remarkChoices(const BudgetCurve &curve,
                          const plan::Executions &executions, uint64_t budget,
                          std::vector<bool> isOffloaded) {
  const PlanProblem &problem = curve.problem;
  func::FuncOp function = problem.function;
  if (!function.getContext()->getRemarkEngine())
    return;
  remarkChoices({problem.graph, function, "sg-rematerialize",
                 [&](OpId id) { return problem.ops[id].op->getLoc(); },
                 executions, [&](OpId id) { return curve.isAsked(id); },
                 priceOf(curve.boundAt(budget)), std::move(isOffloaded)});
}

void reprise::remarkChoices(BudgetCurve &curve, uint32_t point,
                            uint64_t budget) {
  ::remarkChoices(curve, curve.points[point].solution.executions, budget, {});
}

void reprise::remarkChoices(const HostChoice &choice, uint64_t budget) {
  const BudgetCurve &curve = choice.kernels->curve;
  plan::Executions executions;
  std::vector<bool> isOffloaded(curve.problem.graph.values.size(), false);
  for (const plan::HostStep &step : choice.host.steps)
    if (step.kind == plan::HostStep::Kind::Execute)
      executions.push_back(step.id);
    else
      isOffloaded[step.id] = true;
  ::remarkChoices(curve, executions, budget, std::move(isOffloaded));
}
