//===- Spellings.h - Other words for a key ----------------------*- C++ -*-===//
#ifndef REPRISE_RECIPE_SPELLINGS_H
#define REPRISE_RECIPE_SPELLINGS_H

#include "reprise/Recipe/Recipe.h"

namespace reprise::recipe {

/// Replaces other spellings by the keys they correspond to; reports pairs that
/// set the same key.
void replaceSpellings(Parsed &parsed);

} // namespace reprise::recipe

#endif // REPRISE_RECIPE_SPELLINGS_H
