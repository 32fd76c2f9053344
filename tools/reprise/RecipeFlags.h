//===- RecipeFlags.h - Options from a recipe --------------------*- C++ -*-===//
//
// A recipe fills in what the command line does not say, as if its keys had been
// typed; so every check of an option is one of its key too.
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

namespace reprise::tools {

/// The keys of recipes, those of every optimizer included.
recipe::Keys allKeys();

/// Whether a file is a saved state, whatever its name.
bool isSavedState(const std::string &path);

/// The text of a recipe: a file of YAML, or a saved state that holds one.
rt::Expected<std::string> readRecipeText(const std::string &path);

/// Something wrong in a file; lines and columns count from 1.
struct FileProblem {
  std::string file;
  int line = 0, column = 0;
  std::string message;
};

/// Shows problems as compilers write them, "r.yaml:3:5: error: MESSAGE".
void showProblems(const std::vector<FileProblem> &problems);

/// Thrown out of the parser for a recipe whose problems were shown; ends the
/// process with its code.
struct RecipeRefused {
  int code;
};

class RecipeFlags {
public:
  /// Adds --recipe; after all other options of the command.
  void addTo(CLI::App &app);
  bool isGiven() const { return !path.empty(); }
  const std::string &file() const { return path; }
  /// Gives options the values of a recipe, but those that were given already
  /// and those that are meaningless beside them. What is refused is left out
  /// and returned.
  std::vector<FileProblem> take(const std::string &file,
                                const std::vector<recipe::Setting> &settings);
  /// The setting of the recipe that a status is about: one whose option it
  /// names, or else whose value; null if there is none.
  const recipe::Setting *find(const rt::Status &status) const;
  /// The status as a problem of that setting.
  FileProblem problemOf(const rt::Status &status,
                        const recipe::Setting &setting) const;
  /// What command line and recipe say together, in the order of the keys.
  std::vector<recipe::Setting> settings() const;
  /// The settings that the command line gives by itself.
  const std::vector<recipe::Setting> &given() const { return typed; }

private:
  void apply(const std::string &file);
  std::optional<FileProblem> takeOne(const recipe::Setting &setting);

  CLI::App *command = nullptr;
  std::string path;
  std::vector<recipe::Setting> typed; // on the command line
  std::vector<recipe::Setting> taken; // from the recipe
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_RECIPEFLAGS_H
