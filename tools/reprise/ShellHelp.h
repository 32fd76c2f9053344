//===- ShellHelp.h - Completions and a manual page --------------*- C++ -*-===//
//
// Made of the options that the parser has, so that they are never out of date.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_SHELLHELP_H
#define REPRISE_TOOLS_SHELLHELP_H

#include "Command.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace reprise::tools {

/// The words that an option or an argument may be; none where it may be a file,
/// or anything.
using ValueWords =
    std::function<std::vector<std::string>(const CLI::Option &option)>;

/// Scripts that complete commands and options of `app`, and their values; files
/// elsewhere, and beside the words of an argument.
std::string bashCompletion(const CLI::App &app, const ValueWords &values);
std::string zshCompletion(const CLI::App &app, const ValueWords &values);
std::string fishCompletion(const CLI::App &app, const ValueWords &values);

/// A page for man(1) on `app` and all its commands.
std::string manualPage(const CLI::App &app, const std::string &version);

/// The commands that print these, and help.
void addShellCommands(CLI::App &app, Invocation &invocation);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_SHELLHELP_H
