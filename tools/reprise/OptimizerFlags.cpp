//===- OptimizerFlags.cpp - Options of optimizers -------------------------===//
//
// The members of CompileFlags for --optimizer and the hyperparameters.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "CompileFlags.h"
#include "reprise/Console/Console.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <set>

using namespace reprise;
using namespace reprise::driver;

/// Returns the default of a hyperparameter for the help: " (default: 0.9)".
static std::string defaultOf(const Hyperparameter &one) {
  switch (one.kind) {
  case Hyperparameter::Kind::Number:
    return " (default: " + rt::settingNumber(one.value) + ")";
  case Hyperparameter::Kind::Exception:
    return " (default: as --" + std::string(one.otherwise) + ")";
  case Hyperparameter::Kind::Switch:
    return "";
  }
  return "";
}

/// Adds an option for each hyperparameter of any optimizer.
void CompileFlags::addOptimizerOptions() {
  std::string names;
  std::map<std::string, std::string> helps;
  std::set<std::string> switches;
  for (const OptimizerInfo &info : listOptimizers()) {
    names += (names.empty() ? "" : ", ") + info.name.str() +
             (names.empty() ? " (default)" : "");
    for (const Hyperparameter &one : info.hyperparameters) {
      std::string &help = helps[one.name];
      std::string meaning = one.meaning;
      help += !help.empty()     ? ", of "
              : meaning.empty() ? "Of "
                                : meaning + "; of ";
      help += info.name.str() + defaultOf(one);
      if (one.kind == Hyperparameter::Kind::Switch)
        switches.insert(one.name);
    }
  }
  command->add_option("--optimizer", optimizer, "Optimizer: " + names)
      ->group(kCompileGroup);
  for (const auto &[name, help] : helps) {
    std::optional<double> &number = numbers[name];
    CLI::Option *option =
        switches.count(name)
            ? command->add_flag_function(
                  "--" + name, [&number](int64_t count) { number = count > 0; },
                  help)
            : command->add_option("--" + name, number, help);
    option->group(kCompileGroup);
  }
}

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

rt::Expected<HyperparameterValues> CompileFlags::hyperparameters() const {
  std::string name = optimizer.value_or(kDefaultOptimizer.str());
  rt::Expected<OptimizerInfo> info = findOptimizer(name);
  if (!info.ok())
    return info.status();
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
CompileFlags::readOptimizer(HyperparameterValues &values) const {
  std::string name = optimizer.value_or(kDefaultOptimizer.str());
  rt::Expected<HyperparameterValues> given = hyperparameters();
  if (!given.ok())
    return given.status();
  values = std::move(*given);
  // Never fails: hyperparameters() has checked them.
  (void)completeHyperparameters(name, values);
  return name;
}
