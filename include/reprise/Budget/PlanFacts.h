//===- PlanFacts.h - Facts of plans about a budget --------------*- C++ -*-===//
//
// Taken from BudgetPlans while its IR lives: for budgets that cannot be met,
// and for pictures of all budgets. For a program that meets its budget, its own
// certificate is shown.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BUDGET_PLANFACTS_H
#define REPRISE_BUDGET_PLANFACTS_H

#include "reprise/Passes/Remat.h"
#include "reprise/Program/BudgetFacts.h"

namespace reprise::driver {

/// Returns the plans' facts about a budget, and about all budgets: `asked` is
/// set, but there is no plan. With `host`, the smallest budgets are also those
/// of plans that use it.
BudgetFacts budgetFactsOf(const std::string &model, BudgetPlans &plans,
                          uint64_t budget, const plan::HostBudget &host = {});

PointFacts pointFactsOf(const PlanChoice &choice);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_PLANFACTS_H
