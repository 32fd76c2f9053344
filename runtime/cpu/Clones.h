//===- Clones.h - Code of several instruction sets --------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CPU_CLONES_H
#define REPRISE_RUNTIME_CPU_CLONES_H

// The compiler makes a function of each instruction set that vectors differ in,
// and the loader takes the one of the processor.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__)
#define REPRISE_CLONES                                                         \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define REPRISE_CLONES
#endif
// What such a function calls is compiled with it.
#define REPRISE_INLINE inline __attribute__((always_inline))

#endif // REPRISE_RUNTIME_CPU_CLONES_H
