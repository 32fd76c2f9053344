//===- File.cpp - Files read safely ---------------------------------------===//
//
// See File.h.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace reprise::rt;

// Some systems reject more in one call.
static constexpr size_t kMaxTransfer = size_t(1) << 30;

Expected<InputFile> InputFile::open(const std::string &path) {
  InputFile file;
  file.name = path;
  // O_NONBLOCK: opening a pipe that nobody writes must not hang.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (int error = errno; fd < 0) {
    Status status = systemError("open", path, error);
    // Errors of this process or machine, not of the file.
    bool isShort = error == EMFILE || error == ENFILE || error == ENOMEM;
    return isShort ? Status::error(RP_UNAVAILABLE, status.message()) : status;
  }
  file.descriptor = FileDescriptor(fd);
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return systemError("inspect", path, errno);
  if (!S_ISREG(info.st_mode))
    return Status::error(RP_IO_ERROR,
                         "'" + nameText(path) + "' is not a regular file");
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
      return Status::error(
          RP_DATA_LOSS,
          "'" + nameText(name) + "' is truncated: it ends after " +
              std::to_string(offset + done) + " bytes, but at least " +
              std::to_string(offset + size) + " are needed");
    done += size_t(n);
  }
  return Status();
}
