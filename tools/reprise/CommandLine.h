//===- CommandLine.h - Help and errors of command lines ---------*- C++ -*-===//
#ifndef REPRISE_TOOLS_COMMANDLINE_H
#define REPRISE_TOOLS_COMMANDLINE_H

#include "reprise/Runtime/Status.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace reprise::tools {

/// Help in 80 columns, for `app` and the commands added to it afterwards.
void useHelpFormat(CLI::App &app);

/// Examples at the end of a command's help, indented by two.
void addExamples(CLI::App &command, const std::string &examples);

/// Refuses values, of `app` and the commands added to it so far, that the
/// parser would take for others: empty ones, and negative ones where none can
/// be.
void guardValues(CLI::App &app);

/// The first option under the heading `group` that the user gave, as
/// "--batch"; "" when none was.
std::string firstGivenOf(const CLI::App *command, const char *group);

/// The help of the command that `words` lead to, of `app` without any.
rt::Expected<std::string> helpOf(const CLI::App &app,
                                 const std::vector<std::string> &words);

/// "reprise zoo list".
std::string fullName(const CLI::App &command);

/// The command that the user chose, or the application.
CLI::App *chosenCommand(CLI::App &app);

/// Prints the help or version that was asked for, or what was wrong with the
/// command line and what was probably meant. Returns the exit code.
int explain(CLI::App &app, const CLI::ParseError &error);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_COMMANDLINE_H
