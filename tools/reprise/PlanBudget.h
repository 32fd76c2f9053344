//===- PlanBudget.h - Plans of budgets, modes and processes -----*- C++ -*-===//
#ifndef REPRISE_TOOLS_PLANBUDGET_H
#define REPRISE_TOOLS_PLANBUDGET_H

#include "reprise/Budget/BudgetReport.h"
#include "reprise/Driver/RequestSettings.h"

namespace reprise::driver {

/// Prints the effect of a budget on each of the models: the plan, with `sweep`
/// the curve, with `maxBatch` the largest batch.
rt::Status planBudgets(const std::vector<std::string> &sources,
                       const ModelSettings &model,
                       const CompileSettings &compile,
                       const BudgetPlanOptions &options);

/// Prints how much each checkpointing mode, and the budget if one is given,
/// saves of the peak without recomputation, and the time that it adds.
rt::Status comparePlans(const std::vector<std::string> &sources,
                        const ModelSettings &model,
                        const CompileSettings &compile, bool json);

/// Prints the memory of processes that train these models on `data`, each
/// compiled like 'reprise train'.
rt::Status planProcesses(const std::vector<std::string> &sources,
                         const std::string &data, const ModelSettings &model,
                         const CompileSettings &compile, bool json);

} // namespace reprise::driver

#endif // REPRISE_TOOLS_PLANBUDGET_H
