//===- GivenOptions.h - The options of a command line -----------*- C++ -*-===//
//
// Settings ask which options a user gave, by their names, such as "--batch". A
// program without a command line takes this class itself, which has none.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CONSOLE_GIVENOPTIONS_H
#define REPRISE_CONSOLE_GIVENOPTIONS_H

#include <string>
#include <vector>

namespace reprise::driver {

class GivenOptions {
public:
  virtual ~GivenOptions() = default;

  /// Returns true if the command has that option.
  virtual bool knows(const std::string &option) const { return false; }
  /// Returns the given texts; none if the option is not given.
  virtual std::vector<std::string> valuesOf(const std::string &option) const {
    return {};
  }
  bool has(const std::string &option) const {
    return !valuesOf(option).empty();
  }
  /// Returns true if a switch is given, and on.
  virtual bool isOn(const std::string &option) const { return false; }
  /// Returns the given options in the order of the help: those under the
  /// heading `group`, or all for "".
  virtual std::vector<std::string> namesIn(const std::string &group) const {
    return {};
  }
  /// Returns the heading of an option in the help.
  virtual std::string groupOf(const std::string &option) const { return ""; }
  /// Sets an option that is not given. Returns the error of a value that it
  /// does not take, and leaves it unset; otherwise "".
  virtual std::string set(const std::string &option,
                          const std::vector<std::string> &values) {
    return "the command has no " + option;
  }
};

} // namespace reprise::driver

#endif // REPRISE_CONSOLE_GIVENOPTIONS_H
