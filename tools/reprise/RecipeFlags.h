//===- RecipeFlags.h - Options from a recipe --------------------*- C++ -*-===//
//
// A recipe sets the options missing on the command line, as if its keys had
// been typed; so every check of an option also applies to its key.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_RECIPEFLAGS_H
#define REPRISE_TOOLS_RECIPEFLAGS_H

#include "reprise/Recipe/Recipe.h"
#include "reprise/Runtime/Status.h"
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::driver {

/// Returns the keys of recipes, including those of every optimizer.
recipe::Keys allKeys();

/// Returns true if a file is a saved state, whatever its name.
bool isSavedState(const std::string &path);

/// Returns the text of a recipe: a file of YAML, or a saved state that holds
/// one.
rt::Expected<std::string> readRecipeText(const std::string &path);

/// An error in a file; lines and columns count from 1.
struct FileProblem {
  std::string file;
  int line = 0, column = 0;
  std::string message;
};

/// Shows problems in the form of compilers, "r.yaml:3:5: error: MESSAGE".
void showProblems(const std::vector<FileProblem> &problems);

/// Thrown through the parser for a recipe whose problems were shown; ends the
/// process with its code.
struct RecipeRefused {
  int code;
};

class RecipeFlags {
public:
  /// Adds --recipe; call it after adding the command's other options.
  void addTo(CLI::App &app);
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
  void apply(const std::string &file);
  std::optional<FileProblem> takeOne(const recipe::Setting &setting);

  CLI::App *command = nullptr;
  std::string path;
  std::vector<recipe::Setting> typed; // on the command line
  std::vector<recipe::Setting> taken; // from the recipe
};

} // namespace reprise::driver

#endif // REPRISE_TOOLS_RECIPEFLAGS_H
