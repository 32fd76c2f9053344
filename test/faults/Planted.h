//===- Planted.h - The choice of a planted fault ----------------*- C++ -*-===//
//
// plant.py copies this header into its copy of the sources, as
// include/reprise/Planted.h.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLANTED_H
#define REPRISE_PLANTED_H

#include <cstdlib>
#include <cstring>

namespace reprise {
inline bool isFaultChosen(const char *name) {
  const char *chosen = std::getenv("REPRISE_FAULT");
  return chosen && !std::strcmp(chosen, name);
}
} // namespace reprise

/// Asks the environment once for each place.
#define REPRISE_IS_CHOSEN(name)                                                \
  ([] {                                                                        \
    static const bool isChosen = ::reprise::isFaultChosen(name);               \
    return isChosen;                                                           \
  }())

/// Guards the statement that follows. There is no loop, so that `continue` and
/// `break` mean the loop around it, and the `else` is taken, so that an `else`
/// after the statement is not its own.
#define REPRISE_PLANTED(name)                                                  \
  if (!REPRISE_IS_CHOSEN(name)) {                                              \
  } else

#endif // REPRISE_PLANTED_H
