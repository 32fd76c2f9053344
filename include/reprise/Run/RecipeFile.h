//===- RecipeFile.h - Recipes of files and states ---------------*- C++ -*-===//
#ifndef REPRISE_RUN_RECIPEFILE_H
#define REPRISE_RUN_RECIPEFILE_H

#include "reprise/Runtime/Status.h"
#include <string>
#include <vector>

namespace reprise::driver {

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

} // namespace reprise::driver

#endif // REPRISE_RUN_RECIPEFILE_H
