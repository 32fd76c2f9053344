//===- RecipeCheck.h - Report all errors of a recipe ------------*- C++ -*-===//
#ifndef REPRISE_RUN_RECIPECHECK_H
#define REPRISE_RUN_RECIPECHECK_H

#include "reprise/Run/RunRecipe.h"

namespace reprise::driver {

struct CheckedRecipe {
  /// Problems in the order of the file.
  std::vector<FileProblem> problems;
  /// The settings of the run, with the defaults that affect it; empty if there
  /// are problems.
  std::vector<recipe::Setting> settings;
  size_t keys = 0; // in the file
};

/// Checks a recipe, or that of a saved state, like 'reprise train --recipe
/// FILE' with the options `given`; reports at once everything that can be
/// rejected without compiling or reading data. Fails for a file that cannot be
/// read.
rt::Expected<CheckedRecipe>
checkRecipe(const MakeTraining &make, const std::string &file,
            const std::vector<recipe::Setting> &given = {});

} // namespace reprise::driver

#endif // REPRISE_RUN_RECIPECHECK_H
