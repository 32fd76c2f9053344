//===- Refusal.h - A budget that cannot be met ------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_REFUSAL_H
#define REPRISE_TOOLS_REFUSAL_H

#include "BatchSearch.h"

namespace reprise::tools {

/// How much is looked for of what would help: ways out are planned, which takes
/// longer than a refusal.
enum class Advice { WaysOut, Numbers };

/// The error that `facts`, which have no plan, mean for a request: at most
/// fifteen lines, with ways out that have been tried on paper.
rt::Status refuse(const ModelRequest &request, const BudgetFacts &facts);

/// The two numbers alone, in a line.
rt::Status refuseShortly(const ModelRequest &request, const BudgetFacts &facts);
/// What refuse() shows as JSON: `facts` and "ways_out".
nlohmann::ordered_json refusalJson(const ModelRequest &request,
                                   const BudgetFacts &facts);

/// Loads a request and lowers it to a level; refuses a budget that cannot be
/// met.
rt::Status lowerRequest(Compiler &compiler, const ModelRequest &request,
                        CompileLevel level);
/// The same of a request that `compiler` has loaded.
rt::Status lowerLoaded(Compiler &compiler, const ModelRequest &request,
                       CompileLevel level, Advice advice);

/// A proof that is untrue, as BudgetPlans::checkProofs says it: an internal
/// error that ends everything.
rt::Status contradiction(const std::string &error);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_REFUSAL_H
