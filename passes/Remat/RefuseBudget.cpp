//===- RefuseBudget.cpp - Why a budget cannot be met ----------------------===//
//
// Input:   a curve and a budget below its smallest point.
// Output:  one error with what would be enough, and notes with the proof.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"

#include "reprise/Analysis/Origin.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace reprise;

static std::string mebibytes(uint64_t bytes) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.2f MiB", bytes / double(1 << 20)) << " (" << bytes
      << " bytes)";
  return text;
}

InFlightDiagnostic reprise::refuseBudget(BudgetCurve &curve, uint64_t budget) {
  func::FuncOp function = curve.problem.function;
  plan::ByteBound proof = curve.provenBytes();
  InFlightDiagnostic error = function.emitError()
                             << "budget of " << mebibytes(budget)
                             << " cannot be met; the smallest that can is "
                             << mebibytes(curve.totalBytes(curve.smallest()));
  if (proof.cut == plan::kNone)
    return error;
  const PlannedOp &cut = curve.problem.ops[proof.cut];
  error.attachNote(cut.op->getLoc())
      << "no schedule exists below " << mebibytes(proof.bytes) << ", because '"
      << curve.problem.graph.ops[proof.cut].name << "' needs at once, beside "
      << mebibytes(curve.fixedBytes) << " of variables and constants:";
  constexpr size_t shown = 5;
  for (plan::ValueId id : llvm::ArrayRef(proof.pinned).take_front(shown)) {
    const plan::Value &value = curve.problem.graph.values[id];
    Location loc = value.producer == plan::kNone
                       ? function.getLoc()
                       : curve.problem.ops[value.producer].op->getLoc();
    error.attachNote(loc) << mebibytes(value.bytes) << " '" << value.name
                          << "'";
  }
  return error;
}
