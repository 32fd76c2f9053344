//===- File.cpp - Files read safely, written whole or not at all ----------===//
//
// See File.h. A rename replaces a file atomically (POSIX); the directory is
// synced after it, so that the new name survives a power cut.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/File.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace reprise::rt;

// Some systems refuse more in one call.
static constexpr size_t kMaxTransfer = size_t(1) << 30;

static std::string directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status reprise::rt::systemError(const std::string &action,
                                const std::string &path, int error) {
  std::string reason = std::generic_category().message(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z')
    reason[0] = char(reason[0] - 'A' + 'a');
  return Status::error(RP_IO_ERROR,
                       "cannot " + action + " '" + path + "': " + reason);
}

FileDescriptor &FileDescriptor::operator=(FileDescriptor &&other) noexcept {
  if (this != &other) {
    if (fd >= 0)
      ::close(fd);
    fd = other.release();
  }
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd >= 0)
    ::close(fd);
}

int FileDescriptor::release() {
  int result = fd;
  fd = -1;
  return result;
}

Expected<InputFile> InputFile::open(const std::string &path) {
  InputFile file;
  file.name = path;
  // O_NONBLOCK: opening a pipe that nobody writes must not hang.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return systemError("open", path, errno);
  file.descriptor = FileDescriptor(fd);
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return systemError("inspect", path, errno);
  if (!S_ISREG(info.st_mode))
    return Status::error(RP_IO_ERROR, "'" + path + "' is not a regular file");
  file.bytes = uint64_t(info.st_size);
  return file;
}

Status InputFile::readAt(uint64_t offset, void *data, size_t size) const {
  char *out = static_cast<char *>(data);
  size_t done = 0;
  while (done < size) {
    ssize_t n =
        ::pread(descriptor.get(), out + done,
                std::min(size - done, kMaxTransfer), off_t(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return systemError("read", name, errno);
    if (n == 0)
      return Status::error(RP_DATA_LOSS,
                           "'" + name + "' is truncated: it ends after " +
                               std::to_string(offset + done) +
                               " bytes, but at least " +
                               std::to_string(offset + size) + " are needed");
    done += size_t(n);
  }
  return Status();
}

Expected<AtomicFile> AtomicFile::create(const std::string &path) {
  AtomicFile file;
  file.target = path;
  std::string partial = path + ".partial";
  // A leftover may be a link or belong to somebody else: never write into it.
  ::unlink(partial.c_str());
  int fd =
      ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return systemError("create", partial, errno);
  file.descriptor = FileDescriptor(fd);
  file.partial = std::move(partial);
  return file;
}

AtomicFile::~AtomicFile() {
  if (descriptor.get() >= 0 && !partial.empty())
    ::unlink(partial.c_str());
}

Status AtomicFile::append(const void *data, size_t size) {
  REPRISE_RETURN_IF_ERROR(writeAt(written, data, size));
  written += size;
  return Status();
}

Status AtomicFile::overwrite(uint64_t offset, const void *data, size_t size) {
  return writeAt(offset, data, size);
}

Status AtomicFile::writeAt(uint64_t offset, const void *data, size_t size) {
  const char *bytes = static_cast<const char *>(data);
  size_t done = 0;
  while (done < size) {
    ssize_t n =
        ::pwrite(descriptor.get(), bytes + done,
                 std::min(size - done, kMaxTransfer), off_t(offset + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return systemError("write", partial, errno);
    done += size_t(n);
  }
  return Status();
}

Status AtomicFile::commit() {
  if (::fsync(descriptor.get()) != 0)
    return systemError("sync", partial, errno);
  if (::rename(partial.c_str(), target.c_str()) != 0)
    return systemError("replace", target, errno);
  descriptor = FileDescriptor();
  std::string directory = directoryOf(target);
  FileDescriptor dir(
      ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (dir.get() < 0)
    return systemError("open directory", directory, errno);
  // Some file systems cannot sync a directory and say EINVAL.
  if (::fsync(dir.get()) != 0 && errno != EINVAL)
    return systemError("sync directory", directory, errno);
  return Status();
}

Status reprise::rt::checkWritable(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return systemError("write", path, EISDIR);
  // Created and removed again by the destructor.
  return AtomicFile::create(path).status();
}
