//===- SettingValues.h - Values of settings ---------------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_SETTINGVALUES_H
#define REPRISE_DRIVER_SETTINGVALUES_H

#include "reprise/Runtime/Trainer/RunSettings.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace reprise::driver {

/// Rejects a number outside the range of its setting.
rt::Status checkRange(const std::string &option, double value);
/// Rejects 0; `least` is what 1 means, as "an epoch".
rt::Status checkCount(const std::string &option, uint64_t count,
                      const std::string &least);

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

#endif // REPRISE_DRIVER_SETTINGVALUES_H
