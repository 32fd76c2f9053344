//===- HostProcessorsTest.cpp - Affinity and quotas of a process ----------===//
//
// On folders that look like /proc and /sys of machines and containers.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/HostProcessors.h"
#include "../trainer/TestFiles.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>

using namespace reprise::rt;
namespace fs = std::filesystem;

namespace {
class HostProcessors : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    mine = unsigned(CPU_COUNT(&before));
  }
  void TearDown() override { sched_setaffinity(0, sizeof before, &before); }

  void write(const std::string &path, const std::string &text) {
    fs::path file = root.path + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  ProcessorLimit limit() { return usableProcessors(root.path); }

  test::Folder root;
  cpu_set_t before;
  unsigned mine = 0;
};
} // namespace

TEST_F(HostProcessors, AreThoseOfTheAffinityMask) {
  EXPECT_EQ(limit().processors, mine);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before) && CPU_COUNT(&one) == 0)
      CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(limit().processors, 1u);
  EXPECT_EQ(limit().name, "the processor affinity");
}

TEST_F(HostProcessors, AreThoseOfTheQuotaOfVersion2) {
  write("/proc/self/cgroup", "0::/jobs/one\n");
  write("/sys/fs/cgroup/jobs/one/cpu.max", "50000 100000\n");
  EXPECT_EQ(limit().processors, 1u);
  if (mine > 1) {
    EXPECT_EQ(limit().name, "the container's cpu.max");
  }
}

TEST_F(HostProcessors, AreThoseOfTheQuotaOfVersion1) {
  write("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,cpuacct:/docker/abc\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit().processors, 1u);
  if (mine > 1) {
    EXPECT_EQ(limit().name, "the container's cpu.cfs_quota_us");
  }
}

TEST_F(HostProcessors, AreBoundByTheGroupAroundTheirs) {
  write("/proc/self/cgroup", "0::/jobs/one\n");
  write("/sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/jobs/cpu.max", "100000 100000\n");
  EXPECT_EQ(limit().processors, 1u);
}

TEST_F(HostProcessors, OfAPartOfAProcessorAreOneMore) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "100001 100000\n");
  EXPECT_EQ(limit().processors, std::min(mine, 2u));
}

TEST_F(HostProcessors, HaveNoQuotaWhereNoneIsSetOrRead) {
  write("/proc/self/cgroup", "4:cpu:/\n0::/one\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/one/cpu.max", "many\n");
  EXPECT_EQ(limit().processors, mine);
}
