//===- BudgetFacts.h - What a budget does to a step -------------*- C++ -*-===//
//
// Plain data, and how it reads: as text and as JSON. Of a budget that is kept
// it is the certificate of a program, fresh or from an artifact; of one that
// cannot be met it is taken from plans, see PlanFacts.h.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_ARTIFACT_BUDGETFACTS_H
#define REPRISE_TOOLS_ARTIFACT_BUDGETFACTS_H

#include "ProgramFacts.h"
#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::tools {

struct BudgetFacts {
  std::string model;
  uint64_t fixed = 0; // bytes of variables and constants
  PointFacts plain;   // without recomputation
  PointFacts smallest;
  PointFacts rounded; // within budgetTextBytes(smallest.bytes), of a refusal
  /// Bytes under which no schedule of the kernels exists, the op that needs
  /// them at once, and what it needs, largest first: of a refusal all, its
  /// workspace among it, of a certificate some.
  uint64_t provenBytes = 0;
  uint64_t provenFixed = 0; // of a refusal: variables and constants in them
  std::string provenAt;
  std::vector<ValueFacts> pinned;

  uint64_t asked = 0;
  /// Without: the budget cannot be met, and what follows is empty.
  std::optional<PointFacts> plan;
  double boundMilliseconds = 0;
  uint64_t picosecondsPerMiB = 0; // that one more MiB saves at most
  std::vector<ValueFacts> costly;

  /// More than without recomputation; a mode's kernels may take less.
  double recomputeMilliseconds() const {
    return std::max(0.0, plan->milliseconds - plain.milliseconds);
  }
  /// The same as a share of the step without recomputation.
  double recomputedShare() const {
    return plain.milliseconds > 0 ? recomputeMilliseconds() / plain.milliseconds
                                  : 0;
  }
  double gap() const;
  /// How far the smallest budget is above the proven bound.
  double smallestGap() const;
  /// How far the proven bound is below it, as a share of it.
  double provenShare() const;
};

/// What an entry's certificate says, none without one. `source` is what the
/// user calls the program.
std::optional<BudgetFacts> budgetFactsOf(const std::string &source,
                                         const ProgramFacts &program,
                                         const EntryFacts &entry);

/// The same of the program's certified entry.
std::optional<BudgetFacts> budgetFactsOf(const std::string &source,
                                         const ProgramFacts &program);

/// "none", and of a program that keeps a budget with it: "none, budget of 1000
/// bytes (+4.51% time, at least +4.32%)". "" where nothing is known.
std::string describeMode(const ProgramFacts &program);

/// Titles and values, in the order that they are shown in.
std::vector<std::pair<std::string, std::string>>
linesOf(const BudgetFacts &facts);

std::string toText(const BudgetFacts &facts);
nlohmann::ordered_json toJson(const BudgetFacts &facts);
nlohmann::ordered_json toJson(const ValueFacts &value);

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The fewest whole MiB (or KiB, where those would be far off) that hold
/// `bytes`, as --budget takes them: "173MiB".
std::string budgetText(uint64_t bytes);
uint64_t budgetTextBytes(uint64_t bytes);

/// "12.3 ms", "1.23 s".
std::string formatMilliseconds(double milliseconds);

/// "+3.1%", "+0.02%".
std::string formatMore(double share);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_ARTIFACT_BUDGETFACTS_H
