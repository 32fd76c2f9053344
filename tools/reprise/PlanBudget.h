//===- PlanBudget.h - reprise plan --budget ---------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PLANBUDGET_H
#define REPRISE_TOOLS_PLANBUDGET_H

#include "CompileFlags.h"
#include "ModelFlags.h"

namespace reprise::driver {

struct BudgetPlanOptions {
  bool sweep = false, maxBatch = false, json = false;
  std::string output; // path of the picture; "" for none
};

/// Prints the effect of a budget on each of the models: the plan, with `sweep`
/// the curve, with `maxBatch` the largest batch.
rt::Status planBudgets(const std::vector<std::string> &sources,
                       const ModelFlags &model, const CompileFlags &compile,
                       const BudgetPlanOptions &options);

} // namespace reprise::driver

#endif // REPRISE_TOOLS_PLANBUDGET_H
