//===- BruteForce.h - Exact optima of tiny graphs ---------------*- C++ -*-===//
//
// The oracle for solvers and bounds. Shares no code with lib/Plan.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_PLAN_BRUTEFORCE_H
#define REPRISE_TEST_PLAN_BRUTEFORCE_H

#include "reprise/Plan/Graph.h"

#include <optional>

namespace reprise::plan::test {

struct BruteForceOptions {
  /// First executions in any valid order; otherwise in the order of the ops.
  bool freeOrder = false;
  unsigned maxExecutions = 2; // of an op, at most 3; 0: any number
};

/// Milliseconds of the cheapest schedule whose max-live is at most
/// `budgetBytes`; nothing where there is none. At most 16 ops and 32 values.
std::optional<double> bruteForceCost(const Graph &graph, uint64_t budgetBytes,
                                     const BruteForceOptions &options);

/// The least max-live of any schedule, whatever it costs.
uint64_t bruteForcePeak(const Graph &graph, const BruteForceOptions &options);

} // namespace reprise::plan::test

#endif // REPRISE_TEST_PLAN_BRUTEFORCE_H
