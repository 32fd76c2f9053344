//===- HostMemory.h - Memory of this process and its limits -----*- C++ -*-===//
//
// The operating system's data on the process: bytes in physical memory, and
// every limit on them, including the container's.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_HOSTMEMORY_H
#define REPRISE_RUNTIME_HOSTMEMORY_H

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::rt {

/// One limit on the memory of this process.
struct MemoryLimit {
  /// "the machine", "the container's memory.max", "ulimit -v".
  std::string name;
  uint64_t bytes = 0;
  /// The bytes that can still be allocated under it.
  uint64_t left = 0;
};

/// Every limit that is set: physical memory (/proc/meminfo), the control groups
/// of the process and their parents (versions 1 and 2), and the resource limits
/// of address space and data. `root` is a prefix of the paths of /proc and
/// /sys; tests pass one of their own.
std::vector<MemoryLimit> memoryLimits(const std::string &root = "");

/// The limit that leaves least; without a name and with 2^64-1 bytes if none
/// can be read.
MemoryLimit tightestMemoryLimit(const std::string &root = "");

/// Bytes of the process in physical memory now, and the maximum so far; 0 if
/// unavailable. Neither allocates.
uint64_t residentBytes();
uint64_t residentHighWaterBytes();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_HOSTMEMORY_H
