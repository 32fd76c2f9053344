//===- Refusal.h - A budget that cannot be met ------------------*- C++ -*-===//
#ifndef REPRISE_BUDGET_REFUSAL_H
#define REPRISE_BUDGET_REFUSAL_H

#include "reprise/Budget/BatchSearch.h"

namespace reprise::driver {

/// The extent of advice: ways out are planned, which takes longer than the
/// refusal alone.
enum class Advice { Alternatives, Numbers };

/// Returns the error for a request that `facts` without a plan stand for: at
/// most fifteen lines, with ways out that have been planned.
rt::Status refuse(const ModelRequest &request, const BudgetFacts &facts);

/// Returns only the two numbers, in one line.
rt::Status refuseShortly(const ModelRequest &request, const BudgetFacts &facts);
/// Returns refuse()'s content as JSON: `facts` and "ways_out".
nlohmann::ordered_json refusalJson(const ModelRequest &request,
                                   const BudgetFacts &facts);

/// Lowers the request that `compiler` has loaded to a program. A plan that
/// requires a search is taken from the cache, or added to it. Returns the facts
/// of a budget that cannot be met; nothing otherwise.
rt::Expected<std::optional<BudgetFacts>>
lowerToProgram(Compiler &compiler, const ModelRequest &request);

/// Loads a request and lowers it to a level; fails for a budget that cannot be
/// met.
rt::Status lowerRequest(Compiler &compiler, const ModelRequest &request,
                        CompileLevel level);
/// The same for a request that `compiler` has loaded.
rt::Status lowerLoaded(Compiler &compiler, const ModelRequest &request,
                       CompileLevel level, Advice advice);

/// Returns an internal error for a wrong proof, with BudgetPlans::checkProofs'
/// message.
rt::Status contradiction(const std::string &error);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_REFUSAL_H
