//===- Command.h - The commands of reprise-plan -----------------*- C++ -*-===//
//
// Each command adds itself to the parser and, when chosen, sets its invocation.
// One file per command.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_PLAN_COMMAND_H
#define REPRISE_TOOLS_PLAN_COMMAND_H

#include "CommandLine.h"
#include "reprise/Console/Console.h"
#include <functional>

namespace reprise::plan::tool {

/// Set by the chosen command.
using Invocation = std::function<rt::Status()>;

void addSolveCommand(CLI::App &app, Invocation &invocation);
void addBoundCommand(CLI::App &app, Invocation &invocation);
void addValidateCommand(CLI::App &app, Invocation &invocation);
void addSweepCommand(CLI::App &app, Invocation &invocation);
void addPlaceCommand(CLI::App &app, Invocation &invocation);

} // namespace reprise::plan::tool

#endif // REPRISE_TOOLS_PLAN_COMMAND_H
