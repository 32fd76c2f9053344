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
#include <string>
#include <vector>

namespace reprise::tools {

/// The keys of recipes, those of every optimizer included.
recipe::Keys allKeys();

/// Whether a file is a saved state, whatever its name.
bool isSavedState(const std::string &path);

/// The text of a recipe: a file of YAML, or a saved state that holds one.
rt::Expected<std::string> readRecipeText(const std::string &path);

/// Reads and checks a recipe; every problem is shown with its place, and the
/// status then has no message.
rt::Expected<std::vector<recipe::Setting>> readRecipe(const std::string &path);

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
  /// The status, with the place in the recipe of an option that it names.
  rt::Status place(const rt::Status &status) const;
  /// What command line and recipe say together, in the order of the keys.
  std::vector<recipe::Setting> settings() const;

private:
  void apply(const std::string &file);
  void applySetting(const recipe::Setting &setting);

  CLI::App *command = nullptr;
  std::string path;
  std::vector<recipe::Setting> taken; // from the recipe
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_RECIPEFLAGS_H
