//===- Fault.h - Mistakes planted for the tests -----------------*- C++ -*-===//
//
// reprise/Plan/Fault.h for the runtime, which includes nothing of lib: see
// there, and test/faults.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_FAULT_H
#define REPRISE_RUNTIME_CORE_FAULT_H

#ifdef REPRISE_PLANT_FAULTS

#include <cstdlib>
#include <cstring>

namespace reprise::rt {
inline bool isFaultChosen(const char *name) {
  const char *chosen = std::getenv("REPRISE_FAULT");
  return chosen && !std::strcmp(chosen, name);
}
} // namespace reprise::rt

/// Asks the environment once for each place.
#define REPRISE_FAULT(name)                                                    \
  ([] {                                                                        \
    static const bool chosen = ::reprise::rt::isFaultChosen(name);             \
    return chosen;                                                             \
  }())

#else
#define REPRISE_FAULT(name) false
#endif

#endif // REPRISE_RUNTIME_CORE_FAULT_H
