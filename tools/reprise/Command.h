//===- Command.h - The driver's commands ------------------------*- C++ -*-===//
//
// Each command adds itself to the parser and, when chosen, sets its invocation.
// One file per command.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_COMMAND_H
#define REPRISE_TOOLS_COMMAND_H

#include "reprise/Console/Console.h"
#include "reprise/Run/Evaluation.h"
#include "reprise/Run/ProgramQueue.h"
#include <CLI/CLI.hpp>
#include <functional>

namespace reprise::driver {

/// Set by the chosen command; returns the exit code.
using Invocation = std::function<int()>;

/// Lets a command run `run`, which returns a status, when it is chosen.
template <typename Run>
void onChosen(CLI::App &command, Invocation &invocation, Run run) {
  command.callback([run, &invocation] {
    invocation = [run] {
      endOnSignals();
      rt::Status status = run();
      return status.ok() ? int(kSuccess) : fail(status);
    };
  });
}

/// Lets a command that evaluates run `run` when it is chosen; a signal ends it.
template <typename Run>
void onChosenEvaluate(CLI::App &command, Invocation &invocation, Run run) {
  command.callback([run, &invocation] {
    invocation = [run] {
      endOnSignals();
      return endEvaluation(run());
    };
  });
}

void addZooCommand(CLI::App &app, Invocation &invocation);
void addOnnxCommand(CLI::App &app, Invocation &invocation);
void addRematerializeCommand(CLI::App &app, Invocation &invocation);
void addCompileCommand(CLI::App &app, Invocation &invocation);
void addPlanCommand(CLI::App &app, Invocation &invocation);
void addWhyCommand(CLI::App &app, Invocation &invocation);
void addProfileCommand(CLI::App &app, Invocation &invocation);
void addRecipeCommand(CLI::App &app, Invocation &invocation);
void addTrainCommand(CLI::App &app, Invocation &invocation);
void addEvalCommand(CLI::App &app, Invocation &invocation);
void addPredictCommand(CLI::App &app, Invocation &invocation);
void addReportCommand(CLI::App &app, Invocation &invocation);
void addDeviceCommand(CLI::App &app, Invocation &invocation);
void addCacheCommand(CLI::App &app, Invocation &invocation);
void addInspectCommand(CLI::App &app, Invocation &invocation);
/// Adds help, and the commands that print completions and the manual page.
void addShellCommands(CLI::App &app, Invocation &invocation);

} // namespace reprise::driver

#endif // REPRISE_TOOLS_COMMAND_H
