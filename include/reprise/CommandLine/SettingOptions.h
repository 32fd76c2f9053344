//===- SettingOptions.h - Options from Settings.def -------------*- C++ -*-===//
#ifndef REPRISE_COMMANDLINE_SETTINGOPTIONS_H
#define REPRISE_COMMANDLINE_SETTINGOPTIONS_H

#include "reprise/Recipe/Recipe.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace reprise::driver {

/// Adds options of Settings.def to a command, with the texts and types there.
class SettingOptions {
public:
  /// `group`: a heading of the help; null for the first one.
  explicit SettingOptions(CLI::App &command, const char *group = nullptr)
      : command(command), group(group) {}

  template <typename Value>
  CLI::Option *add(const std::string &name, Value &value) {
    return describe(command.add_option(name, value));
  }
  CLI::Option *addFlag(const std::string &name, bool &value) {
    if (std::string other = otherNameOf(name); !other.empty())
      command.add_flag(other, value)->group(""); // not in the help
    return describe(command.add_flag(name, value));
  }
  /// Calls `take` with the text.
  CLI::Option *addText(const std::string &name,
                       std::function<void(const std::string &)> take) {
    return describe(command.add_option_function<std::string>(name, take));
  }

private:
  CLI::Option *describe(CLI::Option *option) const;
  static std::string otherNameOf(const std::string &option);

  CLI::App &command;
  const char *group;
};

} // namespace reprise::driver

#endif // REPRISE_COMMANDLINE_SETTINGOPTIONS_H
