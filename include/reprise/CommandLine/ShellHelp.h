//===- ShellHelp.h - Completions and a manual page --------------*- C++ -*-===//
//
// Generated from the parser's options, so that they are always up to date.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_COMMANDLINE_SHELLHELP_H
#define REPRISE_COMMANDLINE_SHELLHELP_H

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace reprise::driver {

/// Returns the possible words of an option or an argument; none if it may be a
/// file, or anything.
using ValueWords =
    std::function<std::vector<std::string>(const CLI::Option &option)>;

/// Returns scripts that complete commands and options of `app`, and their
/// values; files elsewhere, and in addition to the words of an argument.
std::string bashCompletion(const CLI::App &app, const ValueWords &values);
std::string zshCompletion(const CLI::App &app, const ValueWords &values);
std::string fishCompletion(const CLI::App &app, const ValueWords &values);

/// Returns a page for man(1) on `app` and all its commands.
std::string manualPage(const CLI::App &app, const std::string &version);

} // namespace reprise::driver

#endif // REPRISE_COMMANDLINE_SHELLHELP_H
