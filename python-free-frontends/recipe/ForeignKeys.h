//===- ForeignKeys.h - Keys of other frameworks -----------------*- C++ -*-===//
#ifndef REPRISE_RECIPE_FOREIGNKEYS_H
#define REPRISE_RECIPE_FOREIGNKEYS_H

#include <string>

namespace reprise::recipe {

/// A key that MedFusion or United Perception has and recipes do not.
struct ForeignKey {
  const char *path; // as it stands there; sections "kwargs" are left out
  const char *ours; // the key that it is here; "" where there is none
  const char *how;  // what else to know; "" for nothing
};

/// The one of this path; null if there is none.
const ForeignKey *findForeign(const std::string &path);

/// Whether keys of other frameworks are below `path`.
bool isForeignSection(const std::string &path);

/// The step on images of United Perception that a section {type: NAME, ...}
/// describes, whatever the section's own name is; null for another type.
const ForeignKey *findForeignImageStep(const std::string &type);

/// "here it is 'training.amp' (f16 for True)".
std::string answer(const ForeignKey &key);

} // namespace reprise::recipe

#endif // REPRISE_RECIPE_FOREIGNKEYS_H
