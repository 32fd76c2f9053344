//===- ForeignKeys.h - Keys of other frameworks -----------------*- C++ -*-===//
#ifndef REPRISE_RECIPE_FOREIGNKEYS_H
#define REPRISE_RECIPE_FOREIGNKEYS_H

#include <string>

namespace reprise::recipe {

/// A key that MedFusion or United Perception has and recipes do not.
struct ForeignKey {
  const char *path; // as in that framework, without sections "kwargs"
  const char *ours; // the corresponding key of recipes; "" if there is none
  const char *how;  // further advice; "" if there is none
};

/// Returns the entry for this path; null if there is none.
const ForeignKey *findForeign(const std::string &path);

/// Returns our key for all entries whose paths end in `name`; "" if there is
/// none, or several.
std::string foreignNamed(const std::string &name);

/// Returns true if other frameworks have keys below `path`.
bool isForeignSection(const std::string &path);

/// Returns the image step of United Perception that a section {type: NAME, ...}
/// describes, whatever the section's name; null for another type.
const ForeignKey *findForeignImageStep(const std::string &type);

/// Returns a text such as "here it is 'training.amp' (f16 for True)".
std::string answer(const ForeignKey &key);

} // namespace reprise::recipe

#endif // REPRISE_RECIPE_FOREIGNKEYS_H
