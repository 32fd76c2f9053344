//===- LimitRefusal.h - A process that no budget makes fit ------*- C++ -*-===//
#ifndef REPRISE_TOOLS_LIMITREFUSAL_H
#define REPRISE_TOOLS_LIMITREFUSAL_H

#include "ModelRequest.h"

namespace reprise::tools {

/// Bounds on the bytes of a program's step, known without a search.
struct StepFloor {
  uint64_t proven = 0;   // no schedule of its kernels takes less
  uint64_t possible = 0; // some schedule takes this
  uint64_t plain = 0;    // without recomputation
};

/// Looks at the step of a request that has a budget.
rt::Expected<StepFloor> floorOf(const ModelRequest &request);

/// The error that a process is too large, as `tooLarge` says, and that no
/// budget helps: `left` bytes are what the limit leaves the program, which are
/// less than its step takes. Names what would fit.
rt::Status refuseLimit(const ModelRequest &request, const rt::Status &tooLarge,
                       const StepFloor &floor, uint64_t left);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_LIMITREFUSAL_H
