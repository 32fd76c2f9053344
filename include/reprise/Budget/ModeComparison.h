//===- ModeComparison.h - What each mode saves and costs --------*- C++ -*-===//
#ifndef REPRISE_BUDGET_MODECOMPARISON_H
#define REPRISE_BUDGET_MODECOMPARISON_H

#include "reprise/Driver/ModelRequest.h"
#include "reprise/Passes/MemorySavings.h"
#include <nlohmann/json.hpp>

namespace reprise::driver {

/// A training step in one mode, compared with the one without recomputation.
struct ComparedMode {
  std::string mode; // or "budget 70%"
  MemorySavings savings;
};

/// Plans a model in every mode of comparedModes, in the user's, and within its
/// budget, which the result names `budgetText`. The first row is the step
/// without recomputation.
rt::Expected<std::vector<ComparedMode>>
compareModes(const ModelRequest &request, const std::string &budgetText);

std::string tableOf(const std::vector<ComparedMode> &rows);
nlohmann::ordered_json jsonOf(const std::string &source,
                              const std::vector<ComparedMode> &rows);
/// Returns a note on the inferior modes; "" if there are none.
std::string describeBeaten(const std::vector<ComparedMode> &rows);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_MODECOMPARISON_H
