//===- HostProcessors.h - Processors that this process may use --*- C++ -*-===//
#ifndef REPRISE_RUNTIME_HOSTPROCESSORS_H
#define REPRISE_RUNTIME_HOSTPROCESSORS_H

#include <string>

namespace reprise::rt {

/// How many processors this process can keep busy, and the limit that says so.
struct ProcessorLimit {
  /// At least 1. A quota of a part of a processor counts as a whole one.
  unsigned processors = 1;
  /// "the processor affinity", "the container's cpu.max",
  /// "the container's cpu.cfs_quota_us".
  std::string name;
};

/// The tightest limit: the processors of the affinity mask, and the quotas of
/// the control groups that the process is in (versions 1 and 2). `root` stands
/// before the paths of /proc and /sys; tests give one of their own.
ProcessorLimit usableProcessors(const std::string &root = "");

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_HOSTPROCESSORS_H
