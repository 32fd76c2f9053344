//===- RefuseBudget.cpp - The error of an infeasible budget ---------------===//
//
// Input:   plans, or the curve of a function of any dialect, and a budget below
//          the smallest of them.
// Output:  one error with the smallest budget found, and notes with the
//          proof.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"
#include "reprise/Passes/RematToBudget.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;

/// "66.0 KiB (67584 bytes)"; "64 B (64 bytes)".
static std::string sizeText(uint64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = bytes / 1024.0;
  unsigned unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (bytes < 1024)
    stream << bytes << " B";
  else
    stream << llvm::format("%.1f ", value) << units[unit];
  stream << " (" << bytes << " bytes)";
  return text;
}

static plan::ValueId rootOf(const plan::Graph &graph, plan::ValueId id) {
  while (graph.values[id].viewOf != plan::kNone)
    id = graph.values[id].viewOf;
  return id;
}

/// Returns the role that a value which lives while `op` runs has for `op`.
static StringRef roleOf(const plan::Graph &graph, const plan::Op &op,
                        plan::ValueId id) {
  auto isValue = [&](plan::ValueId other) {
    return rootOf(graph, other) == id;
  };
  if (llvm::any_of(op.inPlace, [&](const auto &pair) {
        return isValue(op.inputs[pair.second]);
      }))
    return "its result takes over these bytes";
  if (llvm::any_of(op.inputs, isValue))
    return "which it reads";
  return llvm::any_of(op.outputs, isValue) ? "which it makes"
                                           : "which is read later";
}

/// Adds notes that add up to the bytes of a proof: the largest values, the op's
/// workspace, and the other values together.
static void nameLargest(InFlightDiagnostic &error, const plan::Graph &graph,
                        const plan::ByteBound &bound, Location functionLoc,
                        llvm::function_ref<Location(plan::OpId)> locationOf) {
  constexpr size_t shown = 5;
  const plan::Op &cut = graph.ops[bound.cut];
  for (plan::ValueId id : llvm::ArrayRef(bound.pinned).take_front(shown)) {
    const plan::Value &value = graph.values[id];
    Location loc = value.producer == plan::kNone ? functionLoc
                                                 : locationOf(value.producer);
    error.attachNote(loc) << sizeText(
                                 llvm::alignTo(value.bytes, plan::kAlignment))
                          << " '" << value.name << "', "
                          << roleOf(graph, cut, id);
  }
  if (bound.workspaceBytes)
    error.attachNote(locationOf(bound.cut))
        << sizeText(bound.workspaceBytes) << " workspace of '" << cut.name
        << "'";
  uint64_t rest = 0;
  size_t others = bound.pinned.size() - std::min(shown, bound.pinned.size());
  for (plan::ValueId id : llvm::ArrayRef(bound.pinned).take_back(others))
    rest += llvm::alignTo(graph.values[id].bytes, plan::kAlignment);
  if (others)
    error.attachNote(functionLoc) << sizeText(rest) << " in " << others
                                  << (others == 1 ? " other" : " others");
}

InFlightDiagnostic reprise::refuseBudget(BudgetPlans &plans, uint64_t budget) {
  BudgetPlans::Proof proof = plans.provenBytes();
  const PlanProblem &problem = *proof.problem;
  func::FuncOp function = problem.function;
  // The error is not at the op, which would be printed whole.
  InFlightDiagnostic error = emitError(function.getLoc())
                             << "budget of " << sizeText(budget)
                             << " cannot be met; the smallest found is "
                             << sizeText(plans.smallest().bytes());
  if (proof.bound.cut == plan::kNone)
    return error;
  const PlannedOp &cut = problem.ops[proof.bound.cut];
  error.attachNote(cut.op->getLoc())
      << "no schedule of these kernels exists below "
      << sizeText(proof.bound.bytes) << ", because while '"
      << proof.place(plans) << "' runs these are live at once, in addition to "
      << sizeText(proof.fixedBytes) << " of variables and constants:";
  nameLargest(error, problem.graph, proof.bound, function.getLoc(),
              [&](plan::OpId id) { return problem.ops[id].op->getLoc(); });
  return error;
}

InFlightDiagnostic reprise::refuseBudget(const LiveCurve &curve,
                                         uint64_t budget) {
  const FunctionGraph &problem = curve.problem;
  func::FuncOp function = problem.function;
  InFlightDiagnostic error = emitError(function.getLoc())
                             << "budget of " << sizeText(budget)
                             << " cannot be met; the smallest found is "
                             << sizeText(curve.smallestBytes());
  plan::ByteBound bound = plan::lowestBytes(problem.graph);
  if (bound.cut == plan::kNone)
    return error;
  error.attachNote(problem.ops[bound.cut]->getLoc())
      << "no schedule of these ops lives below " << sizeText(bound.bytes)
      << ", because while '" << problem.graph.ops[bound.cut].name
      << "' runs these are live at once:";
  nameLargest(error, problem.graph, bound, function.getLoc(),
              [&](plan::OpId id) { return problem.ops[id]->getLoc(); });
  return error;
}
