//===- HostMemory.h - What memory a process has and may have ----*- C++ -*-===//
//
// The least of three limits holds: what the machine can give without swapping,
// what is left to the process's control groups (containers; versions 1 and 2),
// and what is left of its address space (ulimit -v).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_HOSTMEMORY_H
#define REPRISE_RUNTIME_HOSTMEMORY_H

#include <cstdint>
#include <string>

namespace reprise::rt {

struct MemoryLimit {
  /// What may still be taken; UINT64_MAX where nothing limits it.
  uint64_t bytes = UINT64_MAX;
  /// Who sets the limit, for a message: "this machine", "the container".
  std::string by;
};

/// The least of all limits, at this moment.
MemoryLimit availableMemory();

/// What the control groups of a process leave to it. `process` is its
/// /proc/self/cgroup, `root` the folder /sys/fs/cgroup. Pages of files that are
/// not in use count as free.
MemoryLimit controlGroupMemory(const std::string &process,
                               const std::string &root);

/// The most bytes of this process that were in physical memory since it began;
/// 0 where that is not to be had.
uint64_t peakResidentBytes();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_HOSTMEMORY_H
