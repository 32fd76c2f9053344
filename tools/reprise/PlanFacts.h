//===- PlanFacts.h - Facts of plans about a budget --------------*- C++ -*-===//
//
// Taken from BudgetPlans while its IR lives: for budgets that cannot be met,
// and for pictures of all budgets. For a program that meets its budget, its own
// certificate is shown.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_PLANFACTS_H
#define REPRISE_TOOLS_PLANFACTS_H

#include "artifact/BudgetFacts.h"
#include "reprise/Passes/BudgetPlans.h"

namespace reprise::tools {

/// Returns the plans' facts about a budget, and about all budgets: `asked` is
/// set, but there is no plan.
BudgetFacts budgetFactsOf(const std::string &model, BudgetPlans &plans,
                          uint64_t budget);

PointFacts pointFactsOf(const PlanChoice &choice);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PLANFACTS_H
