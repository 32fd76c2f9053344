//===- RunRecipe.cpp - Options from a recipe ------------------------------===//

#include "reprise/Run/RunRecipe.h"
#include "reprise/Console/Console.h"
#include "reprise/Passes/Optimizers.h"
#include "reprise/Run/RecipeCheck.h"
#include "reprise/Run/RecipeKeys.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <map>
#include <set>

using namespace reprise;
using namespace reprise::driver;

/// Options of the command line, and those of a recipe that they replace.
static const std::map<std::string, std::set<std::string>> kInstead = {
    {"--epochs", {"--steps"}},
    {"--steps", {"--epochs"}},
    {"--resume", {"--weights", "--reload"}},
    {"--weights", {"--resume"}},
    {"--reload", {"--resume"}},
    {"--eval", {"--no-eval"}},
    {"--data", {"--class-names"}},
    {"--no-eval", {"--eval"}},
    {"--shuffle", {"--no-shuffle"}},
    {"--no-shuffle", {"--shuffle"}},
    {"--checkpointing", {"--budget", "--checkpointing-schedule"}},
    {"--budget", {"--checkpointing-schedule"}},
    {"--checkpointing-schedule", {"--checkpointing", "--budget"}},
    {"--clip-grad-norm",
     {"--grad-clipper", "--clip-tolerance", "--clip-momentum"}}};

/// Returns the hyperparameters of other optimizers that this one does not have.
static std::set<std::string> numbersOfOthers(const std::string &optimizer) {
  std::set<std::string> own, others;
  bool isKnown = false;
  for (const OptimizerInfo &info : listOptimizers()) {
    bool isOwn = info.name() == optimizer;
    isKnown |= isOwn;
    for (const Hyperparameter &one : info.hyperparameters)
      (isOwn ? own : others).insert(std::string("--") + one.name);
  }
  for (const std::string &name : own)
    others.erase(name);
  return isKnown ? others : std::set<std::string>();
}

/// Returns the settings of a recipe that the command line makes meaningless.
static std::set<std::string> leftOut(const GivenOptions &command,
                                     const std::set<std::string> &given) {
  std::set<std::string> all;
  for (const std::string &name : given)
    if (auto found = kInstead.find(name); found != kInstead.end())
      all.insert(found->second.begin(), found->second.end());
  auto valueOf = [&](const char *name) {
    return given.count(name) ? command.valuesOf(name).back() : std::string();
  };
  all.merge(numbersOfOthers(valueOf("--optimizer")));
  if (std::string schedule = valueOf("--schedule");
      !schedule.empty() && schedule != "step")
    all.merge(std::set<std::string>{"--step-size", "--gamma"});
  if (std::string clipper = valueOf("--grad-clipper");
      !clipper.empty() && clipper != termName(ClipMode::PreDefined))
    all.insert("--clip-grad-norm");
  return all;
}

/// Returns the option of a setting.
static std::string optionOf(const recipe::Key &key,
                            const recipe::Setting &setting) {
  bool isOff = key.kind == recipe::Kind::Switch && !key.off.empty() &&
               setting.values.front() == "false";
  return isOff ? key.off : key.option;
}

std::optional<FileProblem> RunRecipe::takeOne(const recipe::Setting &setting) {
  recipe::Keys keys = allKeys();
  const recipe::Key &key = *keys.find(setting.path);
  std::string name = optionOf(key, setting);
  bool isOff = name == key.off && !key.off.empty();
  std::string error = command->set(
      name, isOff ? std::vector<std::string>{"true"} : setting.values);
  if (error.empty())
    return std::nullopt;
  return FileProblem{path, setting.line, setting.column,
                     setting.path + ": " + error};
}

/// Returns true if these values of an option may set a budget.
static bool mayBudget(const std::string &option,
                      const std::vector<std::string> &values) {
  return option != "--checkpointing-schedule" ||
         std::any_of(values.begin(), values.end(), [](const auto &one) {
           return one.find("budget=") != std::string::npos;
         });
}

/// Returns true if the command line removed the recipe's budget without setting
/// one, so that the restrictions on its plan no longer apply.
static bool hasLostBudget(const GivenOptions &command,
                          const std::vector<recipe::Setting> &settings,
                          const std::set<std::string> &given,
                          const std::set<std::string> &without) {
  bool hadOne = false, hasOne = false;
  for (const char *name :
       {"--budget", "--checkpointing-schedule", "--memory-limit"}) {
    std::string path =
        "training." + llvm::join(llvm::split(name + 2, '-'), "_");
    bool isGiven = given.count(name);
    hasOne |= isGiven && mayBudget(name, command.valuesOf(name));
    for (const recipe::Setting &one : settings)
      if (one.path == path && mayBudget(name, one.values))
        (isGiven || without.count(name) ? hadOne : hasOne) = true;
  }
  return hadOne && !hasOne;
}

std::vector<FileProblem>
RunRecipe::take(const std::string &file,
                const std::vector<recipe::Setting> &settings) {
  path = file;
  std::vector<std::string> names = command->namesIn("");
  std::set<std::string> given(names.begin(), names.end());
  std::set<std::string> without = leftOut(*command, given);
  if (hasLostBudget(*command, settings, given, without))
    without.insert("--keep");
  given.merge(without);
  recipe::Keys keys = allKeys();
  std::vector<FileProblem> problems;
  for (const recipe::Setting &setting : settings) {
    if (given.count(optionOf(*keys.find(setting.path), setting)))
      continue;
    if (std::optional<FileProblem> problem = takeOne(setting))
      problems.push_back(*problem);
    else if (setting.line > 0)
      taken.push_back(setting);
  }
  return problems;
}

int RunRecipe::read(const std::string &file, const MakeTraining &make) {
  path = file;
  typed = settings();
  rt::Expected<std::string> text = readRecipeText(file);
  if (!text.ok())
    return fail(text.status());
  recipe::Parsed parsed = recipe::parse(*text, allKeys(), text::nearest);
  if (parsed.problems.empty() && take(file, parsed.settings).empty())
    return kSuccess;
  rt::Expected<CheckedRecipe> checked = checkRecipe(make, file, typed);
  if (!checked.ok())
    return fail(checked.status());
  showProblems(checked->problems);
  return kUsage;
}

/// Returns true if `text` contains the option's name, and not a longer one's.
static bool names(const std::string &text, const std::string &option) {
  size_t at = text.find(option);
  if (option.empty() || at == std::string::npos)
    return false;
  char after = at + option.size() < text.size() ? text[at + option.size()] : 0;
  return !std::isalnum((unsigned char)after) && after != '-';
}

/// Returns the position at which a message names an option; npos if it does
/// not.
static size_t placeOf(const std::string &message, const std::string &option) {
  bool isNamed = option.rfind("--", 0) == 0 && names(message, option);
  return isNamed ? message.find(option) : std::string::npos;
}

/// Returns the value of a setting that a message quotes; "" if there is none.
static std::string quotedIn(const std::string &message,
                            const recipe::Setting &setting) {
  for (const std::string &value : setting.values)
    if (message.find("'" + value + "'") != std::string::npos)
      return "'" + value + "'";
  return "";
}

const recipe::Setting *RunRecipe::find(const rt::Status &status) const {
  recipe::Keys keys = allKeys();
  const recipe::Setting *byOption = nullptr, *byValue = nullptr;
  size_t first = std::string::npos;
  for (const recipe::Setting &setting : taken) {
    size_t place =
        placeOf(status.message(), optionOf(*keys.find(setting.path), setting));
    if (place < first) {
      first = place;
      byOption = &setting;
    }
    if (!byValue && !quotedIn(status.message(), setting).empty())
      byValue = &setting;
  }
  return byOption ? byOption : byValue;
}

FileProblem RunRecipe::problemOf(const rt::Status &status,
                                 const recipe::Setting &setting) const {
  recipe::Keys keys = allKeys();
  std::string option = optionOf(*keys.find(setting.path), setting);
  if (placeOf(status.message(), option) == std::string::npos)
    option = quotedIn(status.message(), setting);
  return {path, setting.line, setting.column,
          status.message() + " (" + option + " is " + setting.path + ")"};
}

std::vector<recipe::Setting> RunRecipe::settings() const {
  std::vector<recipe::Setting> all;
  recipe::Keys keys = allKeys();
  for (const recipe::Key &key : keys.all()) {
    if (key.option.empty())
      continue;
    std::vector<std::string> values = command->valuesOf(key.option);
    if (!values.empty() && key.kind == recipe::Kind::Switch)
      values = {command->isOn(key.option) ? "true" : "false"};
    if (!values.empty())
      all.push_back({key.path, std::move(values)});
    if (!key.off.empty() && command->has(key.off))
      all.push_back({key.path, {"false"}});
  }
  return all;
}
