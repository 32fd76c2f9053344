//===- RemarkChoices.h - Remarks on recomputed values -----------*- C++ -*-===//
#ifndef REPRISE_PASSES_REMAT_REMARKCHOICES_H
#define REPRISE_PASSES_REMAT_REMARKCHOICES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/Plan/Recompute.h"

#include <functional>

namespace reprise {

struct HostChoice;

/// A schedule and the price of memory at which it was chosen.
struct Choices {
  const plan::Graph &graph;
  mlir::func::FuncOp function;
  llvm::StringRef category; // of the remarks
  std::function<mlir::Location(plan::OpId)> locationOf;
  const plan::Executions &executions;
  std::function<bool(plan::OpId)> isAsked; // marked by the user to run once
  uint64_t picosecondsPerMiB;
  /// Values that are copied to host memory; empty: none.
  std::vector<bool> isOffloaded = {};
};

/// Emits a remark for each value that the backward pass reads or that is
/// recomputed or copied to host memory, if remarks are enabled.
void remarkChoices(const Choices &choices);
void remarkChoices(const HostChoice &choice, uint64_t budget);

} // namespace reprise

#endif // REPRISE_PASSES_REMAT_REMARKCHOICES_H
