//===- BuildProgram.h - From solved plans to rt.program ---------*- C++ -*-===//
#ifndef REPRISE_BRIDGE_BUILDPROGRAM_H
#define REPRISE_BRIDGE_BUILDPROGRAM_H

#include "reprise/Bridge/PlanProblem.h"

namespace reprise {

using PlanSolution = plan::PlacedSchedule;

/// Computes the order, liveness and placement, and checks the three
/// independently. The order is the function's own if it is marked sg.scheduled;
/// otherwise, calls between ranks may add `overlapPercent` of the bytes of
/// placement and fixed storage in order to run beside other ops. A plan that
/// fails the check is reported at the function.
mlir::FailureOr<PlanSolution> solvePlan(const PlanProblem &problem,
                                        double overlapPercent = 0,
                                        uint64_t fixedBytes = 0);

/// The facts that a program records about itself.
struct ProgramOptions {
  std::string model;
  unsigned threads = 1;
  rt_dialect::TargetAttr target;
  std::string library;
  std::string checkpointing; // mode, for the summary; may be empty
  /// The share of its bytes that calls between ranks may add to run beside
  /// other ops. Not a fact of the program.
  double overlapPercent = 0;
};

struct PlannedEntry {
  PlanProblem problem;
  PlanSolution solution;
};

/// Builds the program of `entries` at the builder's insertion point. Reads the
/// module's variables; changes nothing. Cannot fail.
rt_dialect::ProgramOp buildProgram(mlir::OpBuilder &builder,
                                   mlir::ModuleOp module,
                                   const ProgramOptions &options,
                                   const FixedStorage &fixed,
                                   llvm::ArrayRef<PlannedEntry> entries);

} // namespace reprise

#endif // REPRISE_BRIDGE_BUILDPROGRAM_H
