//===- FirstSteps.h - Of which step a step is a clone -----------*- C++ -*-===//
#ifndef REPRISE_LIB_BRIDGE_FIRSTSTEPS_H
#define REPRISE_LIB_BRIDGE_FIRSTSTEPS_H

#include "KernelTable.h"
#include "reprise/Bridge/PlanProblem.h"

namespace reprise {

/// By OpId, for ops that compute again: the number of the first step that runs
/// the same kernel, call or copy on the same values. plan::kNone for other ops,
/// and where no step does: what a mode computes again may share kernels with
/// other ops than it did in the forward pass.
std::vector<uint32_t> findFirstSteps(const PlanProblem &problem,
                                     const plan::Schedule &schedule,
                                     KernelTable &kernels);

} // namespace reprise

#endif // REPRISE_LIB_BRIDGE_FIRSTSTEPS_H
