//===- PathLock.h - One writer of a state at a time -------------*- C++ -*-===//
//
// Two runs that save to one path would replace each other's work. A lock on
// "PATH.lock", beside the file that PATH means behind all symlinks, is held for
// a run. It belongs to the open file and so ends with its process, however that
// ends; the file's being there means nothing.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_PATHLOCK_H
#define REPRISE_RUNTIME_TRAINER_PATHLOCK_H

#include "reprise/Runtime/OutputFile.h"

namespace reprise::rt {

class PathLock {
public:
  /// Of nothing.
  PathLock() = default;
  /// Fails at once, with the other's process, when `path` is locked. Devices
  /// and pipes are not locked.
  static Expected<PathLock> acquire(const std::string &path);
  PathLock(PathLock &&other) noexcept;
  PathLock &operator=(PathLock &&other) noexcept;
  ~PathLock();

  /// Removes the files of all locks, before a process ends beside the threads
  /// that hold them. None is acquired or given back from now on: who tries
  /// waits for the end.
  static void removeAllAtExit();

private:
  void release();

  FileDescriptor descriptor;
  std::string file;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_PATHLOCK_H
