//===- OutputFile.h - Files written whole or not at all ---------*- C++ -*-===//
//
// The one way in which files are written. A regular file, or a new one, is
// replaced as a whole or not at all: written to a temporary file in the same
// folder, synced, renamed, folder synced. Processes that read it meanwhile read
// the old file to its end. The temporary file has no name until it is complete,
// so that a killed process leaves nothing; on file systems without such files
// it is ".reprise-" and 16 random digits. Between taking a name and the rename
// such a file is locked; if a process is killed just then, the next
// checkWritable() of a path in the folder removes its file.
//
// A symlink stays, and its target is replaced. Devices, FIFOs and descriptors
// of this process (/dev/stdout, /dev/fd/N) are written to directly.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_OUTPUTFILE_H
#define REPRISE_RUNTIME_OUTPUTFILE_H

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

/// The destination of the bytes for a path.
struct OutputTarget {
  enum class Kind {
    New,       // the path does not exist
    Regular,   // a file to replace
    Stream,    // a device or a FIFO
    Descriptor // one of this process
  };
  Kind kind = Kind::New;
  /// After resolving all symlinks.
  std::string path;
  int descriptor = -1;

  bool isFile() const { return kind == Kind::New || kind == Kind::Regular; }
  /// Follows symlinks. Fails if `path` cannot be written to: its folder does
  /// not exist, it is a folder itself, or its permissions forbid it.
  static Expected<OutputTarget> find(const std::string &path);
};

class OutputFile {
public:
  /// Waits for a reader if `path` is a FIFO.
  static Expected<OutputFile> create(const std::string &path);
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  /// Leaves the old file unchanged unless committed.
  ~OutputFile();

  /// Returns true if bytes are written as soon as they are appended.
  bool isStream() const { return !target.isFile(); }
  Status append(const void *data, size_t size);
  /// Replaces bytes already written; not for streams.
  Status overwrite(uint64_t offset, const void *data, size_t size);
  /// Replaces the old file by this one. Owner, group and permissions are those
  /// of the old one as far as this process may set them.
  Status commit();
  /// Gives the temporary file a name, as commit() will. Shows in advance
  /// whether the file system supports it.
  Status link();

private:
  OutputFile() = default;
  Status createAside();
  Status takeAttributes();

  FileDescriptor descriptor;
  OutputTarget target;
  std::string asked, folder, aside; // aside: empty while the temporary file has
                                    // no name
  uint64_t written = 0;
};

/// Writes a file as a whole or not at all.
Status writeFile(const std::string &path, const void *data, size_t size);

/// Fails if `path` could not be written; called before a long run, so that it
/// does not end with nothing saved. Removes temporary files of killed
/// processes.
Status checkWritable(const std::string &path);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_OUTPUTFILE_H
