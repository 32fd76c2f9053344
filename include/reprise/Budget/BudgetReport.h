//===- BudgetReport.h - The effect of a budget on a model -------*- C++ -*-===//
#ifndef REPRISE_BUDGET_BUDGETREPORT_H
#define REPRISE_BUDGET_BUDGETREPORT_H

#include "reprise/Driver/ModelRequest.h"
#include <nlohmann/json.hpp>

namespace reprise::driver {

/// One plan for the budget; the curve of all budgets; or the largest batch.
struct BudgetPlanOptions {
  bool sweep = false, maxBatch = false;
  bool json = false;  // a budget that cannot be met is an answer
  std::string output; // path of the picture of a sweep; "" for none
};

/// The results for one model.
struct BudgetReport {
  std::string text;
  nlohmann::ordered_json json;
  std::string picture; // of a sweep
  rt::Status refusal;  // of a sweep or in JSON, which are printed nevertheless
};

/// Plans a model for the budget of its request, and describes the result.
/// Sweeps and largest batches are cached.
rt::Expected<BudgetReport> reportBudget(const ModelRequest &request,
                                        const BudgetPlanOptions &options);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_BUDGETREPORT_H
