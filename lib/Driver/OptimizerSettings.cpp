//===- OptimizerSettings.cpp - Options of optimizers ----------------------===//
//
// The members of CompileSettings for --optimizer and the hyperparameters.
//
//===----------------------------------------------------------------------===//

#include "reprise/Console/Console.h"
#include "reprise/Driver/CompileSettings.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace reprise;
using namespace reprise::driver;

/// Rejects a number outside its hyperparameter's range.
static rt::Status checkRange(const Hyperparameter &one, double value) {
  if (value >= one.least && value < one.end)
    return {};
  auto number = [](double value) {
    return value == std::floor(value) ? text::formatFixed(value, 0)
                                      : rt::settingNumber(value);
  };
  return misuse("--" + std::string(one.name) + " is " +
                text::formatFixed(value, 4) + "; it must be at least " +
                number(one.least) + " and less than " + number(one.end));
}

static rt::Expected<OptimizerInfo> findOptimizer(const std::string &name) {
  if (auto kind = termOf<OptimizerKind>(name))
    return listOptimizers()[size_t(*kind)];
  std::vector<std::string> names = termNames<OptimizerKind>();
  std::string meant = text::nearest(name, names);
  return misuse("no optimizer is named '" + name + "'" +
                (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                " (there are " + llvm::join(names, ", ") + ")");
}

rt::Expected<OptimizerSettings> CompileSettings::readOptimizer() const {
  std::string name = optimizer.value_or(termName(kDefaultOptimizer));
  REPRISE_EXPECT(info, findOptimizer(name));
  OptimizerSettings settings{info->kind, {}};
  for (const Hyperparameter &one : info->hyperparameters)
    if (std::optional<double> number = numbers.at(one.name)) {
      REPRISE_RETURN_IF_ERROR(checkRange(one, *number));
      settings.values[one.name] = *number;
    }
  for (const auto &[key, number] : numbers)
    if (number && !settings.values.count(key))
      return misuse("--" + key + " is not an option of the optimizer " + name);
  // Rules that involve several numbers.
  if (std::string wrong = completeHyperparameters(settings); !wrong.empty())
    return misuse(wrong);
  return settings;
}
