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
  std::vector<std::string> names;
  for (const OptimizerInfo &info : listOptimizers()) {
    if (info.name == name)
      return info;
    names.push_back(info.name.str());
  }
  std::string meant = text::nearest(name, names);
  return misuse("no optimizer is named '" + name + "'" +
                (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                " (there are " + llvm::join(names, ", ") + ")");
}

rt::Expected<HyperparameterValues> CompileSettings::hyperparameters() const {
  std::string name = optimizer.value_or(kDefaultOptimizer.str());
  REPRISE_EXPECT(info, findOptimizer(name));
  HyperparameterValues values;
  for (const Hyperparameter &one : info->hyperparameters)
    if (std::optional<double> number = numbers.at(one.name)) {
      REPRISE_RETURN_IF_ERROR(checkRange(one, *number));
      values[one.name] = *number;
    }
  for (const auto &[key, number] : numbers)
    if (number && !values.count(key))
      return misuse("--" + key + " is not an option of the optimizer " + name);
  // Rules that involve several numbers.
  HyperparameterValues complete = values;
  if (std::string wrong = completeHyperparameters(name, complete);
      !wrong.empty())
    return misuse(wrong);
  return values;
}

rt::Expected<std::string>
CompileSettings::readOptimizer(HyperparameterValues &values) const {
  std::string name = optimizer.value_or(kDefaultOptimizer.str());
  REPRISE_EXPECT(given, hyperparameters());
  values = std::move(*given);
  // Never fails: hyperparameters() has checked them.
  (void)completeHyperparameters(name, values);
  return name;
}
