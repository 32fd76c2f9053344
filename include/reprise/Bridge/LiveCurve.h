//===- LiveCurve.h - What a function costs under each budget ----*- C++ -*-===//
//
// A budget counts live bytes as FunctionGraph.h says; nothing is placed. What a
// search finds does not depend on the budget that is asked for, so that less
// memory never costs less and a smaller budget never has a larger peak.
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
  /// By increasing max-live and decreasing cost; the last one computes nothing
  /// again.
  std::vector<plan::FrontierPoint> points;

  /// The cheapest schedule within `budget` bytes after a search between the
  /// points next to it, or none.
  std::optional<plan::Solution> choose(uint64_t budget) const;
  uint64_t smallestBytes() const { return points.front().solution.maxLive; }
  /// Where less memory begins to cost more than it is worth, see kneeOf.
  uint64_t kneeBytes() const;
  /// Without recomputation, in the order that needs the fewest bytes.
  const plan::Solution &plain() const { return points.back().solution; }

  /// How the proofs and the schedules contradict each other, see
  /// plan::checkBound; "" unless the planner has an error.
  std::string checkProofs(uint64_t budget,
                          const std::optional<plan::Solution> &chosen) const;

private:
  plan::SolverOptions options;
};

} // namespace reprise

#endif // REPRISE_BRIDGE_LIVECURVE_H
