//===- Fault.h - Mistakes planted for the tests -----------------*- C++ -*-===//
//
// A test of tests: `REPRISE_FAULT("name")` marks where the code can be made to
// err, and test/faults/run asks which tests notice. It is true when the
// environment variable REPRISE_FAULT has that name at the start of the process,
// and only in builds with REPRISE_BUILD_TESTS; in others it is the constant
// false, so that nothing of a fault is compiled.
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
#define REPRISE_FAULT(name)                                                    \
  ([] {                                                                        \
    static const bool chosen = ::reprise::isFaultChosen(name);                 \
    return chosen;                                                             \
  }())

#else
#define REPRISE_FAULT(name) false
#endif

#endif // REPRISE_FAULT_H
