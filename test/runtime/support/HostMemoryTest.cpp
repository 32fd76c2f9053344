//===- HostMemoryTest.cpp - Limits on the memory of a process -------------===//
//
// On folders that look like /proc and /sys of machines and containers.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/HostMemory.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace reprise::rt;
namespace fs = std::filesystem;

namespace {
class HostMemory : public ::testing::Test {
protected:
  void SetUp() override {
    const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
    root = fs::path(::testing::TempDir()) /
           (std::string("reprise-host-") + info->name());
    fs::remove_all(root);
    write("/proc/meminfo", "MemTotal:       16000000 kB\n"
                           "MemFree:          100000 kB\n"
                           "MemAvailable:    8000000 kB\n");
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    fs::path file = root.string() + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  /// The limit of that name, with nothing left where there is none.
  MemoryLimit find(const std::string &name) {
    for (const MemoryLimit &limit : memoryLimits(root.string()))
      if (limit.name.find(name) != std::string::npos)
        return limit;
    return {};
  }

  fs::path root;
};
} // namespace

TEST_F(HostMemory, OfAMachineIsWhatItSaysIsAvailable) {
  MemoryLimit limit = find("the machine");
  EXPECT_EQ(limit.bytes, uint64_t(16000000) * 1024);
  EXPECT_EQ(limit.left, uint64_t(8000000) * 1024);
}

TEST_F(HostMemory, OfAContainerIsItsLimitLessWhatItUses) {
  write("/proc/self/cgroup", "0::/jobs/one\n");
  write("/sys/fs/cgroup/jobs/one/memory.max", "2000000000\n");
  write("/sys/fs/cgroup/jobs/one/memory.current", "700000000\n");
  write("/sys/fs/cgroup/jobs/one/memory.stat",
        "anon 1\nfile 5\ninactive_anon 7\ninactive_file 200000000\n");
  MemoryLimit limit = find("memory.max");
  EXPECT_EQ(limit.bytes, 2000000000u);
  EXPECT_EQ(limit.left, 1500000000u);
  EXPECT_EQ(tightestMemoryLimit(root.string()).left, 1500000000u);
}

TEST_F(HostMemory, OfAGroupIsBoundByTheGroupAroundIt) {
  write("/proc/self/cgroup", "0::/jobs/one\n");
  write("/sys/fs/cgroup/jobs/one/memory.max", "max\n");
  write("/sys/fs/cgroup/jobs/one/memory.current", "5\n");
  write("/sys/fs/cgroup/jobs/memory.max", "1000000000\n");
  write("/sys/fs/cgroup/jobs/memory.current", "400000000\n");
  EXPECT_EQ(tightestMemoryLimit(root.string()).left, 600000000u);
}

TEST_F(HostMemory, OfAContainerThatSeesTheHostsPathIsTheMountedRoots) {
  write("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/abc\n0::/\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000000\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000000\n");
  write("/sys/fs/cgroup/memory/memory.stat",
        "cache 9\ntotal_inactive_file 250000000\n");
  EXPECT_EQ(find("memory.limit_in_bytes").left, 2250000000u);
}

TEST_F(HostMemory, HasNoLimitWhereAGroupSaysSo) {
  write("/proc/self/cgroup", "4:memory:/\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000000\n");
  EXPECT_EQ(find("memory.limit_in_bytes").bytes, 0u);
}

TEST_F(HostMemory, UsedBeyondItsLimitLeavesNothing) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/memory.max", "1000\n");
  write("/sys/fs/cgroup/memory.current", "4000\n");
  EXPECT_EQ(tightestMemoryLimit(root.string()).left, 0u);
}

TEST_F(HostMemory, IsReadFromDamagedFilesWithoutHarm) {
  write("/proc/meminfo", "MemTotal: many kB\nMemAvailable:\n");
  write("/proc/self/cgroup", "nonsense\n:\n0:\n");
  for (const MemoryLimit &limit : memoryLimits(root.string()))
    EXPECT_EQ(limit.name.find("machine"), std::string::npos) << limit.name;
}

TEST(ResidentMemory, GrowsWithWhatIsTouchedAndItsHighWaterStays) {
  constexpr size_t kBytes = size_t(64) << 20;
  uint64_t before = residentBytes();
  void *memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kBytes);
  uint64_t touched = residentBytes();
  EXPECT_GE(touched, before + kBytes * 9 / 10);
  ::munmap(memory, kBytes);
  EXPECT_LT(residentBytes(), touched - kBytes / 2);
  // The kernel counts in batches a processor.
  EXPECT_GE(residentHighWaterBytes(), touched - (size_t(1) << 20));
}
