//===- RematToBudget.h - Rematerialization in any dialect -------*- C++ -*-===//
#ifndef REPRISE_PASSES_REMATTOBUDGET_H
#define REPRISE_PASSES_REMATTOBUDGET_H

#include "reprise/Bridge/LiveCurve.h"

namespace reprise {

/// Rewrites the graph's function: its ops in the order of `executions`, which
/// passed plan::checkExecutions, clones after barriers. Cannot fail.
void writeExecutions(const FunctionGraph &problem,
                     const plan::Executions &executions);

/// Reports at the function that no schedule found fits `budget` bytes, with the
/// smallest feasible budget found and the proven bound.
mlir::InFlightDiagnostic refuseBudget(const LiveCurve &curve, uint64_t budget);

} // namespace reprise

#endif // REPRISE_PASSES_REMATTOBUDGET_H
