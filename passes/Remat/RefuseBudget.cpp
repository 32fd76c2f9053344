//===- RefuseBudget.cpp - Why a budget cannot be met ----------------------===//
//
// Input:   plans and a budget below the smallest of them.
// Output:  one error with what would be enough, and notes with the proof.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"

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
  constexpr size_t shown = 5;
  for (plan::ValueId id :
       llvm::ArrayRef(proof.bound.pinned).take_front(shown)) {
    const plan::Value &value = problem.graph.values[id];
    Location loc = value.producer == plan::kNone
                       ? function.getLoc()
                       : problem.ops[value.producer].op->getLoc();
    error.attachNote(loc) << sizeText(value.bytes) << " '" << value.name << "'";
  }
  return error;
}
