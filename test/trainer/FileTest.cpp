//===- FileTest.cpp - A file is written whole or not at all ---------------===//
//
// Full disk, forbidden folder, killed process: the old file or the new one.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/File.h"
#include "FakeBackend.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/State.h"
#include <csignal>
#include <cstring>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
  Expected<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  REPRISE_RETURN_IF_ERROR(file->append(bytes.data(), bytes.size()));
  return file->commit();
}

TEST(AtomicFile, ReplacesTheOldOne) {
  Folder folder;
  std::string path = folder / "f";
  ASSERT_TRUE(writeWhole(path, "old").ok());
  ASSERT_TRUE(writeWhole(path, "newer").ok());
  EXPECT_EQ(readFile(path), "newer");
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(AtomicFile, AbandonedLeavesTheOldOne) {
  Folder folder;
  std::string path = folder / "f";
  ASSERT_TRUE(writeWhole(path, "old").ok());
  {
    Expected<AtomicFile> file = AtomicFile::create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->append("new", 3).ok());
  }
  EXPECT_EQ(readFile(path), "old");
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(AtomicFile, LeftoverOfAKilledProcessIsReplaced) {
  Folder folder;
  std::string path = folder / "f", victim = folder / "victim";
  writeFile(victim, "untouched");
  ASSERT_EQ(::symlink(victim.c_str(), (path + ".partial").c_str()), 0);
  ASSERT_TRUE(writeWhole(path, "new").ok());
  EXPECT_EQ(readFile(path), "new");
  EXPECT_EQ(readFile(victim), "untouched");
}

TEST(AtomicFile, MissingFolderIsNamed) {
  Folder folder;
  expectError(writeWhole(folder / "no/f", "x"), RP_IO_ERROR,
              {"/no/f", "no such file or directory"});
  expectError(checkWritable(folder / "no/f"), RP_IO_ERROR, {"/no/f"});
  expectError(checkWritable(folder.path), RP_IO_ERROR, {"is a directory"});
}

TEST(AtomicFile, ForbiddenFolderLeavesTheOldOne) {
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

TEST(AtomicFile, FileSizeLimitLeavesTheOldState) {
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
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(AtomicFile, FullDiskLeavesTheOldState) {
  Folder folder;
  if (::mount("tmpfs", folder.path.c_str(), "tmpfs", 0, "size=600k") != 0)
    GTEST_SKIP() << "cannot mount a small file system: "
                 << std::strerror(errno);
  std::string path = folder / "s.safetensors";
  FakeBackend first = stateOf(1), second = stateOf(2), loaded = stateOf(3);
  Status saved = saveState(first, path, {});
  Status full = saveState(second, path, {});
  Status found = loadState(loaded, path).status();
  bool leftover = std::filesystem::exists(path + ".partial");
  ASSERT_EQ(::umount(folder.path.c_str()), 0);
  ASSERT_TRUE(saved.ok()) << saved.message();
  expectError(full, RP_IO_ERROR, {path, "no space left on device"});
  ASSERT_TRUE(found.ok()) << found.message();
  EXPECT_EQ(loaded.bits, first.bits);
  EXPECT_FALSE(leftover);
}

TEST(AtomicFile, ProcessKilledWhileSavingLeavesAWholeState) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  FakeBackend states[2] = {stateOf(1), stateOf(2)}, loaded = stateOf(3);
  ASSERT_TRUE(saveState(states[0], path, {}).ok());
  int interrupted = 0;
  for (int round = 0; round < 30; ++round) {
    pid_t child = ::fork();
    if (child == 0)
      for (int i = 0;; ++i)
        if (!saveState(states[i % 2], path, {}).ok())
          ::_exit(1);
    ::usleep(2000 + 977 * (round % 7));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    Status found = loadState(loaded, path).status();
    ASSERT_TRUE(found.ok()) << found.message();
    ASSERT_TRUE(loaded.bits == states[0].bits || loaded.bits == states[1].bits);
    interrupted += std::filesystem::exists(path + ".partial");
  }
  // Otherwise the test kills at the wrong moments and shows nothing.
  EXPECT_GT(interrupted, 0);
}

TEST(InputFile, TruncatedReadNamesBothSizes) {
  Folder folder;
  std::string path = folder / "f";
  writeFile(path, "12345");
  auto file = InputFile::open(path);
  ASSERT_TRUE(file.ok());
  char bytes[8];
  expectError(file->readAt(2, bytes, 8), RP_DATA_LOSS,
              {path, "after 5 bytes", "at least 10"});
}

TEST(InputFile, PipeIsRefusedWithoutHanging) {
  Folder folder;
  std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expectError(InputFile::open(path).status(), RP_IO_ERROR,
              {path, "not a regular file"});
}
