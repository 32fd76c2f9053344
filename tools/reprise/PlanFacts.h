//===- PlanFacts.h - What plans say of a budget -----------------*- C++ -*-===//
//
// Taken from BudgetPlans while its IR lives: for budgets that cannot be met,
// and for pictures of all budgets. Of a program that keeps its budget, its own
// certificate is told.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_PLANFACTS_H
#define REPRISE_TOOLS_PLANFACTS_H

#include "artifact/BudgetFacts.h"
#include "reprise/Passes/BudgetPlans.h"

namespace reprise::tools {

/// What the plans say of a budget, and of all; `asked`, but no plan.
BudgetFacts budgetFactsOf(const std::string &model, BudgetPlans &plans,
                          uint64_t budget);

PointFacts pointFactsOf(const PlanChoice &choice);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PLANFACTS_H
