//===- OutputFileTest.cpp - A file is written whole or not at all ---------===//
//
// Full disk, forbidden folder, killed process, writers at once: the old file or
// the new one, and nothing beside it. Links, devices and pipes stay what they
// are.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/OutputFile.h"
#include "../trainer/FakeBackend.h"
#include "../trainer/TestFiles.h"
#include "reprise/Runtime/Trainer/State.h"
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

using namespace reprise::rt;
using namespace reprise::rt::test;

/// Runs `body` in a child and gives its exit status.
template <typename Body> static int inChild(Body body) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static Status writeWhole(const std::string &path, const std::string &bytes) {
  return writeFile(path, bytes.data(), bytes.size());
}

/// Hidden ones too, sorted.
static std::vector<std::string> namesIn(const Folder &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder.path))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

static std::string nameOf(const std::string &path) {
  return std::filesystem::path(path).filename();
}

static mode_t modeOf(const std::string &path) {
  struct stat info = {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_mode;
}

TEST(OutputFile, ReplacesTheOldOne) {
  Folder folder;
  std::string path = folder / "f";
  ASSERT_TRUE(writeWhole(path, "old").ok());
  ASSERT_TRUE(writeWhole(path, "newer").ok());
  EXPECT_EQ(readFile(path), "newer");
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{nameOf(path)});
}

TEST(OutputFile, AbandonedLeavesTheOldOne) {
  Folder folder;
  std::string path = folder / "f";
  ASSERT_TRUE(writeWhole(path, "old").ok());
  {
    Expected<OutputFile> file = OutputFile::create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->append("new", 3).ok());
  }
  EXPECT_EQ(readFile(path), "old");
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{nameOf(path)});
}

TEST(OutputFile, MissingFolderIsNamed) {
  Folder folder;
  expectError(writeWhole(folder / "no/f", "x"), RP_IO_ERROR,
              {"/no/f", "no such file or directory"});
  expectError(checkWritable(folder / "no/f"), RP_IO_ERROR, {"/no/f"});
  expectError(checkWritable(folder.path), RP_IO_ERROR, {"is a directory"});
}

TEST(OutputFile, ForbiddenFolderLeavesTheOldOne) {
  Folder folder;
  std::string path = folder / "f";
  ASSERT_TRUE(writeWhole(path, "old").ok());
  ASSERT_EQ(::chmod(folder.path.c_str(), 0555), 0);
  int failed = inChild([&] {
    // Root may write everywhere, so become nobody.
    if (::getuid() == 0 && ::setuid(65534) != 0)
      return 2;
    Status status = writeWhole(path, "new");
    return status.code() == RP_IO_ERROR && !checkWritable(path).ok() ? 0 : 1;
  });
  EXPECT_EQ(failed, 0);
  ASSERT_EQ(::chmod(folder.path.c_str(), 0755), 0);
  EXPECT_EQ(readFile(path), "old");
}

static FakeBackend stateOf(uint64_t seed) {
  FakeBackend backend(1, {64, 64, 1}, 10);
  EXPECT_TRUE(backend.initialize(seed).ok());
  return backend;
}

TEST(OutputFile, FileSizeLimitLeavesTheOldState) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend first = stateOf(1), second = stateOf(2), loaded = stateOf(3);
  ASSERT_TRUE(saveState(first, path, {}).ok());
  int failed = inChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {100000, 100000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
      return 2;
    Status status = saveState(second, path, {});
    return status.code() == RP_IO_ERROR ? 0 : 1;
  });
  EXPECT_EQ(failed, 0);
  ASSERT_TRUE(loadState(loaded, path).ok());
  EXPECT_EQ(loaded.bits, first.bits);
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{nameOf(path)});
}

TEST(OutputFile, FullDiskLeavesTheOldState) {
  Folder folder;
  if (::mount("tmpfs", folder.path.c_str(), "tmpfs", 0, "size=600k") != 0)
    GTEST_SKIP() << "cannot mount a small file system: "
                 << std::strerror(errno);
  std::string path = folder / "s.safetensors";
  FakeBackend first = stateOf(1), second = stateOf(2), loaded = stateOf(3);
  Status saved = saveState(first, path, {});
  Status full = saveState(second, path, {});
  Status found = loadState(loaded, path).status();
  std::vector<std::string> names = namesIn(folder);
  ASSERT_EQ(::umount(folder.path.c_str()), 0);
  ASSERT_TRUE(saved.ok()) << saved.message();
  expectError(full, RP_IO_ERROR, {path, "no space left on device"});
  ASSERT_TRUE(found.ok()) << found.message();
  EXPECT_EQ(loaded.bits, first.bits);
  EXPECT_EQ(names, std::vector<std::string>{"s.safetensors"});
}

TEST(OutputFile, ProcessKilledWhileSavingLeavesAWholeState) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend states[2] = {stateOf(1), stateOf(2)}, loaded = stateOf(3);
  ASSERT_TRUE(saveState(states[0], path, {}).ok());
  // Saves that the children began and ended.
  auto *saves = static_cast<std::atomic<int> *>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
             -1, 0));
  ASSERT_NE(static_cast<void *>(saves), MAP_FAILED);
  int interrupted = 0;
  for (int round = 0; round < 30; ++round) {
    saves[0] = saves[1] = 0;
    pid_t child = ::fork();
    if (child == 0)
      for (int i = 0;; ++i) {
        ++saves[0];
        if (!saveState(states[i % 2], path, {}).ok())
          ::_exit(1);
        ++saves[1];
      }
    ::usleep(2000 + 977 * (round % 7));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    Status found = loadState(loaded, path).status();
    ASSERT_TRUE(found.ok()) << found.message();
    ASSERT_TRUE(loaded.bits == states[0].bits || loaded.bits == states[1].bits);
    interrupted += saves[0] != saves[1];
  }
  ::munmap(saves, 4096);
  // Otherwise the test kills at the wrong moments and shows nothing.
  EXPECT_GT(interrupted, 0);
  // A file has a name only from its end to its renaming, a few microseconds.
  EXPECT_LE(namesIn(folder).size(), 4u);
  ASSERT_TRUE(checkWritable(path).ok());
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{"s.safetensors"});
}

TEST(OutputFile, FilesAsideOfTheDeadAreRemovedAndOfTheLivingAreNot) {
  Folder folder;
  std::string dead = ".reprise-0123456789abcdef";
  writeFile(folder / dead, "half");
  // Names that are not of files aside.
  std::vector<std::string> others = {".reprise-0123456789abcde",
                                     ".reprise-0123456789abcdeg", "reprise-"};
  for (const std::string &other : others)
    writeFile(folder / other, "a user's");
  Expected<OutputFile> living = OutputFile::create(folder / "living");
  ASSERT_TRUE(living.ok() && living->append("new", 3).ok());
  ASSERT_TRUE(living->link().ok());

  ASSERT_TRUE(checkWritable(folder / "f").ok());
  std::vector<std::string> names = namesIn(folder);
  EXPECT_EQ(std::count(names.begin(), names.end(), dead), 0);
  EXPECT_EQ(names.size(), others.size() + 1);
  for (const std::string &other : others)
    EXPECT_EQ(std::count(names.begin(), names.end(), other), 1) << other;
  Status done = living->commit();
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(readFile(folder / "living"), "new");
}

//===----------------------------------------------------------------------===//
// Several at once
//===----------------------------------------------------------------------===//

/// Saves in turn two states to `path` for as long as the test lets it live.
static pid_t startWriter(FakeBackend states[2], const std::string &path) {
  pid_t child = ::fork();
  if (child == 0)
    for (int i = 0;; ++i)
      if (!saveState(states[i % 2], path, {}).ok())
        ::_exit(1);
  return child;
}

TEST(OutputFile, WritersAtOnceNeverShowAPartOfAFile) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend states[2] = {stateOf(1), stateOf(2)}, loaded = stateOf(3);
  ASSERT_TRUE(saveState(states[0], path, {}).ok());
  std::vector<pid_t> writers;
  for (int i = 0; i < 3; ++i)
    writers.push_back(startWriter(states, path));
  int loads = 0, bad = 0;
  std::string first;
  for (int i = 0; i < 400; ++i, ++loads) {
    Status found = loadState(loaded, path).status();
    bool isWhole = found.ok() && (loaded.bits == states[0].bits ||
                                  loaded.bits == states[1].bits);
    bad += !isWhole;
    first = first.empty() && !isWhole
                ? "load " + std::to_string(i) + ": " + found.message()
                : first;
  }
  for (pid_t writer : writers) {
    int status = 0;
    EXPECT_EQ(::waitpid(writer, &status, WNOHANG), 0) << "a writer gave up";
    ::kill(writer, SIGKILL);
    ::waitpid(writer, &status, 0);
  }
  EXPECT_EQ(bad, 0) << "of " << loads << " loads; " << first;
}

//===----------------------------------------------------------------------===//
// What the target is
//===----------------------------------------------------------------------===//

TEST(OutputFile, NewFileHasThePermissionsOfTheUmask) {
  Folder folder;
  for (mode_t mask : {0022, 0077, 0007}) {
    mode_t before = ::umask(mask);
    std::string path = folder / std::to_string(mask);
    Status status = writeWhole(path, "x");
    ::umask(before);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(modeOf(path) & 07777, 0666u & ~mask);
  }
}

TEST(OutputFile, ReplacedFileKeepsItsPermissions) {
  Folder folder;
  std::string path = folder / "f";
  writeFile(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0751), 0);
  ASSERT_TRUE(writeWhole(path, "new").ok());
  EXPECT_EQ(modeOf(path) & 07777, 0751u);
}

TEST(OutputFile, ReplacedFileKeepsItsOwner) {
  Folder folder;
  std::string path = folder / "f";
  writeFile(path, "old");
  if (::chown(path.c_str(), 65534, 65533) != 0)
    GTEST_SKIP() << "only root gives files away";
  ASSERT_TRUE(writeWhole(path, "new").ok());
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 65534u);
  EXPECT_EQ(info.st_gid, 65533u);
}

TEST(OutputFile, ReadOnlyFileIsNotReplaced) {
  Folder folder;
  std::string path = folder / "f";
  writeFile(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.path.c_str(), 0777), 0);
  int failed = inChild([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0)
      return 2;
    Status status = writeWhole(path, "new");
    bool named =
        status.message() == "cannot write '" + path + "': permission denied";
    return named && !checkWritable(path).ok() ? 0 : 1;
  });
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(readFile(path), "old");
}

TEST(OutputFile, LinksStayAndWhatTheyPointToIsReplaced) {
  Folder folder, other;
  writeFile(other / "target", "old");
  std::string first = folder / "first", second = folder / "second";
  ASSERT_EQ(::symlink((other / "target").c_str(), first.c_str()), 0);
  ASSERT_EQ(::symlink("first", second.c_str()), 0);
  ASSERT_TRUE(checkWritable(second).ok());
  ASSERT_TRUE(writeWhole(second, "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(first));
  EXPECT_TRUE(std::filesystem::is_symlink(second));
  EXPECT_EQ(readFile(other / "target"), "new");
  EXPECT_EQ(namesIn(folder).size(), 2u);
  EXPECT_EQ(namesIn(other).size(), 1u);
}

TEST(OutputFile, LinkToNothingGetsItsFile) {
  Folder folder;
  ASSERT_EQ(::symlink("target", (folder / "link").c_str()), 0);
  ASSERT_TRUE(writeWhole(folder / "link", "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(readFile(folder / "target"), "new");
}

TEST(OutputFile, LinksInACircleAreNamed) {
  Folder folder;
  ASSERT_EQ(::symlink("b", (folder / "a").c_str()), 0);
  ASSERT_EQ(::symlink("a", (folder / "b").c_str()), 0);
  expectError(writeWhole(folder / "a", "x"), RP_IO_ERROR,
              {folder / "a", "too many levels of symbolic links"});
}

TEST(OutputFile, NamesThatAreNoFilesAreRefused) {
  Folder folder;
  expectError(writeWhole("", "x"), RP_IO_ERROR, {"no such file or directory"});
  expectError(writeWhole(folder / "f/", "x"), RP_IO_ERROR, {"is a directory"});
  writeFile(folder / "f", "old");
  expectError(writeWhole(folder / "f/g", "x"), RP_IO_ERROR,
              {folder / "f/g", "not a directory"});
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{"f"});
}

TEST(OutputFile, DeviceIsWrittenToAndStays) {
  Folder folder;
  std::string path = folder / "null";
  if (::mknod(path.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0)
    GTEST_SKIP() << "making a device needs privileges";
  ASSERT_TRUE(checkWritable(path).ok());
  Status status = writeWhole(path, "x");
  if (status.code() == RP_IO_ERROR &&
      status.message().find("permission denied") != std::string::npos)
    GTEST_SKIP() << "devices do not work in this folder";
  ASSERT_TRUE(status.ok()) << status.message();
  FakeBackend state = stateOf(1);
  ASSERT_TRUE(saveState(state, path, {}).ok());
  EXPECT_TRUE(S_ISCHR(modeOf(path)));
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{"null"});
}

TEST(OutputFile, FullDeviceIsAnError) {
  expectError(writeWhole("/dev/full", "x"), RP_IO_ERROR,
              {"/dev/full", "no space left on device"});
}

TEST(OutputFile, PipeGetsASealedState) {
  Folder folder;
  std::string pipe = folder / "pipe", path = folder / "s.safetensors";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_TRUE(checkWritable(pipe).ok()); // and does not wait for a reader
  auto text = std::async(std::launch::async, [&] { return readFile(pipe); });
  FakeBackend state = stateOf(1), loaded = stateOf(2);
  Status status = saveState(state, pipe, {});
  ASSERT_TRUE(status.ok()) << status.message();
  writeFile(path, text.get());
  EXPECT_TRUE(S_ISFIFO(modeOf(pipe)));
  status = loadState(loaded, path).status();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(loaded.bits, state.bits);
}

TEST(OutputFile, OwnDescriptorIsWrittenTo) {
  Folder folder;
  std::string path = folder / "f", link = folder / "out";
  FileDescriptor fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  std::string name = "/dev/fd/" + std::to_string(fd.get());
  ASSERT_EQ(::symlink(name.c_str(), link.c_str()), 0);
  ASSERT_TRUE(checkWritable(name).ok());
  ASSERT_TRUE(writeWhole(name, "one ").ok());
  ASSERT_TRUE(writeWhole(link, "two").ok());
  EXPECT_EQ(readFile(path), "one two");
  FileDescriptor input(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  expectError(checkWritable("/dev/fd/" + std::to_string(input.get())),
              RP_IO_ERROR, {"bad file descriptor"});
}

TEST(OutputFile, FileMountedOnItsOwnIsRefusedBeforehand) {
  Folder folder;
  std::string path = folder / "f", other = folder / "other";
  writeFile(path, "old");
  writeFile(other, "x");
  if (::mount(other.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "mounting a file needs privileges";
  Status status = checkWritable(path);
  ASSERT_EQ(::umount(path.c_str()), 0);
  expectError(status, RP_IO_ERROR, {path, "mount its folder"});
}

//===----------------------------------------------------------------------===//
// File systems without files that have no name
//===----------------------------------------------------------------------===//

/// Lets this process open no such file any more, as on NFS.
static bool refuseNamelessFiles() {
  constexpr uint32_t kFlagsAt = offsetof(seccomp_data, args[2]);
  constexpr uint32_t kFlag = O_TMPFILE & ~O_DIRECTORY;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFlagsAt),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kFlag, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog filter = {sizeof program / sizeof *program, program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(OutputFile, FallsBackToAHiddenName) {
  Folder folder;
  std::string path = folder / "f";
  writeFile(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  int failed = inChild([&] {
    if (!refuseNamelessFiles())
      return 77;
    {
      Expected<OutputFile> file = OutputFile::create(path);
      std::vector<std::string> names = namesIn(folder);
      if (!file.ok() || names.size() != 2 || names[0].find(".reprise-") != 0)
        return 1;
      if ((modeOf(folder / names[0]) & 07777) != 0640)
        return 2;
    }
    if (namesIn(folder).size() != 1 || readFile(path) != "old")
      return 3;
    return checkWritable(path).ok() && writeWhole(path, "new").ok() ? 0 : 4;
  });
  if (failed == 77)
    GTEST_SKIP() << "this machine allows no filters of system calls";
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(readFile(path), "new");
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{"f"});
}
