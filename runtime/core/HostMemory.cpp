//===- HostMemory.cpp - What memory a process has and may have ------------===//
//
// Version 2 of control groups: a line "0::PATH", one tree, memory.max. Version
// 1: "N:...memory...:PATH", a tree of its own below memory/. In a container the
// path may be one of the host, which is not to be seen there; then the root of
// the tree is the container's.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/HostMemory.h"
#include <algorithm>
#include <fstream>
#include <sstream>
#include <sys/resource.h>

namespace reprise::rt {

namespace {
/// Names of the files of one version.
struct Version {
  const char *folder, *limit, *usage, *cache;
};
} // namespace

static constexpr Version kFirst = {"/memory", "/memory.limit_in_bytes",
                                   "/memory.usage_in_bytes",
                                   "total_inactive_file"};
static constexpr Version kSecond = {"", "/memory.max", "/memory.current",
                                    "inactive_file"};

/// A number at the beginning of a file; "max", none and no file are UINT64_MAX.
static uint64_t readNumber(const std::string &path) {
  std::ifstream file(path);
  uint64_t value = 0;
  return file >> value ? value : UINT64_MAX;
}

/// The number behind a key in a file of lines "KEY NUMBER", 0 without one.
static uint64_t readKey(const std::string &path, const std::string &key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream text(line);
    std::string name;
    uint64_t value = 0;
    if (text >> name >> value && name == key)
      return value;
  }
  return 0;
}

/// What one group leaves.
static uint64_t leftIn(const std::string &folder, const Version &version) {
  uint64_t limit = readNumber(folder + version.limit);
  uint64_t usage = readNumber(folder + version.usage);
  // Version 1 says "no limit" by a number near 2^63.
  if (limit >= uint64_t(1) << 62 || usage == UINT64_MAX)
    return UINT64_MAX;
  uint64_t cache = readKey(folder + "/memory.stat", version.cache);
  usage -= std::min(usage, cache);
  return limit - std::min(limit, usage);
}

/// The least that a group and those around it leave.
static uint64_t leftAlong(const std::string &root, std::string path,
                          const Version &version) {
  uint64_t least = UINT64_MAX;
  while (true) {
    bool isRoot = path.empty() || path == "/";
    least = std::min(
        least, leftIn(root + version.folder + (isRoot ? "" : path), version));
    if (isRoot)
      return least;
    path.erase(path.rfind('/'));
  }
}

MemoryLimit controlGroupMemory(const std::string &process,
                               const std::string &root) {
  MemoryLimit limit;
  limit.by = "the container";
  std::ifstream file(process);
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string path = line.substr(second + 1);
    std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (path.empty() || path[0] != '/')
      continue;
    if (names == ",,")
      limit.bytes = std::min(limit.bytes, leftAlong(root, path, kSecond));
    else if (names.find(",memory,") != std::string::npos)
      limit.bytes = std::min(limit.bytes, leftAlong(root, path, kFirst));
  }
  return limit;
}

uint64_t peakResidentBytes() {
  return readKey("/proc/self/status", "VmHWM:") * 1024;
}

/// What `ulimit -v` leaves.
static MemoryLimit addressSpace() {
  MemoryLimit limit;
  limit.by = "'ulimit -v'";
  rlimit asked;
  uint64_t used = readKey("/proc/self/status", "VmSize:") * 1024;
  if (::getrlimit(RLIMIT_AS, &asked) == 0 && asked.rlim_cur != RLIM_INFINITY)
    limit.bytes = asked.rlim_cur - std::min<uint64_t>(asked.rlim_cur, used);
  return limit;
}

/// What the kernel says can be had without swapping.
static MemoryLimit machineMemory() {
  MemoryLimit limit;
  limit.by = "this machine";
  if (uint64_t kib = readKey("/proc/meminfo", "MemAvailable:"))
    limit.bytes = kib * 1024;
  return limit;
}

MemoryLimit availableMemory() {
  MemoryLimit least = machineMemory();
  for (const MemoryLimit &limit :
       {controlGroupMemory("/proc/self/cgroup", "/sys/fs/cgroup"),
        addressSpace()})
    if (limit.bytes < least.bytes)
      least = limit;
  return least;
}

} // namespace reprise::rt
