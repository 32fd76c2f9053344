//===- Fault.h - Mistakes planted for the tests -----------------*- C++ -*-===//
//
// A test of tests: `REPRISE_FAULT("name", damage);` stands beside the code and
// makes it err, and test/faults/run asks which tests notice. The damage is done
// when the environment variable REPRISE_FAULT has that name at the start of the
// process, and only in builds with REPRISE_BUILD_TESTS; in others it is
// compiled, so that it stays true, but never reached, so that nothing is left.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_FAULT_H
#define REPRISE_FAULT_H

#ifdef REPRISE_PLANT_FAULTS

#include <cstdlib>
#include <cstring>

namespace reprise {
inline bool isFaultChosen(const char *name) {
  const char *chosen = std::getenv("REPRISE_FAULT");
  return chosen && !std::strcmp(chosen, name);
}
} // namespace reprise

/// Asks the environment once for each place.
#define REPRISE_FAULT_IS_CHOSEN(name)                                          \
  ([] {                                                                        \
    static const bool chosen = ::reprise::isFaultChosen(name);                 \
    return chosen;                                                             \
  }())

#else
#define REPRISE_FAULT_IS_CHOSEN(name) false
#endif

/// A statement of its own, on a line of its own, whose damage is one statement
/// too: `bytes += 64`, `return`, `if (isClone) continue`, `{ ... }`. There is
/// no loop around it, so that `continue` and `break` mean the code's own, and
/// the `else` is taken, so that another one cannot become the fault's.
#define REPRISE_FAULT(name, ...)                                               \
  if (!REPRISE_FAULT_IS_CHOSEN(name)) {                                        \
  } else                                                                       \
    __VA_ARGS__

#endif // REPRISE_FAULT_H
