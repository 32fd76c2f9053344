//===- OtherEntries.h - The entries other than the step ---------*- C++ -*-===//
//
// A program's entries take turns in one arena, so that a budget applies to all
// of them: a budget below the bytes of the evaluation entry cannot be met,
// whatever the training step recomputes.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_OTHERENTRIES_H
#define REPRISE_PASSES_OTHERENTRIES_H

#include "reprise/Bridge/BudgetCurve.h"

namespace reprise {

/// An entry that recomputes nothing.
struct OtherEntry {
  PlanProblem problem;
  /// Bytes of its plan, without variables and constants, exact to the byte.
  uint64_t height = 0;
  /// The bytes that any schedule of its kernels needs, also without these.
  plan::ByteBound bound;
};

/// The module's functions other than `step`, planned as they will be placed.
mlir::FailureOr<std::vector<OtherEntry>>
planOtherEntries(mlir::func::FuncOp step, const BudgetOptions &options);

} // namespace reprise

#endif // REPRISE_PASSES_OTHERENTRIES_H
