//===- SettingOptions.h - Options from Settings.def -------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_SETTINGOPTIONS_H
#define REPRISE_TOOLS_SETTINGOPTIONS_H

#include "reprise/Recipe/Recipe.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include "llvm/ADT/StringExtras.h"
#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

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

/// Rejects a number outside the range of its setting.
rt::Status checkRange(const std::string &option, double value);

/// Takes a setting of a state, unless it is missing or `option` is given.
template <typename Value>
void takeSetting(const rt::RunSettings &runSettings, const std::string &name,
                 std::optional<Value> &option) {
  auto it = runSettings.find(name);
  if (option || it == runSettings.end())
    return;
  if constexpr (std::is_same_v<Value, std::string>) {
    option = it->second;
  } else {
    using Limits = std::numeric_limits<Value>;
    double value = 0;
    if (llvm::to_float(it->second, value) &&
        value >= double(Limits::lowest()) && value <= double(Limits::max()))
      option = Value(value);
  }
}

/// Takes a setting of words with spaces between.
inline void takeSetting(const rt::RunSettings &runSettings,
                        const std::string &name,
                        std::vector<std::string> &option) {
  auto it = runSettings.find(name);
  if (!option.empty() || it == runSettings.end())
    return;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(it->second).split(words, ' ');
  option.assign(words.begin(), words.end());
}

} // namespace reprise::driver

#endif // REPRISE_TOOLS_SETTINGOPTIONS_H
