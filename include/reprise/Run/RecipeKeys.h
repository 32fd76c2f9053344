//===- RecipeKeys.h - The keys of recipes -----------------------*- C++ -*-===//
#ifndef REPRISE_RUN_RECIPEKEYS_H
#define REPRISE_RUN_RECIPEKEYS_H

#include "reprise/Recipe/Recipe.h"

namespace reprise::driver {

/// Returns the keys of recipes, including those of every optimizer.
recipe::Keys allKeys();

} // namespace reprise::driver

#endif // REPRISE_RUN_RECIPEKEYS_H
