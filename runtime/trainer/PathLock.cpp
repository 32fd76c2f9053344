//===- PathLock.cpp - One writer of a state at a time ---------------------===//
//
// The holder removes the file before it releases the lock. A process that
// opened the file earlier and gets the lock afterwards holds a lock on a
// removed file; it sees that the name now means another file or none, and
// starts over.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/PathLock.h"
#include "reprise/Runtime/Expect.h"
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace reprise::rt;

static constexpr unsigned kAttempts = 1000;

namespace {
struct HeldFiles {
  std::mutex mutex;
  std::set<std::string> paths;
};
} // namespace

/// Never destroyed: threads may outlive main().
static HeldFiles &held() {
  static auto *all = new HeldFiles;
  return *all;
}

PathLock::PathLock(PathLock &&other) noexcept
    : descriptor(std::move(other.descriptor)),
      file(std::exchange(other.file, std::string())) {}

PathLock &PathLock::operator=(PathLock &&other) noexcept {
  if (this != &other) {
    release();
    descriptor = std::move(other.descriptor);
    file = std::exchange(other.file, std::string());
  }
  return *this;
}

PathLock::~PathLock() { release(); }

/// Returns true if `name` still means the open file.
static bool isNamed(int fd, const std::string &name) {
  struct stat opened, found;
  return ::fstat(fd, &opened) == 0 && ::lstat(name.c_str(), &found) == 0 &&
         opened.st_dev == found.st_dev && opened.st_ino == found.st_ino;
}

void PathLock::release() {
  if (!file.empty()) {
    std::lock_guard<std::mutex> guard(held().mutex);
    if (isNamed(descriptor.get(), file))
      ::unlink(file.c_str());
    held().paths.erase(file);
  }
  file.clear();
  descriptor = FileDescriptor();
}

/// Returns the lock's holder for a message; accepts only digits.
static std::string holderOf(int fd) {
  char text[32];
  ssize_t size = ::pread(fd, text, sizeof text, 0);
  std::string digits;
  for (ssize_t i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i)
    digits += text[i];
  return digits.empty() ? "another process" : "process " + digits;
}

static Status writeHolder(int fd, const std::string &path) {
  std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, text.data(), text.size(), 0) != ssize_t(text.size()))
    return systemError("write", path, errno);
  return Status();
}

Expected<PathLock> PathLock::acquire(const std::string &path) {
  REPRISE_EXPECT(target, OutputTarget::find(path));
  PathLock lock;
  if (!target->isFile())
    return lock;
  std::string name = target->path + ".lock";
  std::unique_lock<std::mutex> guard(held().mutex);
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    FileDescriptor fd(
        ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (fd.get() < 0)
      return systemError("open", name, errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK)
        return systemError("lock", name, errno);
      return Status::error(RP_UNAVAILABLE,
                           "'" + path + "' is being saved to by " +
                               holderOf(fd.get()) +
                               "; wait for its end or save to another file");
    }
    if (!isNamed(fd.get(), name))
      continue;
    lock.descriptor = std::move(fd);
    lock.file = name;
    held().paths.insert(name);
    guard.unlock(); // later failures release the lock
    REPRISE_RETURN_IF_ERROR(writeHolder(lock.descriptor.get(), name));
    return lock;
  }
  return Status::error(RP_UNAVAILABLE,
                       "'" + name + "' is removed again and again");
}

void PathLock::removeAllAtExit() {
  held().mutex.lock(); // never released
  for (const std::string &path : held().paths)
    ::unlink(path.c_str());
}
