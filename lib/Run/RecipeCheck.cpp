//===- RecipeCheck.cpp - Report all errors of a recipe --------------------===//
//
// Options fail at the first invalid value. To report all errors, each rejected
// setting is reported and replaced by a usual value, or left out if that is
// rejected too, and the rest is checked again, until nothing of the file is
// rejected.
//
//===----------------------------------------------------------------------===//

#include "reprise/Run/RecipeCheck.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/ModelSource.h"
#include "reprise/Run/RecipeKeys.h"
#include "reprise/Run/TrainSettings.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <map>
#include <tuple>

using namespace reprise;
using namespace reprise::driver;

namespace {

class RecipeChecker {
public:
  RecipeChecker(const MakeTraining &make, const std::string &file,
                const recipe::Parsed &parsed,
                const std::vector<recipe::Setting> &given)
      : make(make), file(file), parsed(parsed), given(given), keys(allKeys()) {}

  CheckedRecipe check();

private:
  /// Checks the remaining settings; returns true if a problem was found and
  /// removed, so that there may be more.
  bool checkOnce();
  std::vector<recipe::Setting> rest() const;
  bool isLeftOut(const std::string &path) const;
  rt::Status checkTogether(TrainSettings &training);
  /// Reports a problem of a setting, once.
  void tell(const FileProblem &problem, const std::string &path);

  enum class Instead { Usual, Nothing };
  const MakeTraining &make;
  const std::string &file;
  const recipe::Parsed &parsed;
  const std::vector<recipe::Setting> &given;
  recipe::Keys keys;
  std::map<std::string, Instead> refused; // by path
  CheckedRecipe checked;
};

} // namespace

/// Returns true if a setting is left out. The numbers of an unknown optimizer
/// are unknown too.
bool RecipeChecker::isLeftOut(const std::string &path) const {
  auto it = refused.find(path);
  if (it != refused.end())
    return it->second == Instead::Nothing;
  return refused.count("optimizer.name") && path != "optimizer.lr" &&
         path.rfind("optimizer.", 0) == 0;
}

/// The settings of the recipe that were not refused.
std::vector<recipe::Setting> RecipeChecker::rest() const {
  std::vector<recipe::Setting> settings;
  for (recipe::Setting setting : parsed.settings) {
    const recipe::Key *key = keys.find(setting.path);
    if (isLeftOut(setting.path) || !key->same.empty())
      continue;
    if (refused.count(setting.path))
      setting.values = {key->usual};
    settings.push_back(std::move(setting));
  }
  return settings;
}

void RecipeChecker::tell(const FileProblem &problem, const std::string &path) {
  const recipe::Key *key = keys.find(path);
  bool isOne =
      key->kind != recipe::Kind::List && key->kind != recipe::Kind::Pairs;
  auto [it, isNew] = refused.try_emplace(path, Instead::Usual);
  if (isNew)
    checked.problems.push_back(problem);
  // An unknown model has no usual replacement: others have other options.
  if (!isNew || !isOne || key->option == "model")
    it->second = Instead::Nothing;
}

/// Checks options that depend on each other. With an unknown model, it checks
/// those that need no model.
rt::Status RecipeChecker::checkTogether(TrainSettings &training) {
  bool hasModel = !refused.count("model.name");
  for (const char *name : {"model", "--data"})
    if (!training.command->has(name) && (hasModel || *name == '-'))
      return misuse("'" + file + "' does not say " +
                    keys.findOption(name)->path);
  REPRISE_RETURN_IF_ERROR(completeSettings(training));
  if (!hasModel) {
    REPRISE_RETURN_IF_ERROR(training.run.model.options().status());
    return training.run.compile.options().status();
  }
  RunOptions &run = training.run;
  if (training.train.resumePath.empty())
    REPRISE_RETURN_IF_ERROR(run.takeClassNames({}, ""));
  REPRISE_EXPECT(artifact, isArtifact(run.source));
  if (*artifact)
    return refuseFlags(run.source, run.model, run.compile);
  REPRISE_EXPECT(request, readRequest(run.source, run.model, run.compile));
  if (!training.plan.isPlain())
    REPRISE_RETURN_IF_ERROR(run.readModes(training.plan));
  // Sizes that do not fit each other are known to the model alone.
  Compiler compiler;
  return compiler.load(request->source, request->model);
}

bool RecipeChecker::checkOnce() {
  std::shared_ptr<TrainSettings> training = make();
  // The command line's settings, which take precedence.
  (void)training->recipe.take("", given);
  size_t before = refused.size();
  for (const FileProblem &problem : training->recipe.take(file, rest()))
    for (const recipe::Setting &setting : parsed.settings)
      if (setting.line == problem.line && setting.column == problem.column)
        tell(problem, setting.path);
  if (refused.size() > before)
    return true;
  rt::Status status = checkTogether(*training);
  if (status.ok()) {
    auto settings = resolvedSettings(*training);
    if (settings.ok() && checked.problems.empty())
      checked.settings = std::move(*settings);
    return false;
  }
  if (const recipe::Setting *setting = training->recipe.find(status)) {
    tell(training->recipe.problemOf(status, *setting), setting->path);
    return true;
  }
  // After other problems, it may be caused by removed settings.
  if (checked.problems.empty())
    checked.problems.push_back({file, 1, 1, status.message()});
  return false;
}

CheckedRecipe RecipeChecker::check() {
  for (const recipe::Problem &problem : parsed.problems)
    checked.problems.push_back(
        {file, problem.line, problem.column, problem.message});
  checked.keys = parsed.settings.size();
  // A setting is replaced once and left out once.
  for (size_t left = 2 * parsed.settings.size(); checkOnce() && left > 0;)
    --left;
  std::stable_sort(checked.problems.begin(), checked.problems.end(),
                   [](const FileProblem &a, const FileProblem &b) {
                     return std::tie(a.line, a.column) <
                            std::tie(b.line, b.column);
                   });
  return std::move(checked);
}

rt::Expected<CheckedRecipe>
driver::checkRecipe(const MakeTraining &make, const std::string &file,
                    const std::vector<recipe::Setting> &given) {
  REPRISE_EXPECT(text, readRecipeText(file));
  recipe::Parsed parsed = recipe::parse(*text, allKeys(), text::nearest);
  return RecipeChecker(make, file, parsed, given).check();
}
