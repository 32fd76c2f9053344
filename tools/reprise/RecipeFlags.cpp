//===- RecipeFlags.cpp - Options from a recipe ----------------------------===//

#include "RecipeFlags.h"
#include "RecipeCheck.h"
#include "reprise/Console/Console.h"
#include "reprise/Passes/Optimizers.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Runtime/Trainer/State.h"
#include "reprise/Text/Printable.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <map>
#include <set>

using namespace reprise;
using namespace reprise::driver;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Returns "weight_decay" for "weight-decay", the spelling of keys.
static std::string snakeCase(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

static recipe::Key keyOf(const OptimizerInfo &info, const Hyperparameter &one) {
  recipe::Key key;
  key.path = "optimizer." + snakeCase(one.name);
  key.option = std::string("--") + one.name;
  bool isSwitch = one.kind == Hyperparameter::Kind::Switch;
  key.kind = isSwitch ? recipe::Kind::Switch : recipe::Kind::Number;
  key.usual = isSwitch ? "false" : rt::settingNumber(one.value);
  // Without it another number is used.
  key.isExample = one.kind == Hyperparameter::Kind::Exception;
  std::string meaning = one.meaning;
  key.meaning = (meaning.empty() ? "Of " : meaning + "; of ") + info.name.str();
  return key;
}

recipe::Keys driver::allKeys() {
  recipe::Keys keys = recipe::Keys::standard();
  recipe::Key name;
  name.path = "optimizer.name";
  name.option = "--optimizer";
  name.kind = recipe::Kind::Choice;
  name.meaning = "What updates the parameters";
  for (const OptimizerInfo &info : listOptimizers())
    name.choices.push_back(info.name.str());
  name.usual = name.choices.front();
  keys.add(name);
  for (const OptimizerInfo &info : listOptimizers())
    for (const Hyperparameter &one : info.hyperparameters)
      (void)keys.add(keyOf(info, one)); // the first optimizer's of a name
  return keys;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Detects the length of a header, and the header.
bool driver::isSavedState(const std::string &path) {
  if (endsWith(path, ".safetensors"))
    return true;
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  uint8_t begin[9] = {};
  if (!file.ok() || file->size() < sizeof begin ||
      !file->readAt(0, begin, sizeof begin).ok())
    return false;
  uint64_t length = 0;
  for (size_t at = 8; at-- > 0;)
    length = length << 8 | begin[at];
  return begin[8] == '{' && length <= file->size() - 8;
}

rt::Expected<std::string> driver::readRecipeText(const std::string &path) {
  if (isSavedState(path)) {
    rt::Expected<rt::RunPosition> position = rt::readStatePosition(path);
    if (!position.ok())
      return position.status();
    if (position->recipe.empty())
      return invalid(
          "'" + path +
          "' holds no recipe; the run that saved it was set up by options");
    return position->recipe;
  }
  rt::Expected<rt::InputFile> file = rt::InputFile::open(path);
  if (!file.ok())
    return file.status();
  if (file->size() > recipe::kMostRecipeBytes)
    return invalid("'" + path + "' has " + std::to_string(file->size()) +
                   " bytes; a recipe has " +
                   std::to_string(recipe::kMostRecipeBytes) + " at most");
  std::string text(size_t(file->size()), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, text.data(), text.size()));
  return text;
}

void driver::showProblems(const std::vector<FileProblem> &problems) {
  for (const FileProblem &problem : problems)
    std::fprintf(stderr, "%s:%d:%d: error: %s\n",
                 text::printable(problem.file).c_str(), problem.line,
                 problem.column, text::printable(problem.message).c_str());
}

//===----------------------------------------------------------------------===//
// Into options
//===----------------------------------------------------------------------===//

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
    bool isOwn = info.name == optimizer;
    isKnown |= isOwn;
    for (const Hyperparameter &one : info.hyperparameters)
      (isOwn ? own : others).insert(std::string("--") + one.name);
  }
  for (const std::string &name : own)
    others.erase(name);
  return isKnown ? others : std::set<std::string>();
}

/// Returns the settings of a recipe that the command line makes meaningless.
static std::set<std::string> leftOut(const CLI::App &command,
                                     const std::set<std::string> &given) {
  std::set<std::string> all;
  for (const std::string &name : given)
    if (auto found = kInstead.find(name); found != kInstead.end())
      all.insert(found->second.begin(), found->second.end());
  auto valueOf = [&](const char *name) {
    return given.count(name) ? command.get_option(name)->results().back()
                             : std::string();
  };
  all.merge(numbersOfOthers(valueOf("--optimizer")));
  if (std::string schedule = valueOf("--schedule");
      !schedule.empty() && schedule != "step")
    all.merge(std::set<std::string>{"--step-size", "--gamma"});
  if (std::string clipper = valueOf("--grad-clipper");
      !clipper.empty() && clipper != "pre_defined")
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

void RecipeFlags::addTo(CLI::App &app) {
  command = &app;
  // The parser calls this after reading the whole command line.
  command
      ->add_option_function<std::string>(
          "--recipe", [this](const std::string &file) { apply(file); },
          "Take the settings that no option gives from a recipe (YAML), or "
          "from the recipe in a saved state")
      ->type_name("FILE");
}

std::optional<FileProblem>
RecipeFlags::takeOne(const recipe::Setting &setting) {
  recipe::Keys keys = allKeys();
  const recipe::Key &key = *keys.find(setting.path);
  std::string name = optionOf(key, setting);
  CLI::Option *option = command->get_option(name);
  if (name == key.off && !key.off.empty())
    option->add_result("true");
  else
    for (const std::string &value : setting.values)
      option->add_result(value);
  try {
    option->run_callback();
  } catch (const CLI::ParseError &error) {
    option->clear();
    return FileProblem{path, setting.line, setting.column,
                       setting.path + ": " + error.what()};
  }
  return std::nullopt;
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
static bool hasLostBudget(const CLI::App &command,
                          const std::vector<recipe::Setting> &settings,
                          const std::set<std::string> &given,
                          const std::set<std::string> &without) {
  bool hadOne = false, hasOne = false;
  for (const char *name :
       {"--budget", "--checkpointing-schedule", "--memory-limit"}) {
    std::string path = "training." + snakeCase(name + 2);
    bool isGiven = given.count(name);
    hasOne |= isGiven && mayBudget(name, command.get_option(name)->results());
    for (const recipe::Setting &one : settings)
      if (one.path == path && mayBudget(name, one.values))
        (isGiven || without.count(name) ? hadOne : hasOne) = true;
  }
  return hadOne && !hasOne;
}

std::vector<FileProblem>
RecipeFlags::take(const std::string &file,
                  const std::vector<recipe::Setting> &settings) {
  path = file;
  std::set<std::string> given;
  for (const CLI::Option *option : command->get_options())
    if (option->count())
      given.insert(option->get_name());
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

void RecipeFlags::apply(const std::string &file) {
  path = file;
  typed = settings();
  rt::Expected<std::string> text = readRecipeText(file);
  if (!text.ok())
    throw RecipeRefused{fail(text.status())};
  recipe::Parsed parsed = recipe::parse(*text, allKeys(), text::nearest);
  if (parsed.problems.empty() && take(file, parsed.settings).empty())
    return;
  rt::Expected<CheckedRecipe> checked = checkRecipe(file, typed);
  if (!checked.ok())
    throw RecipeRefused{fail(checked.status())};
  showProblems(checked->problems);
  throw RecipeRefused{kUsage};
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

const recipe::Setting *RecipeFlags::find(const rt::Status &status) const {
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

FileProblem RecipeFlags::problemOf(const rt::Status &status,
                                   const recipe::Setting &setting) const {
  recipe::Keys keys = allKeys();
  std::string option = optionOf(*keys.find(setting.path), setting);
  if (placeOf(status.message(), option) == std::string::npos)
    option = quotedIn(status.message(), setting);
  return {path, setting.line, setting.column,
          status.message() + " (" + option + " is " + setting.path + ")"};
}

/// Returns an option's values in the form of a recipe.
static std::vector<std::string> valuesOf(const recipe::Key &key,
                                         const CLI::Option &option) {
  std::vector<std::string> values = option.results();
  if (key.kind != recipe::Kind::Switch)
    return values;
  bool isOn = CLI::detail::to_flag_value(values.back()) > 0;
  return {isOn ? "true" : "false"};
}

std::vector<recipe::Setting> RecipeFlags::settings() const {
  std::vector<recipe::Setting> all;
  recipe::Keys keys = allKeys();
  for (const recipe::Key &key : keys.all()) {
    if (key.option.empty())
      continue;
    const CLI::Option *option = command->get_option_no_throw(key.option);
    if (option && option->count())
      all.push_back({key.path, valuesOf(key, *option)});
    option = key.off.empty() ? nullptr : command->get_option_no_throw(key.off);
    if (option && option->count())
      all.push_back({key.path, {"false"}});
  }
  return all;
}
