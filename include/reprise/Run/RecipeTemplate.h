//===- RecipeTemplate.h - Recipes to fill in --------------------*- C++ -*-===//
#ifndef REPRISE_RUN_RECIPETEMPLATE_H
#define REPRISE_RUN_RECIPETEMPLATE_H

#include "reprise/Runtime/Status.h"
#include <string>

namespace reprise::driver {

/// Returns a recipe of a model on data: a few settings, and in comments every
/// other key that affects these, with its default for the model.
rt::Expected<std::string> recipeTemplate(const std::string &model,
                                         const std::string &data);

} // namespace reprise::driver

#endif // REPRISE_RUN_RECIPETEMPLATE_H
