//===- EachInstructionSet.h - One version per set ---------------*- C++ -*-===//
//
// Includes REPRISE_LOOPS once for each set of vector instructions, as namespace
// REPRISE_VERSION, where REPRISE_REGISTERS is the number of vectors of 16
// floats that registers hold. The includes of that file must have been included
// before.
//
//===----------------------------------------------------------------------===//
#ifdef __x86_64__
#define REPRISE_VERSION avx512
#define REPRISE_REGISTERS 32
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f"))),               \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif
#include REPRISE_LOOPS
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef REPRISE_VERSION
#undef REPRISE_REGISTERS

#define REPRISE_VERSION avx2
#define REPRISE_REGISTERS 8
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))),                  \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#include REPRISE_LOOPS
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef REPRISE_VERSION
#undef REPRISE_REGISTERS
#endif

#define REPRISE_VERSION baseline
#define REPRISE_REGISTERS 4
#include REPRISE_LOOPS
#undef REPRISE_VERSION
#undef REPRISE_REGISTERS
#undef REPRISE_LOOPS
