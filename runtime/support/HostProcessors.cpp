//===- HostProcessors.cpp - Processors that this process may use ----------===//
//
// A quota is time of all processors together in each period: 150 ms in 100 ms
// keep one and a half processors busy, which two threads use best.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/HostProcessors.h"
#include "ControlGroups.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <fstream>
#include <sched.h>
#include <thread>
#include <vector>

using namespace reprise::rt;

/// Returns the number of processors in the affinity mask. The kernel rejects a
/// mask smaller than its own.
static unsigned affinityCount() {
  for (size_t sets = 1; sets <= 256; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    size_t bytes = sets * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) == 0)
      return unsigned(CPU_COUNT_S(bytes, mask.data()));
    if (errno != EINVAL)
      break;
  }
  return std::thread::hardware_concurrency();
}

/// Returns the number of processors that a quota in microseconds keeps busy,
/// rounded up.
static unsigned quotaCount(long long quota, long long period) {
  if (quota <= 0 || period <= 0)
    return UINT_MAX; // no limit
  long long count = quota / period + (quota % period != 0);
  return unsigned(std::min<long long>(count, UINT_MAX));
}

/// Returns the quota of a control group; missing files set none.
static ProcessorLimit groupLimit(const std::string &folder,
                                 GroupVersion version) {
  long long quota = 0, period = 0;
  if (version == GroupVersion::Two) {
    std::ifstream(folder + "/cpu.max") >> quota >> period; // "max" fails
    return {quotaCount(quota, period), "the container's cpu.max"};
  }
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return {quotaCount(quota, period), "the container's cpu.cfs_quota_us"};
}

ProcessorLimit reprise::rt::usableProcessors(const std::string &root) {
  ProcessorLimit least{std::max(1u, affinityCount()), "the processor affinity"};
  forEachControlGroup(root, "cpu",
                      [&](const std::string &folder, GroupVersion version) {
                        ProcessorLimit limit = groupLimit(folder, version);
                        if (limit.processors < least.processors)
                          least = limit;
                      });
  return least;
}
