//===- CompilerHeap.h - Compilers of this process ---------------*- C++ -*-===//
//
// MLIR allocates ops with malloc() and does not check the result: a process at
// its limit faults. A program that prefers to end with a message replaces
// malloc(), and asks here whether a failed allocation may be MLIR's.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_DRIVER_COMPILERHEAP_H
#define REPRISE_DRIVER_COMPILERHEAP_H

namespace reprise::driver {

/// Counts as a compiler while it lives.
class CompilerHeap {
public:
  CompilerHeap();
  ~CompilerHeap();
  CompilerHeap(const CompilerHeap &) = delete;
  CompilerHeap &operator=(const CompilerHeap &) = delete;

  /// Returns true while one lives; takes no lock and no memory.
  static bool isInUse();
};

} // namespace reprise::driver

#endif // REPRISE_DRIVER_COMPILERHEAP_H
