//===- HostMemory.h - Memory of this process and its limits -----*- C++ -*-===//
//
// What the operating system says of the process: bytes in physical memory, and
// every limit on them, the container's included.
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
  /// What can still be taken under it.
  uint64_t left = 0;
};

/// Every limit that is set: physical memory (/proc/meminfo), the control groups
/// the process is in, with those around them (versions 1 and 2), and the
/// resource limits of address space and data. `root` stands before the paths
/// of /proc and /sys; tests give one of their own.
std::vector<MemoryLimit> memoryLimits(const std::string &root = "");

/// The limit that leaves least; 2^64-1 bytes of nothing where none can be read.
MemoryLimit tightestMemoryLimit(const std::string &root = "");

/// Bytes of the process in physical memory now, and at most so far; 0 where
/// that is not to be had. Neither allocates.
uint64_t residentBytes();
uint64_t residentHighWaterBytes();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_HOSTMEMORY_H
