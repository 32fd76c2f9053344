//===- RunRecipe.h - Options from a recipe ----------------------*- C++ -*-===//
//
// A recipe sets the options missing on the command line, as if its keys had
// been typed; so every check of an option also applies to its key.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUN_RUNRECIPE_H
#define REPRISE_RUN_RUNRECIPE_H

#include "reprise/Console/GivenOptions.h"
#include "reprise/Recipe/Recipe.h"
#include "reprise/Run/RecipeFile.h"
#include <functional>
#include <memory>
#include <optional>

namespace reprise::driver {

struct TrainSettings;

/// Returns the settings of 'reprise train' with none given.
using MakeTraining = std::function<std::shared_ptr<TrainSettings>()>;

/// The recipe of a run, and its options.
class RunRecipe {
public:
  std::shared_ptr<GivenOptions> command = std::make_shared<GivenOptions>();

  /// Sets options from the recipe in a file, as `take` does. Shows its problems
  /// if it has any, and returns the exit code. `make` is for checkRecipe.
  int read(const std::string &file, const MakeTraining &make);
  bool isGiven() const { return !path.empty(); }
  const std::string &file() const { return path; }
  /// Sets options from a recipe, except those already given and those made
  /// meaningless by these. Rejected settings are left out and returned.
  std::vector<FileProblem> take(const std::string &file,
                                const std::vector<recipe::Setting> &settings);
  /// Returns the setting of the recipe that a status is about: the one whose
  /// option it names, or else whose value; null if there is none.
  const recipe::Setting *find(const rt::Status &status) const;
  /// Returns the status as a problem of that setting.
  FileProblem problemOf(const rt::Status &status,
                        const recipe::Setting &setting) const;
  /// Returns the combined settings of command line and recipe, in the order of
  /// the keys.
  std::vector<recipe::Setting> settings() const;
  /// Returns the settings given on the command line.
  const std::vector<recipe::Setting> &given() const { return typed; }

private:
  std::optional<FileProblem> takeOne(const recipe::Setting &setting);

  std::string path;
  std::vector<recipe::Setting> typed; // on the command line
  std::vector<recipe::Setting> taken; // from the recipe
};

} // namespace reprise::driver

#endif // REPRISE_RUN_RUNRECIPE_H
