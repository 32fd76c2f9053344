//===- Effort.h - Amounts of planning ---------------------------*- C++ -*-===//
//
// Counted work, not time: the same effort gives the same plan on every machine.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_EFFORT_H
#define REPRISE_PLAN_EFFORT_H

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace reprise::plan {

enum class Effort : uint8_t {
  Quick,   // immediate: below a second for a thousand ops
  Normal,  // interactive: some seconds
  Thorough // everything that the work limit allows
};

/// Names for users, in the order of the efforts.
constexpr std::string_view kEffortNames[] = {"quick", "normal", "thorough"};

inline std::optional<Effort> effortOf(std::string_view name) {
  for (size_t at = 0; at < std::size(kEffortNames); ++at)
    if (kEffortNames[at] == name)
      return Effort(at);
  return std::nullopt;
}

/// The share of each part of a search that an effort runs.
struct Pace {
  /// Shares of SolverOptions::work: to search for each budget, to lower the
  /// peak, for kernels other than the step's own, to place.
  double search, descents, otherKernels, placement;
  /// The number of failed searches after which a peak counts as the lowest.
  uint32_t failures;
  /// The number of budgets of a frontier, and of those tried between two of
  /// them.
  uint32_t budgets, between;
  /// The relative distance above a bound at which a search ends.
  double closeEnough;
  /// A search ends when it has found nothing better for this multiple of the
  /// time until its last improvement; 0: no such limit.
  double patience;
  /// Rounds in which other schedules of a point are tried if its own packs
  /// badly, and the share of the work to find each.
  uint32_t placementRounds;
  double replacing;
  /// Shares of the work to prove, see lowerBound, and to check a plan against a
  /// proof.
  double proof, check;
};

constexpr Pace paceOf(Effort effort) {
  switch (effort) {
  case Effort::Quick:
    return {0.125, 0.1, 0, 0.02, 1, 8, 0, 4e-3, 1, 0, 0, 0.125, 0.125};
  case Effort::Normal:
    return {1, 0.25, 0.25, 0.1, 2, 20, 1, 1e-3, 1, 1, 1. / 3, 1, 0.125};
  case Effort::Thorough:
    break;
  }
  return {1, 1, 1, 1, 4, 40, 3, 3e-4, 0, 4, 1, 1, 1};
}

} // namespace reprise::plan

#endif // REPRISE_PLAN_EFFORT_H
