//===- Command.h - The commands of reprise-plan -----------------*- C++ -*-===//
//
// Each command adds itself to the parser and, when chosen, sets its invocation.
// One file per command.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_PLAN_COMMAND_H
#define REPRISE_TOOLS_PLAN_COMMAND_H

#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/PlanSearch/Problem.h"
#include <functional>

namespace reprise::plan::tool {

/// Set by the chosen command.
using Invocation = std::function<rt::Status()>;

/// Adds the argument that loadProblem reads.
void addGraph(CLI::App &command, std::string &path);

/// Adds the options of commands that run solvers.
void addSolverOptions(CLI::App &command, search::SolverSettings &settings);

void addSolveCommand(CLI::App &app, Invocation &invocation);
void addBoundCommand(CLI::App &app, Invocation &invocation);
void addValidateCommand(CLI::App &app, Invocation &invocation);
void addSweepCommand(CLI::App &app, Invocation &invocation);
void addPlaceCommand(CLI::App &app, Invocation &invocation);

} // namespace reprise::plan::tool

#endif // REPRISE_TOOLS_PLAN_COMMAND_H
