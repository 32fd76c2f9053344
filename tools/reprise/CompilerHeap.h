//===- CompilerHeap.h - Out of memory while compiling -----------*- C++ -*-===//
//
// MLIR allocates ops with malloc() and does not check the result: a process at
// its limit would fault. While a CompilerHeap lives, malloc() of this program
// ends it with a message instead of returning null.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_REPRISE_COMPILERHEAP_H
#define REPRISE_TOOLS_REPRISE_COMPILERHEAP_H

namespace reprise::tools {

inline constexpr char kOutOfMemory[] = "out of memory on the host";

/// Ends the process with exit code 1 and "error: MESSAGE". Runs no destructors:
/// they may need the missing memory.
[[noreturn]] void die(const char *message);

class CompilerHeap {
public:
  CompilerHeap();
  ~CompilerHeap();
  CompilerHeap(const CompilerHeap &) = delete;
  CompilerHeap &operator=(const CompilerHeap &) = delete;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_REPRISE_COMPILERHEAP_H
