//===- File.h - Files read safely, written whole or not at all --*- C++ -*-===//
//
// InputFile reads parts of a regular file; a short read is an error that names
// the file and both sizes. AtomicFile streams a new file beside its target and
// puts it in place with one rename: written aside, synced, renamed, directory
// synced. It exists next to writeFileAtomically because a state of several
// hundred MiB is streamed from the arena and never held a second time.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_FILE_H
#define REPRISE_RUNTIME_TRAINER_FILE_H

#include "reprise/Runtime/Status.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace reprise::rt {

/// "cannot ACTION 'PATH': reason" for an errno value.
Status systemError(const std::string &action, const std::string &path,
                   int error);

/// A file descriptor that is closed with its owner.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept : fd(other.release()) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept;
  ~FileDescriptor();
  int get() const { return fd; }
  int release();

private:
  int fd = -1;
};

class InputFile {
public:
  /// Fails with RP_IO_ERROR when `path` cannot be opened or is no regular file.
  static Expected<InputFile> open(const std::string &path);
  const std::string &path() const { return name; }
  uint64_t size() const { return bytes; }
  /// Reads exactly `size` bytes at `offset`, from any thread.
  Status readAt(uint64_t offset, void *data, size_t size) const;
  /// Gives the descriptor away, e.g. to zlib.
  FileDescriptor takeDescriptor() { return std::move(descriptor); }

private:
  FileDescriptor descriptor;
  std::string name;
  uint64_t bytes = 0;
};

class AtomicFile {
public:
  /// Opens "PATH.partial" for writing; a leftover of a killed process is
  /// replaced.
  static Expected<AtomicFile> create(const std::string &path);
  AtomicFile(AtomicFile &&) = default;
  AtomicFile &operator=(AtomicFile &&) = delete;
  /// Removes the partial file unless committed.
  ~AtomicFile();

  Status append(const void *data, size_t size);
  /// Replaces bytes already written.
  Status overwrite(uint64_t offset, const void *data, size_t size);
  /// Syncs and puts the file in place of the old one.
  Status commit();

private:
  AtomicFile() = default;
  Status writeAt(uint64_t offset, const void *data, size_t size);

  FileDescriptor descriptor;
  std::string target, partial;
  uint64_t written = 0;
};

/// Fails when a file could not be created beside `path`; asked before a long
/// run, so that it does not end with nothing saved.
Status checkWritable(const std::string &path);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_FILE_H
