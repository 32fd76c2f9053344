//===- RecipeCheck.h - All that is wrong with a recipe ----------*- C++ -*-===//
#ifndef REPRISE_TOOLS_RECIPECHECK_H
#define REPRISE_TOOLS_RECIPECHECK_H

#include "RecipeFlags.h"

namespace reprise::tools {

struct CheckedRecipe {
  /// In the order of the file.
  std::vector<FileProblem> problems;
  /// The settings of the run, with the defaults that decide it; empty if there
  /// are problems.
  std::vector<recipe::Setting> settings;
  size_t keys = 0; // that the file says
};

/// Checks a recipe, or that of a saved state, as 'reprise train --recipe FILE'
/// with the options `given` would; everything that can be refused without
/// compiling or reading data is, all of it at once. Fails for a file that
/// cannot be read.
rt::Expected<CheckedRecipe>
checkRecipe(const std::string &file,
            const std::vector<recipe::Setting> &given = {});

} // namespace reprise::tools

#endif // REPRISE_TOOLS_RECIPECHECK_H
