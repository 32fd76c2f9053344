//===- OutOfMemory.h - End a process that is out of memory ------*- C++ -*-===//
//
// While a compiler lives, malloc() of this program ends it with a message
// instead of returning null, which MLIR would not check.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_OUTOFMEMORY_H
#define REPRISE_TOOLS_OUTOFMEMORY_H

namespace reprise::driver {

inline constexpr char kOutOfMemory[] = "out of memory on the host";

/// Ends the process with exit code 1 and "error: MESSAGE". Runs no destructors:
/// they may need the missing memory.
[[noreturn]] void die(const char *message);

} // namespace reprise::driver

#endif // REPRISE_TOOLS_OUTOFMEMORY_H
