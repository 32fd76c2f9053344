//===- PathLock.h - One writer of a state at a time -------------*- C++ -*-===//
//
// Two runs that save to one path would overwrite each other's states. A run
// holds a lock on "PATH.lock", next to the file that PATH refers to after
// resolving all symlinks. It belongs to the open file and so ends with its
// process, however that ends; the existence of the file means nothing.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_PATHLOCK_H
#define REPRISE_RUNTIME_TRAINER_PATHLOCK_H

#include "reprise/Runtime/OutputFile.h"

namespace reprise::rt {

class PathLock {
public:
  /// Holds no lock.
  PathLock() = default;
  /// Fails at once, with the other's process, if `path` is locked. Devices and
  /// pipes are not locked.
  static Expected<PathLock> acquire(const std::string &path);
  PathLock(PathLock &&other) noexcept;
  PathLock &operator=(PathLock &&other) noexcept;
  ~PathLock();

  /// Removes the files of all locks, before a process ends while threads hold
  /// them. No lock can be acquired or released afterwards: threads that try
  /// wait for the end of the process.
  static void removeAllAtExit();

private:
  void release();

  FileDescriptor descriptor;
  std::string file;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_PATHLOCK_H
