//===- HostMemory.cpp - Memory of this process and its limits -------------===//
//
// A control group's limit holds for all of its processes together; their use,
// without the page cache that the kernel would reclaim first, is subtracted
// from it.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/HostMemory.h"
#include "ControlGroups.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace reprise::rt {

//===----------------------------------------------------------------------===//
// Files of the kernel
//===----------------------------------------------------------------------===//

/// Returns the number after `key` in a file of "key value" lines, or the first
/// number of the file if `key` is empty; nothing for "max" or an empty file.
static std::optional<uint64_t> readNumber(const std::string &path,
                                          const std::string &key = "") {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0)
      continue;
    std::istringstream text(line.substr(key.size()));
    uint64_t value = 0;
    if (text >> value)
      return value;
    return std::nullopt;
  }
  return std::nullopt;
}

static uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

//===----------------------------------------------------------------------===//
// Control groups
//===----------------------------------------------------------------------===//

namespace {
/// The names of a group's files in one version.
struct GroupFiles {
  const char *limit, *usage, *reclaimable, *name;
};
} // namespace

static constexpr GroupFiles kVersion2 = {"/memory.max", "/memory.current",
                                         "inactive_file ",
                                         "the container's memory.max"};
static constexpr GroupFiles kVersion1 = {
    "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file ",
    "the container's memory.limit_in_bytes"};

static void addGroup(const std::string &folder, const GroupFiles &files,
                     std::vector<MemoryLimit> &limits) {
  // Version 1 expresses "no limit" by a number of about 2^63.
  constexpr uint64_t kNone = uint64_t(1) << 62;
  std::optional<uint64_t> limit = readNumber(folder + files.limit);
  std::optional<uint64_t> usage = readNumber(folder + files.usage);
  if (!limit || !usage || *limit >= kNone)
    return;
  uint64_t cache =
      readNumber(folder + "/memory.stat", files.reclaimable).value_or(0);
  limits.push_back({files.name, *limit, minus(*limit, minus(*usage, cache))});
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

static void addResource(int resource, const char *name, uint64_t used,
                        std::vector<MemoryLimit> &limits) {
  struct rlimit limit;
  if (::getrlimit(__rlimit_resource(resource), &limit) == 0 &&
      limit.rlim_cur != RLIM_INFINITY)
    limits.push_back({name, limit.rlim_cur, minus(limit.rlim_cur, used)});
}

/// Reads a small file of /proc without allocation; its text ends in a zero.
static void readSmall(const char *path, char *text, size_t size) {
  int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : ::read(fd, text, size - 1);
  if (fd >= 0)
    ::close(fd);
  text[n < 0 ? 0 : n] = 0;
}

/// Returns the kilobytes after a key of /proc/self/status, as bytes.
static uint64_t statusBytes(const char *key) {
  char text[4096];
  readSmall("/proc/self/status", text, sizeof text);
  const char *at = std::strstr(text, key);
  uint64_t kib = 0;
  for (at = at ? at + std::strlen(key) : ""; *at == ' ' || *at == '\t';)
    ++at;
  for (; *at >= '0' && *at <= '9'; ++at)
    kib = kib * 10 + uint64_t(*at - '0');
  return kib * 1024;
}

uint64_t residentBytes() { return statusBytes("VmRSS:"); }

uint64_t residentHighWaterBytes() { return statusBytes("VmHWM:"); }

std::vector<MemoryLimit> memoryLimits(const std::string &root) {
  std::vector<MemoryLimit> limits;
  std::optional<uint64_t> total =
      readNumber(root + "/proc/meminfo", "MemTotal:");
  std::optional<uint64_t> available =
      readNumber(root + "/proc/meminfo", "MemAvailable:");
  if (total && available)
    limits.push_back({"the machine", *total * 1024, *available * 1024});
  forEachControlGroup(
      root, "memory", [&](const std::string &folder, GroupVersion version) {
        addGroup(folder, version == GroupVersion::Two ? kVersion2 : kVersion1,
                 limits);
      });
  addResource(RLIMIT_AS, "ulimit -v", statusBytes("VmSize:"), limits);
  addResource(RLIMIT_DATA, "ulimit -d", statusBytes("VmData:"), limits);
  return limits;
}

MemoryLimit tightestMemoryLimit(const std::string &root) {
  MemoryLimit tightest{"nothing", UINT64_MAX, UINT64_MAX};
  for (MemoryLimit &limit : memoryLimits(root))
    if (limit.left < tightest.left)
      tightest = std::move(limit);
  return tightest;
}

} // namespace reprise::rt
