//===- CommandLine.h - Help and errors of command lines ---------*- C++ -*-===//
#ifndef REPRISE_COMMANDLINE_COMMANDLINE_H
#define REPRISE_COMMANDLINE_COMMANDLINE_H

#include "reprise/Runtime/Status.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace reprise::driver {

/// Formats help in 80 columns, for `app` and the commands added to it
/// afterwards.
void useHelpFormat(CLI::App &app);

/// Adds examples at the end of a command's help, indented by two.
void addExamples(CLI::App &command, const std::string &examples);

/// Rejects values, of `app` and the commands added to it so far, that the
/// parser would misread: empty ones, negative ones for unsigned numbers, the
/// name of the next option in place of a value, and values of switches.
void guardValues(CLI::App &app);

/// Returns a check of a file to write: refuses an ending that names a format
/// other than those `written`, such as ".svg". Others, and none, name no
/// format.
std::function<std::string(const std::string &)>
writtenAs(std::vector<std::string> written);

/// A check of a number that must be 1 or more.
std::string checkNotZero(const std::string &value);

/// Returns the help of the command that `words` name; of `app` without words.
rt::Expected<std::string> helpOf(const CLI::App &app,
                                 const std::vector<std::string> &words);

/// Returns "reprise zoo list".
std::string fullName(const CLI::App &command);

/// Returns the command that the user chose, or the application.
CLI::App *chosenCommand(CLI::App &app);

/// Returns the message of an error of the parser: the option, and what it
/// takes.
std::string describeError(const CLI::App &command,
                          const CLI::ParseError &error);

/// Prints the requested help or version, or the error in the command line with
/// the most similar words. Returns the exit code.
int explain(CLI::App &app, const CLI::ParseError &error);

} // namespace reprise::driver

#endif // REPRISE_COMMANDLINE_COMMANDLINE_H
