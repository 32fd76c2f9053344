//===- LiveCurve.h - A function's cost under each budget --------*- C++ -*-===//
//
// A budget counts live bytes as FunctionGraph.h defines them; nothing is
// placed. The schedules that a search finds do not depend on the requested
// budget, so that less memory never costs less and a smaller budget never has a
// larger peak.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BRIDGE_LIVECURVE_H
#define REPRISE_BRIDGE_LIVECURVE_H

#include "reprise/Bridge/FunctionGraph.h"

namespace reprise {

class LiveCurve {
public:
  LiveCurve(FunctionGraph problem, const plan::SolverOptions &options);

  FunctionGraph problem;
  /// Sorted by increasing max-live and decreasing cost; the last one recomputes
  /// nothing.
  std::vector<plan::FrontierPoint> points;

  /// The cheapest schedule within `budget` bytes after a search between the
  /// points next to it, or none.
  std::optional<plan::Solution> choose(uint64_t budget) const;
  uint64_t smallestBytes() const { return points.front().solution.maxLive; }
  /// The budget below which saving memory costs more time than it is worth, see
  /// kneeOf.
  uint64_t kneeBytes() const;
  /// Without recomputation, in the order that needs the fewest bytes.
  const plan::Solution &plain() const { return points.back().solution; }

  /// Describes how the proofs and the schedules contradict each other, see
  /// plan::checkBound; "" unless the planner has an error.
  std::string checkProofs(uint64_t budget,
                          const std::optional<plan::Solution> &chosen) const;

private:
  plan::SolverOptions options;
};

} // namespace reprise

#endif // REPRISE_BRIDGE_LIVECURVE_H
