//===- ShellHelp.h - Completions and a manual page --------------*- C++ -*-===//
//
// Made of the options that the parser has, so that they are never out of date.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_SHELLHELP_H
#define REPRISE_TOOLS_SHELLHELP_H

#include "Command.h"
#include <CLI/CLI.hpp>
#include <string>

namespace reprise::tools {

/// Scripts that complete commands and options of `app`; files elsewhere.
std::string bashCompletion(const CLI::App &app);
std::string zshCompletion(const CLI::App &app);
std::string fishCompletion(const CLI::App &app);

/// A page for man(1) on `app` and all its commands.
std::string manualPage(const CLI::App &app, const std::string &version);

/// The commands that print these.
void addShellCommands(CLI::App &app, Invocation &invocation);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_SHELLHELP_H
