//===- OtherEntries.h - The entries beside a step ---------------*- C++ -*-===//
//
// A program's entries take turns in one arena, so that a budget is of all of
// them: a budget below what the entry for evaluation needs cannot be met,
// whatever the training step computes again.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_OTHERENTRIES_H
#define REPRISE_PASSES_OTHERENTRIES_H

#include "reprise/Bridge/BudgetCurve.h"

namespace reprise {

/// An entry that computes nothing again.
struct OtherEntry {
  PlanProblem problem;
  /// Bytes of its plan beside variables and constants, to the byte.
  uint64_t height = 0;
  /// That any schedule of its kernels needs beside these.
  plan::ByteBound bound;
};

/// The functions beside `step` in its module, planned as they will be placed.
mlir::FailureOr<std::vector<OtherEntry>>
planOtherEntries(mlir::func::FuncOp step, const BudgetOptions &options);

} // namespace reprise

#endif // REPRISE_PASSES_OTHERENTRIES_H
