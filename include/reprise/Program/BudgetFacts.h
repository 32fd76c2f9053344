//===- BudgetFacts.h - The effect of a budget on a step ---------*- C++ -*-===//
//
// Plain data, with its forms as text and as JSON. For a budget that is met, it
// is the certificate of a program, just compiled or from an artifact; for one
// that cannot be met, it is taken from plans, see PlanFacts.h.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PROGRAM_BUDGETFACTS_H
#define REPRISE_PROGRAM_BUDGETFACTS_H

#include "reprise/Program/ProgramFacts.h"
#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::driver {

struct BudgetFacts {
  std::string model;
  uint64_t fixed = 0; // bytes of variables and constants
  PointFacts plain;   // without recomputation
  PointFacts smallest;
  /// The smallest budget of the device for which a plan with copies to host
  /// memory was found, if these are allowed, and that plan's bytes there.
  std::optional<PointFacts> smallestWithHost;
  uint64_t hostBytesOfSmallest = 0;
  PointFacts rounded; // for a refusal: within budgetTextBytes(smallest.bytes)
  /// The bytes below which no schedule of the kernels exists, the op that needs
  /// them at once, and its values, largest first: for a refusal all of them,
  /// including its workspace; for a certificate some.
  uint64_t provenBytes = 0;
  uint64_t provenFixed = 0; // for a refusal: variables and constants among them
  std::string provenAt;
  std::vector<ValueFacts> pinned;

  uint64_t asked = 0;
  /// Nothing if the budget cannot be met; the members after it are then empty.
  std::optional<PointFacts> plan;
  double boundMilliseconds = 0;
  uint64_t picosecondsPerMiB = 0; // largest saving by one more MiB
  std::vector<ValueFacts> costly;
  /// Values that are copied to host memory, their bytes, and the milliseconds
  /// for which ops wait for these copies.
  uint64_t offloads = 0, hostBytes = 0;
  double waitMilliseconds = 0;

  /// Returns the extra time compared with no recomputation; a mode's kernels
  /// may take less.
  double recomputeMilliseconds() const {
    return std::max(0.0, plan->milliseconds - plain.milliseconds);
  }
  /// Returns the same as a share of the step without recomputation.
  double recomputedShare() const {
    return plain.milliseconds > 0 ? recomputeMilliseconds() / plain.milliseconds
                                  : 0;
  }
  double gap() const;
  /// Returns the gap between the smallest budget and the proven bound.
  double smallestGap() const;
  /// Returns the proven bound's distance below it, as a share of it.
  double provenShare() const;
};

/// Returns the facts of an entry's certificate, nothing if it has none.
/// `source` is the user's name of the program.
std::optional<BudgetFacts> budgetFactsOf(const std::string &source,
                                         const ProgramFacts &program,
                                         const EntryFacts &entry);

/// Returns the same for the program's certified entry.
std::optional<BudgetFacts> budgetFactsOf(const std::string &source,
                                         const ProgramFacts &program);

/// Returns "none", with the budget if the program meets one: "none, budget of
/// 1000 bytes (+4.51% time, at least +4.32%)". "" if nothing is known.
std::string describeMode(const ProgramFacts &program);

/// Returns titles and values in display order.
std::vector<std::pair<std::string, std::string>>
linesOf(const BudgetFacts &facts);

std::string toText(const BudgetFacts &facts);
nlohmann::ordered_json toJson(const BudgetFacts &facts);
nlohmann::ordered_json toJson(const ValueFacts &value);

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Returns the fewest whole MiB (or KiB, if those would be far off) that hold
/// `bytes`, in the form of --budget: "173MiB".
std::string budgetText(uint64_t bytes);
uint64_t budgetTextBytes(uint64_t bytes);

/// Formats "12.3 ms", "1.23 s".
std::string formatMilliseconds(double milliseconds);

/// Formats "+3.1%", "+0.02%".
std::string formatMore(double share);

} // namespace reprise::driver

#endif // REPRISE_PROGRAM_BUDGETFACTS_H
