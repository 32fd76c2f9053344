//===- RefuseBudget.cpp - Why a budget cannot be met ----------------------===//
//
// Input:   plans, or the curve of a function of any dialect, and a budget below
//          the smallest of them.
// Output:  one error with what would be enough, and notes with the proof.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"
#include "reprise/Passes/RematToBudget.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace reprise;

/// "66.0 KiB (67584 bytes)".
static std::string sizeText(uint64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = bytes / 1024.0;
  unsigned unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f ", value) << units[unit]
                                 << " (" << bytes << " bytes)";
  return text;
}

/// A note for each of the largest values that a proof names.
static void nameLargest(InFlightDiagnostic &error, const plan::Graph &graph,
                        const plan::ByteBound &bound, Location functionLoc,
                        llvm::function_ref<Location(plan::OpId)> locationOf) {
  constexpr size_t shown = 5;
  for (plan::ValueId id : llvm::ArrayRef(bound.pinned).take_front(shown)) {
    const plan::Value &value = graph.values[id];
    Location loc = value.producer == plan::kNone ? functionLoc
                                                 : locationOf(value.producer);
    error.attachNote(loc) << sizeText(value.bytes) << " '" << value.name << "'";
  }
}

InFlightDiagnostic reprise::refuseBudget(BudgetPlans &plans, uint64_t budget) {
  BudgetPlans::Proof proof = plans.provenBytes();
  const PlanProblem &problem = proof.curve->problem;
  func::FuncOp function = problem.function;
  // Not at the op, which would be printed whole.
  InFlightDiagnostic error = emitError(function.getLoc())
                             << "budget of " << sizeText(budget)
                             << " cannot be met; the smallest that can is "
                             << sizeText(plans.smallest().bytes());
  if (proof.bound.cut == plan::kNone)
    return error;
  const PlannedOp &cut = problem.ops[proof.bound.cut];
  error.attachNote(cut.op->getLoc())
      << "no schedule of these kernels exists below "
      << sizeText(proof.bound.bytes) << ", because '"
      << problem.graph.ops[proof.bound.cut].name << "' needs at once, beside "
      << sizeText(proof.curve->fixedBytes) << " of variables and constants:";
  nameLargest(error, problem.graph, proof.bound, function.getLoc(),
              [&](plan::OpId id) { return problem.ops[id].op->getLoc(); });
  return error;
}

InFlightDiagnostic reprise::refuseBudget(const LiveCurve &curve,
                                         uint64_t budget) {
  const FunctionGraph &problem = curve.problem;
  func::FuncOp function = problem.function;
  InFlightDiagnostic error =
      emitError(function.getLoc())
      << "budget of " << sizeText(budget)
      << " cannot be met; the smallest feasible budget is "
      << sizeText(curve.smallestBytes());
  plan::ByteBound bound = plan::lowestBytes(problem.graph);
  if (bound.cut == plan::kNone)
    return error;
  error.attachNote(problem.ops[bound.cut]->getLoc())
      << "no schedule of these ops lives below " << sizeText(bound.bytes)
      << ", because '" << problem.graph.ops[bound.cut].name
      << "' needs at once:";
  nameLargest(error, problem.graph, bound, function.getLoc(),
              [&](plan::OpId id) { return problem.ops[id]->getLoc(); });
  return error;
}
