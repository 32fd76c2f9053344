//===- HostProcessors.h - Processors that this process may use --*- C++ -*-===//
#ifndef REPRISE_RUNTIME_HOSTPROCESSORS_H
#define REPRISE_RUNTIME_HOSTPROCESSORS_H

#include <string>

namespace reprise::rt {

/// The number of processors this process can use, and the limit that sets it.
struct ProcessorLimit {
  /// At least 1. A quota of a part of a processor counts as a whole one.
  unsigned processors = 1;
  /// "the processor affinity", "the container's cpu.max",
  /// "the container's cpu.cfs_quota_us".
  std::string name;
};

/// The tightest limit: the processors of the affinity mask, and the quotas of
/// the control groups of the process (versions 1 and 2). `root` is a prefix of
/// the paths of /proc and /sys; tests pass one of their own.
ProcessorLimit usableProcessors(const std::string &root = "");

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_HOSTPROCESSORS_H
