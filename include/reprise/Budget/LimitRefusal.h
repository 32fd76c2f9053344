//===- LimitRefusal.h - Refuse a limit that no budget meets -----*- C++ -*-===//
#ifndef REPRISE_BUDGET_LIMITREFUSAL_H
#define REPRISE_BUDGET_LIMITREFUSAL_H

#include "reprise/Driver/ModelRequest.h"

namespace reprise::driver {

/// Bounds on the bytes of a program's step, known without a search.
struct StepFloor {
  uint64_t proven = 0;   // no schedule of its kernels takes less
  uint64_t possible = 0; // some schedule takes this
  uint64_t plain = 0;    // without recomputation
};

/// Computes the bounds for a request that has a budget.
rt::Expected<StepFloor> floorOf(const ModelRequest &request);

/// A limit on the process, and the bytes of it that are left for the program.
struct LimitedProgram {
  uint64_t limit = 0, left = 0;
};

/// Returns the error that a process is too large, with the details of
/// `tooLarge`, and that no budget helps: the limit leaves fewer bytes than the
/// step needs. Names a batch and a limit that fit.
rt::Status refuseLimit(const ModelRequest &request, const rt::Status &tooLarge,
                       const StepFloor &floor, const LimitedProgram &limited);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_LIMITREFUSAL_H
