//===- Averages.h - Names of averaged variables -----------------*- C++ -*-===//
//
// A variable whose exponential moving average a step keeps has a variable of
// role optimizer_state and of its type for it, which begins as it does:
//
//   conv1.weight ──► conv1.weight.ema
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_AVERAGES_H
#define REPRISE_AVERAGES_H

#include <string>
#include <string_view>

namespace reprise {

constexpr std::string_view kAverageSuffix = ".ema";

/// Returns the name of the average of a variable.
inline std::string averageName(std::string_view variable) {
  return std::string(variable).append(kAverageSuffix);
}

/// Returns the name of the variable that `name` would be the average of; empty
/// if no average has that name.
inline std::string_view averagedName(std::string_view name) {
  size_t suffix = kAverageSuffix.size();
  bool isAverage = name.size() > suffix &&
                   name.substr(name.size() - suffix) == kAverageSuffix;
  return isAverage ? name.substr(0, name.size() - suffix) : std::string_view();
}

} // namespace reprise

#endif // REPRISE_AVERAGES_H
