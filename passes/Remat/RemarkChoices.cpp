//===- RemarkChoices.cpp - Why each value is kept or computed again -------===//
//
// Input:   a curve and the point chosen.
// Output:  a remark for each placed value of the forward pass that the
//          backward pass reads, and for each one that is computed again.
// Cost:    linear in the executions; nothing unless remarks are asked for.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace reprise;
using plan::OpId;
using plan::ValueId;

static constexpr llvm::StringLiteral kCategory = "sg-rematerialize";

/// Whether an op of the backward pass reads each value's storage.
static std::vector<bool> findResiduals(const PlanProblem &problem) {
  std::vector<bool> residual(problem.graph.values.size(), false);
  for (const plan::Op &op : problem.graph.ops)
    if (op.backward)
      for (ValueId input : op.inputs)
        residual[problem.rootOf(input)] = true;
  return residual;
}

void reprise::remarkChoices(BudgetCurve &curve, uint32_t point,
                            uint64_t budget) {
  const PlanProblem &problem = curve.problem;
  func::FuncOp function = problem.function;
  MLIRContext *context = function.getContext();
  if (!context->getRemarkEngine())
    return;
  std::vector<uint32_t> executions(problem.ops.size(), 0);
  for (OpId id : curve.points[point].solution.executions)
    ++executions[id];
  double price = curve.boundAt(budget).millisecondsPerMiB;
  std::vector<bool> residual = findResiduals(problem);
  for (ValueId id = 0; id < residual.size(); ++id) {
    const plan::Value &value = problem.graph.values[id];
    if (value.producer == plan::kNone || value.bytes == 0 ||
        value.storage != plan::StorageClass::Temporary)
      continue;
    const plan::Op &op = problem.graph.ops[value.producer];
    uint32_t again = executions[value.producer] - 1;
    if (!again && (!residual[id] || op.backward))
      continue;
    // What its bytes are worth at the budget's shadow price.
    double worth = price * value.bytes / double(1 << 20);
    StringRef why = op.effect ? "its op runs once"
                    : again   ? "its bytes are worth more than its time"
                    : op.cost > worth
                        ? "its time is worth more than its bytes"
                        : "what it would be computed from is not kept";
    remark::RemarkOpts options =
        remark::RemarkOpts::name(again ? "recomputed" : "kept")
            .category(kCategory)
            .function(function.getSymName());
    Location loc = problem.ops[value.producer].op->getLoc();
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
