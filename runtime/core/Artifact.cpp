//===- Artifact.cpp - Container of an artifact and atomic files -----------===//
//
// Every byte of a file is either covered by the digest or required to have
// one value, so that any single altered bit and any truncation is noticed.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Artifact.h"
#include "Fault.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace reprise::rt {

namespace {
constexpr size_t kHeaderBytes = 64, kLengthAt = 16, kDigestAt = 24,
                 kDigestEnd = 40;
constexpr char kMagic[] = "REPRISE\n";

/// A new file beside `path`, removed again unless it was renamed.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &path) {
    // Not mkstemp: it ignores the umask. A killed process of the same id may
    // have left its file behind, hence several attempts.
    for (unsigned attempt = 0; fd < 0 && attempt < 100; ++attempt) {
      name = path + ".tmp-" + std::to_string(::getpid()) + "-" +
             std::to_string(attempt);
      fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && errno != EEXIST)
        break;
    }
    pending = fd >= 0;
  }
  ~TemporaryFile() {
    if (fd >= 0)
      ::close(fd);
    if (pending)
      ::unlink(name.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  std::string name;
  int fd = -1;
  bool pending = false;
};
} // namespace

template <typename T> static void store(uint8_t *at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    at[i] = uint8_t(value >> (8 * i));
}

template <typename T> static T fetch(const uint8_t *at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= T(at[i]) << (8 * i);
  return value;
}

static XXH128_canonical_t digestOf(const uint8_t *header,
                                   const uint8_t *payload, size_t size) {
  // The streaming state is a few hundred bytes and wants 64-byte alignment,
  // which a local variable of this type has.
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, header, kDigestAt);
  if (!REPRISE_FAULT("digest-of-the-header-only"))
    XXH3_128bits_update(&state, payload, size);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  return canonical;
}

std::vector<uint8_t> sealArtifact(const uint8_t *payload, size_t size) {
  std::vector<uint8_t> file(kHeaderBytes + size);
  std::memcpy(file.data(), kMagic, 8);
  store<uint32_t>(file.data() + 8, kArtifactVersion);
  store<uint64_t>(file.data() + kLengthAt, size);
  XXH128_canonical_t digest = digestOf(file.data(), payload, size);
  std::memcpy(file.data() + kDigestAt, &digest, sizeof digest);
  if (size)
    std::memcpy(file.data() + kHeaderBytes, payload, size);
  return file;
}

static Status damaged(const std::string &what) {
  return Status::error(RP_DATA_LOSS, what);
}

Status openContainer(const uint8_t *data, size_t size, const uint8_t **payload,
                     size_t *payloadSize) {
  if (size < kHeaderBytes)
    return damaged("not an artifact: " + std::to_string(size) +
                   " bytes are fewer than the " + std::to_string(kHeaderBytes) +
                   " of its header");
  if (std::memcmp(data, kMagic, 8) != 0)
    return damaged("not an artifact: it does not begin with \"REPRISE\"");
  uint32_t version = fetch<uint32_t>(data + 8);
  if (version != kArtifactVersion)
    return damaged("artifact of version " + std::to_string(version) +
                   "; this runtime reads version " +
                   std::to_string(kArtifactVersion) +
                   ", compile the model again");
  uint64_t length = fetch<uint64_t>(data + kLengthAt);
  if (length != size - kHeaderBytes)
    return damaged("damaged artifact: its header promises " +
                   std::to_string(length) + " bytes of payload, the file has " +
                   std::to_string(size - kHeaderBytes));
  for (size_t i = kDigestEnd; i < kHeaderBytes; ++i)
    if (data[i] != 0)
      return damaged("damaged artifact: byte " + std::to_string(i) +
                     " of the header is " + std::to_string(data[i]) +
                     " instead of 0");
  XXH128_canonical_t digest = digestOf(data, data + kHeaderBytes, length);
  if (std::memcmp(data + kDigestAt, &digest, sizeof digest) != 0)
    return damaged("damaged artifact: the digest of its contents is not the "
                   "one in its header");
  *payload = data + kHeaderBytes;
  *payloadSize = length;
  return {};
}

static Status writeError(const std::string &doing, const std::string &path,
                         int error) {
  std::string text = "cannot " + doing + " '" + path + "': ";
  if (error == ENOSPC || error == EDQUOT)
    return Status::error(RP_IO_ERROR,
                         text + "the disk is full; free some space and save "
                                "again, the previous file is untouched");
  return Status::error(RP_IO_ERROR, text + std::strerror(error));
}

static Status writeAll(int fd, const std::string &path, const void *data,
                       size_t size) {
  const char *next = static_cast<const char *>(data);
  while (size) {
    ssize_t n = ::write(fd, next, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return writeError("write", path, n < 0 ? errno : EIO);
    next += n;
    size -= size_t(n);
  }
  return {};
}

/// Makes the rename itself durable.
static Status syncDirectory(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? "."
                          : slash == 0               ? "/"
                                                     : path.substr(0, slash);
  int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return writeError("sync directory", directory, errno);
  int failed = ::fsync(fd) ? errno : 0;
  ::close(fd);
  // Some file systems cannot sync a directory and say so with EINVAL; there
  // is nothing more to be done on them.
  if (failed && failed != EINVAL)
    return writeError("sync directory", directory, failed);
  return {};
}

/// Gives the new file the permissions of the one it will replace, if any.
static Status keepMode(int fd, const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && ::fchmod(fd, info.st_mode & 07777))
    return writeError("set the permissions of", path, errno);
  return {};
}

Status writeFileAtomically(const std::string &path, const void *data,
                           size_t size) {
  TemporaryFile file(path);
  if (!file.pending)
    return writeError("create a file beside", path, errno);
  REPRISE_RETURN_IF_ERROR(writeAll(file.fd, path, data, size));
  REPRISE_RETURN_IF_ERROR(keepMode(file.fd, path));
  if (::fsync(file.fd))
    return writeError("sync", path, errno);
  int closing = std::exchange(file.fd, -1);
  if (::close(closing))
    return writeError("close", path, errno);
  if (::rename(file.name.c_str(), path.c_str()))
    return writeError("replace", path, errno);
  file.pending = false;
  return syncDirectory(path);
}

} // namespace reprise::rt
