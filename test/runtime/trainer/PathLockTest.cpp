//===- PathLockTest.cpp - One writer of a state at a time -----------------===//
#include "reprise/Runtime/Trainer/PathLock.h"
#include "TestFiles.h"
#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace reprise::rt;
using namespace reprise::rt::test;

/// A process that holds the lock on `path` until it is killed.
static pid_t startHolder(const std::string &path) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    Expected<PathLock> lock = PathLock::acquire(path);
    char ok = lock.ok();
    ssize_t sent = ::write(ready[1], &ok, 1);
    while (sent == 1)
      ::pause();
    ::_exit(1);
  }
  char ok = 0;
  EXPECT_EQ(::read(ready[0], &ok, 1), 1);
  EXPECT_TRUE(ok);
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

TEST(PathLock, SecondHolderIsToldOfTheFirst) {
  Folder folder;
  std::string path = folder / "s.safetensors";
  pid_t holder = startHolder(path);
  expectError(PathLock::acquire(path).status(), RP_UNAVAILABLE,
              {path, "process " + std::to_string(holder) + ";"});
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  // The file of the killed one is still there and means nothing.
  EXPECT_TRUE(std::filesystem::exists(path + ".lock"));
  Expected<PathLock> lock = PathLock::acquire(path);
  EXPECT_TRUE(lock.ok()) << lock.status().message();
}

TEST(PathLock, LeavesNoFile) {
  Folder folder;
  std::string path = folder / "s";
  for (int i = 0; i < 2; ++i) {
    Expected<PathLock> lock = PathLock::acquire(path);
    ASSERT_TRUE(lock.ok()) << lock.status().message();
    EXPECT_EQ(readFile(path + ".lock"), std::to_string(::getpid()) + "\n");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

TEST(PathLock, LinkToTheFileMeansTheFile) {
  Folder folder;
  ASSERT_EQ(::symlink("s", (folder / "link").c_str()), 0);
  Expected<PathLock> lock = PathLock::acquire(folder / "s");
  ASSERT_TRUE(lock.ok());
  expectError(PathLock::acquire(folder / "link").status(), RP_UNAVAILABLE,
              {folder / "link", std::to_string(::getpid())});
  EXPECT_TRUE(PathLock::acquire(folder / "other").ok());
}

TEST(PathLock, PipesAreNotLocked) {
  Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  Expected<PathLock> first = PathLock::acquire(folder / "pipe");
  EXPECT_TRUE(first.ok() && PathLock::acquire(folder / "pipe").ok());
  EXPECT_FALSE(std::filesystem::exists(folder / "pipe.lock"));
}

TEST(PathLock, LinkInItsPlaceIsNotFollowed) {
  Folder folder;
  writeFile(folder / "victim", "untouched");
  ASSERT_EQ(::symlink((folder / "victim").c_str(), (folder / "s.lock").c_str()),
            0);
  expectError(PathLock::acquire(folder / "s").status(), RP_IO_ERROR,
              {"s.lock"});
  EXPECT_EQ(readFile(folder / "victim"), "untouched");
}

/// Takes and releases the lock, each time with nobody else inside.
static int takeTurns(const std::string &path, const std::string &inside) {
  for (int taken = 0; taken < 200;) {
    Expected<PathLock> lock = PathLock::acquire(path);
    if (!lock.ok() && lock.status().code() != RP_UNAVAILABLE)
      return 1;
    if (!lock.ok())
      continue;
    if (::mkdir(inside.c_str(), 0700) != 0 || ::rmdir(inside.c_str()) != 0)
      return 2;
    ++taken;
  }
  return 0;
}

TEST(PathLock, OneAtATimeWhileFilesComeAndGo) {
  Folder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(takeTurns(folder / "s", folder / "inside"));
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}
