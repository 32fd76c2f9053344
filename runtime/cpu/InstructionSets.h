//===- InstructionSets.h - The vectors a processor has ----------*- C++ -*-===//
//
// Loops over vectors are compiled for each set of vector instructions. They are
// in a header of their own, NAMELoops.h, within namespace REPRISE_VERSION, and
// NAME.cpp contains
//
//     #define REPRISE_LOOPS "NAMELoops.h"
//     #include "EachInstructionSet.h"
//     void f(int x) { REPRISE_DISPATCH(f, x); }
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_INSTRUCTIONSETS_H
#define REPRISE_RUNTIME_CPU_INSTRUCTIONSETS_H

#include "Host.h"

namespace reprise::rt {

enum class InstructionSet { Baseline, Avx2, Avx512 };

/// Returns the best set that this processor has and that is not hidden.
inline InstructionSet findInstructionSet() {
#ifdef __x86_64__
  if (hasFeature("avx512f"))
    return InstructionSet::Avx512;
  if (hasFeature("avx2"))
    return InstructionSet::Avx2;
#endif
  return InstructionSet::Baseline;
}

inline InstructionSet instructionSet() {
  static const InstructionSet set = findInstructionSet();
  return set;
}

} // namespace reprise::rt

// Calls the version of `function` for this processor and returns its result.
#ifdef __x86_64__
#define REPRISE_DISPATCH(function, ...)                                        \
  switch (instructionSet()) {                                                  \
  case InstructionSet::Avx512:                                                 \
    return avx512::function(__VA_ARGS__);                                      \
  case InstructionSet::Avx2:                                                   \
    return avx2::function(__VA_ARGS__);                                        \
  default:                                                                     \
    return baseline::function(__VA_ARGS__);                                    \
  }
#else
#define REPRISE_DISPATCH(function, ...) return baseline::function(__VA_ARGS__)
#endif

// Marks a function that is compiled into its callers, for their instruction
// set.
#define REPRISE_INLINE inline __attribute__((always_inline))

#endif // REPRISE_RUNTIME_CPU_INSTRUCTIONSETS_H
