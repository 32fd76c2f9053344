//===- RemarkChoices.cpp - Why each value is kept or computed again -------===//
//
// Input:   a graph and the executions chosen.
// Output:  a remark for each placed value of the forward pass that the
//          backward pass reads, and for each one that is computed again.
// Cost:    linear in the executions; nothing unless remarks are asked for.
//
//===----------------------------------------------------------------------===//
#include "RemarkChoices.h"
#include "reprise/Passes/Remat.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace reprise;
using plan::OpId;
using plan::ValueId;

static ValueId rootOf(const plan::Graph &graph, ValueId value) {
  while (graph.values[value].viewOf != plan::kNone)
    value = graph.values[value].viewOf;
  return value;
}

/// Whether an op of the backward pass reads each value's storage.
static std::vector<bool> findResiduals(const plan::Graph &graph) {
  std::vector<bool> residual(graph.values.size(), false);
  for (const plan::Op &op : graph.ops)
    if (op.backward)
      for (ValueId input : op.inputs)
        residual[rootOf(graph, input)] = true;
  return residual;
}

void reprise::remarkChoices(const Choices &choices) {
  const plan::Graph &graph = choices.graph;
  func::FuncOp function = choices.function;
  std::vector<uint32_t> executions(graph.ops.size(), 0);
  for (OpId id : choices.executions)
    ++executions[id];
  std::vector<bool> residual = findResiduals(graph);
  for (ValueId id = 0; id < residual.size(); ++id) {
    const plan::Value &value = graph.values[id];
    if (value.producer == plan::kNone || value.bytes == 0 ||
        value.storage != plan::StorageClass::Temporary)
      continue;
    const plan::Op &op = graph.ops[value.producer];
    uint32_t again = executions[value.producer] - 1;
    if (!again && (!residual[id] || op.backward))
      continue;
    // What its bytes are worth at the budget's shadow price.
    double worth = choices.millisecondsPerMiB * value.bytes / double(1 << 20);
    StringRef why = op.effect ? "its op runs once"
                    : again   ? "its bytes are worth more than its time"
                    : op.cost > worth
                        ? "its time is worth more than its bytes"
                        : "what it would be computed from is not kept";
    remark::RemarkOpts options =
        remark::RemarkOpts::name(again ? "recomputed" : "kept")
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
    if (again)
      emit(remark::passed(loc, options));
    else
      emit(remark::missed(loc, options));
  }
}

void reprise::remarkChoices(BudgetCurve &curve, uint32_t point,
                            uint64_t budget) {
  const PlanProblem &problem = curve.problem;
  func::FuncOp function = problem.function;
  if (!function.getContext()->getRemarkEngine())
    return;
  remarkChoices({problem.graph, function, "sg-rematerialize",
                 [&](OpId id) { return problem.ops[id].op->getLoc(); },
                 curve.points[point].solution.executions,
                 curve.boundAt(budget).millisecondsPerMiB});
}
