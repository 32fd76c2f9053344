//===- HostMemoryTest.cpp - What memory a process may have ----------------===//
//
// Control groups as they look on a machine and in a container.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/HostMemory.h"
#include "TestFiles.h"
#include <sys/resource.h>
#include <sys/wait.h>

using namespace reprise::rt;
using namespace reprise::rt::test;

namespace {
/// A tree of control groups.
class Groups {
public:
  void add(const std::string &group,
           const std::vector<std::pair<std::string, std::string>> &files) {
    std::filesystem::create_directories(folder.path + group);
    for (const auto &[name, text] : files)
      writeFile(folder.path + group + "/" + name, text);
  }
  uint64_t bytes(const std::string &process) {
    writeFile(folder / "process", process);
    return controlGroupMemory(folder / "process", folder.path).bytes;
  }

private:
  Folder folder;
};
} // namespace

TEST(HostMemory, GroupOfVersionTwoLeavesLimitLessUse) {
  Groups groups;
  groups.add("/app", {{"memory.max", "1000000\n"},
                      {"memory.current", "300000\n"},
                      {"memory.stat", "anon 200000\ninactive_file 100000\n"}});
  EXPECT_EQ(groups.bytes("0::/app\n"), 800000u);
}

TEST(HostMemory, GroupAroundCounts) {
  Groups groups;
  groups.add("/pod",
             {{"memory.max", "500000\n"}, {"memory.current", "450000"}});
  groups.add("/pod/app", {{"memory.max", "max\n"}, {"memory.current", "10\n"}});
  EXPECT_EQ(groups.bytes("0::/pod/app\n"), 50000u);
}

TEST(HostMemory, ContainerSeesItsGroupAsTheRoot) {
  Groups groups;
  groups.add("/", {{"memory.max", "700\n"}, {"memory.current", "900\n"}});
  EXPECT_EQ(groups.bytes("0::/\n"), 0u); // more is used than may be
  EXPECT_EQ(groups.bytes("0::/docker/of/the/host\n"), 0u);
}

TEST(HostMemory, GroupOfVersionOneIsFound) {
  Groups groups;
  groups.add("/memory/app",
             {{"memory.limit_in_bytes", "1000\n"},
              {"memory.usage_in_bytes", "600\n"},
              {"memory.stat", "cache 1\ntotal_inactive_file 100\n"}});
  groups.add("/memory", {{"memory.limit_in_bytes", "9223372036854771712\n"},
                         {"memory.usage_in_bytes", "5\n"}});
  EXPECT_EQ(groups.bytes("12:cpu,cpuacct:/app\n7:memory:/app\n0::/\n"), 500u);
}

TEST(HostMemory, NothingIsNoLimit) {
  Groups groups;
  EXPECT_EQ(groups.bytes(""), UINT64_MAX);
  EXPECT_EQ(groups.bytes("0::/none\nnonsense\n1:memory\n"), UINT64_MAX);
  EXPECT_GT(availableMemory().bytes, uint64_t(1) << 20);
}

TEST(HostMemory, AddressSpaceIsALimit) {
  pid_t child = ::fork();
  if (child == 0) {
    rlimit limit = {uint64_t(1) << 30, uint64_t(1) << 30};
    ::setrlimit(RLIMIT_AS, &limit);
    MemoryLimit available = availableMemory();
    ::_exit(available.bytes < uint64_t(1) << 30 && available.by == "'ulimit -v'"
                ? 0
                : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(HostMemory, PeakIsWhatWasThere) {
  uint64_t before = peakResidentBytes();
  {
    std::string block(size_t(64) << 20, 'x');
    EXPECT_EQ(block.back(), 'x');
  }
  EXPECT_GE(peakResidentBytes(), before);
  EXPECT_GE(peakResidentBytes(), uint64_t(64) << 20);
}
