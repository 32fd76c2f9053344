//===- FirstSteps.h - The steps that clones repeat --------------*- C++ -*-===//
#ifndef REPRISE_LIB_BRIDGE_FIRSTSTEPS_H
#define REPRISE_LIB_BRIDGE_FIRSTSTEPS_H

#include "KernelTable.h"
#include "reprise/Bridge/PlanProblem.h"

namespace reprise {

/// Returns, by OpId, for ops that recompute: the number of the first step that
/// runs the same kernel, call or copy on the same values. plan::kNone for other
/// ops, and if there is no such step: recomputed ops of a mode may share
/// kernels with other ops than in the forward pass.
std::vector<uint32_t> findFirstSteps(const PlanProblem &problem,
                                     const plan::Schedule &schedule,
                                     KernelTable &kernels);

} // namespace reprise

#endif // REPRISE_LIB_BRIDGE_FIRSTSTEPS_H
