//===- OutputFile.cpp - Write files safely --------------------------------===//
//
// See OutputFile.h. A rename replaces a file atomically (POSIX); the folder is
// synced after it, so that the new name survives a power cut.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/NameText.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string_view>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

using namespace reprise::rt;

// Some systems reject more in one call.
static constexpr size_t kMaxTransfer = size_t(1) << 30;

static constexpr unsigned kMaxLinks = 40;

// Names of temporary files: this and hexadecimal digits.
static constexpr std::string_view kAside = ".reprise-";
static constexpr int kAsideDigits = 16;

Status reprise::rt::systemError(const std::string &action,
                                const std::string &path, int error) {
  std::string reason = std::generic_category().message(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z')
    reason[0] = char(reason[0] - 'A' + 'a');
  return Status::error(RP_IO_ERROR, "cannot " + action + " '" + nameText(path) +
                                        "': " + reason);
}

/// Returns the limit of an EFBIG error, as text.
static std::string fileSizeLimit() {
  struct rlimit limit;
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "the file system's limit of a file's size";
  return "'ulimit -f', " + std::to_string(limit.rlim_cur) + " bytes";
}

/// Adds advice on making room to an error of writing.
static Status writeError(const std::string &path, int error, bool isStream) {
  Status status = systemError("write", path, error);
  bool isFull = error == ENOSPC || error == EDQUOT;
  if (isStream || (!isFull && error != EFBIG))
    return status;
  return Status::error(
      RP_IO_ERROR,
      status.message() +
          (isFull ? "; free some space" : "; raise " + fileSizeLimit() + ",") +
          " and save again, the previous file is untouched");
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

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

static std::string nameOf(const std::string &path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

/// Returns the number N of "/proc/THIS/fd/N", the target of links like
/// /dev/stdout; -1 for other paths. `folder` has no links.
static int ownDescriptor(const std::string &folder, const std::string &name) {
  std::string process = "/proc/" + std::to_string(::getpid()) + "/";
  bool isList =
      folder.compare(0, process.size(), process) == 0 && nameOf(folder) == "fd";
  if (!isList || name.empty() || name.size() > 9 ||
      name.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  return std::atoi(name.c_str());
}

/// Returns the target of a symlink; empty, with errno set, if it cannot be
/// read.
static std::string readLink(const std::string &path) {
  std::string text(PATH_MAX, '\0');
  ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  text.resize(size > 0 ? size_t(size) : 0);
  return text;
}

/// Returns true for a file mounted over a file, as in containers; a rename
/// cannot replace it.
static bool isMountPoint(const std::string &path) {
  struct statx info = {};
  return ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE,
                 &info) == 0 &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static Status checkDescriptor(const std::string &asked, int descriptor) {
  int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
    return systemError("write", asked, flags < 0 ? errno : EBADF);
  return Status();
}

/// Classifies the target, if it exists, after all links.
static Status classify(const std::string &asked, const struct stat &info,
                       OutputTarget &target) {
  if (S_ISDIR(info.st_mode))
    return systemError("write", asked, EISDIR);
  if (S_ISSOCK(info.st_mode))
    return systemError("write", asked, ENXIO);
  // A rename ignores the rights of the replaced file; the user expects them to
  // be respected.
  if (::faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0)
    return systemError("write", asked, errno);
  if (!S_ISREG(info.st_mode)) {
    target.kind = OutputTarget::Kind::Stream;
    return Status();
  }
  if (isMountPoint(target.path))
    return Status::error(RP_IO_ERROR,
                         "cannot write '" + asked +
                             "': it is mounted on its own and cannot be "
                             "replaced; mount its folder instead");
  target.kind = OutputTarget::Kind::Regular;
  return Status();
}

Expected<OutputTarget> OutputTarget::find(const std::string &asked) {
  OutputTarget target;
  std::string next = asked;
  for (unsigned links = 0; links <= kMaxLinks; ++links) {
    std::string name = nameOf(next);
    if (next.empty() || name.empty())
      return systemError("write", asked, next.empty() ? ENOENT : EISDIR);
    std::unique_ptr<char, decltype(&std::free)> folder(
        ::realpath(folderOf(next).c_str(), nullptr), &std::free);
    if (!folder)
      return systemError("write", asked, errno);
    std::string base = folder.get();
    target.path = (base == "/" ? "" : base) + "/" + name;
    target.descriptor = ownDescriptor(base, name);
    if (target.descriptor >= 0) {
      target.kind = Kind::Descriptor;
      REPRISE_RETURN_IF_ERROR(checkDescriptor(asked, target.descriptor));
      return target;
    }
    struct stat info;
    if (::lstat(target.path.c_str(), &info) != 0) {
      if (errno != ENOENT)
        return systemError("write", asked, errno);
      return target;
    }
    if (!S_ISLNK(info.st_mode)) {
      REPRISE_RETURN_IF_ERROR(classify(asked, info, target));
      return target;
    }
    std::string link = readLink(target.path);
    if (link.empty())
      return systemError("read the link", target.path, errno);
    next = link[0] == '/' ? link : base + "/" + link;
  }
  return systemError("write", asked, ELOOP);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Returns a random name in `folder`.
static std::string asideName(const std::string &folder) {
  uint64_t bits = 0;
  // Requests below 256 bytes are never cut short once the system is up.
  if (::getrandom(&bits, sizeof bits, 0) != ssize_t(sizeof bits))
    bits = uint64_t(::getpid());
  std::string name = folder + (folder == "/" ? "" : "/") + std::string(kAside);
  for (int shift = 4 * (kAsideDigits - 1); shift >= 0; shift -= 4)
    name += "0123456789abcdef"[bits >> shift & 15];
  return name;
}

/// The writer of a temporary file locks it, so that an unlocked one belongs to
/// a process that was killed between naming it and the rename.
static void removeIfLeftBehind(const std::string &path) {
  FileDescriptor fd(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (fd.get() < 0 || ::fstat(fd.get(), &info) != 0)
    return;
  bool isOurs = S_ISREG(info.st_mode) && info.st_uid == ::geteuid();
  bool isFree = isOurs && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
  // Removed while locked: a writer that has yet to lock it then sees that its
  // file is gone.
  if (isFree)
    ::unlink(path.c_str());
}

/// Files that cannot be examined or removed stay.
static void removeLeftBehind(const std::string &folder) {
  std::error_code error;
  std::vector<std::string> found;
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end; at.increment(error)) {
    std::string name = at->path().filename();
    bool isAside = name.size() == kAside.size() + kAsideDigits &&
                   name.compare(0, kAside.size(), kAside) == 0 &&
                   name.find_first_not_of("0123456789abcdef", kAside.size()) ==
                       std::string::npos;
    if (isAside)
      found.push_back(at->path());
  }
  for (const std::string &path : found)
    removeIfLeftBehind(path);
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : descriptor(std::move(other.descriptor)), target(std::move(other.target)),
      asked(std::move(other.asked)), folder(std::move(other.folder)),
      aside(std::move(other.aside)), written(other.written) {
  other.aside.clear();
}

OutputFile::~OutputFile() {
  if (!aside.empty())
    ::unlink(aside.c_str());
}

Expected<OutputFile> OutputFile::create(const std::string &path) {
  REPRISE_EXPECT(target, OutputTarget::find(path));
  OutputFile file;
  file.asked = path;
  file.target = std::move(*target);
  if (file.target.isFile()) {
    REPRISE_RETURN_IF_ERROR(file.createAside());
    return file;
  }
  int fd = -1;
  if (file.target.kind == OutputTarget::Kind::Descriptor)
    fd = ::fcntl(file.target.descriptor, F_DUPFD_CLOEXEC, 0);
  else
    do // a FIFO waits for its reader
      fd = ::open(file.target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
  if (fd < 0)
    return systemError("write", path, errno);
  file.descriptor = FileDescriptor(fd);
  return file;
}

Status OutputFile::createAside() {
  folder = folderOf(target.path);
  // Nobody may read the new file meanwhile who may not read it afterwards.
  struct stat old;
  mode_t mode = 0666;
  if (::stat(target.path.c_str(), &old) == 0)
    mode = old.st_mode & 0777;
  int fd = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  // A file without a name gets one through the descriptor's entry in /proc.
  if (fd >= 0 && ::access("/proc/self/fd", X_OK) != 0) {
    ::close(fd);
    fd = -1;
    errno = EOPNOTSUPP;
  }
  // Kernels and file systems without unnamed files return any of these.
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL ||
                 errno == ENOENT)) {
    aside = asideName(folder);
    fd = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  }
  if (fd < 0) {
    int error = errno;
    aside.clear();
    return systemError("create a file next to", asked, error);
  }
  descriptor = FileDescriptor(fd);
  // Locked before it has a name, or as soon as it has one; see
  // removeIfLeftBehind. If locks do not work, nobody removes it either.
  [[maybe_unused]] int locked = ::flock(fd, LOCK_EX);
  struct stat own;
  bool isGone = !aside.empty() && ::fstat(fd, &own) == 0 && own.st_nlink == 0;
  return isGone ? createAside() : Status();
}

Status OutputFile::append(const void *data, size_t size) {
  if (!isStream())
    REPRISE_RETURN_IF_ERROR(overwrite(written, data, size));
  const char *bytes = static_cast<const char *>(data);
  for (size_t done = 0; isStream() && done < size;) {
    ssize_t n = ::write(descriptor.get(), bytes + done,
                        std::min(size - done, kMaxTransfer));
    if (n < 0 && errno != EINTR)
      return writeError(asked, errno, isStream());
    done += n < 0 ? 0 : size_t(n);
  }
  written += size;
  return Status();
}

Status OutputFile::overwrite(uint64_t offset, const void *data, size_t size) {
  const char *bytes = static_cast<const char *>(data);
  for (size_t done = 0; done < size;) {
    ssize_t n =
        ::pwrite(descriptor.get(), bytes + done,
                 std::min(size - done, kMaxTransfer), off_t(offset + done));
    if (n < 0 && errno != EINTR)
      return writeError(asked, errno, isStream());
    done += n < 0 ? 0 : size_t(n);
  }
  return Status();
}

/// Makes the rename itself durable.
static Status syncFolder(const std::string &folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A user who may write in a folder but not read it cannot sync it either.
  if (fd.get() < 0)
    return errno == EACCES ? Status()
                           : systemError("open folder", folder, errno);
  // Some file systems cannot sync a folder and return EINVAL.
  if (::fsync(fd.get()) != 0 && errno != EINVAL)
    return systemError("sync folder", folder, errno);
  return Status();
}

Status OutputFile::takeAttributes() {
  struct stat old, now;
  if (::stat(target.path.c_str(), &old) != 0)
    return Status(); // new, or gone meanwhile
  if (::fstat(descriptor.get(), &now) != 0)
    return systemError("inspect", asked, errno);
  mode_t mode = old.st_mode & 07777;
  // Only root may change a file's owner; the group may be one of the user's.
  bool isOwner = old.st_uid == now.st_uid ||
                 ::fchown(descriptor.get(), old.st_uid, gid_t(-1)) == 0;
  bool isGroup = old.st_gid == now.st_gid ||
                 ::fchown(descriptor.get(), uid_t(-1), old.st_gid) == 0;
  // Rights of the old group are not given to a different one.
  if (!isGroup)
    mode &= ~mode_t(S_IRWXG & ~((mode & S_IRWXO) << 3));
  if (!isOwner || !isGroup)
    mode &= 0777;
  if (::fchmod(descriptor.get(), mode) != 0)
    return systemError("set the permissions of", asked, errno);
  return Status();
}

Status OutputFile::link() {
  if (!aside.empty() || isStream())
    return Status();
  std::string self = "/proc/self/fd/" + std::to_string(descriptor.get());
  std::string name = asideName(folder);
  if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(),
               AT_SYMLINK_FOLLOW) != 0)
    return systemError("create a file next to", asked, errno);
  aside = std::move(name);
  return Status();
}

Status OutputFile::commit() {
  if (isStream()) {
    if (::close(descriptor.release()) != 0)
      return writeError(asked, errno, isStream());
    return Status();
  }
  REPRISE_RETURN_IF_ERROR(takeAttributes());
  if (::fsync(descriptor.get()) != 0)
    return writeError(asked, errno, isStream());
  // A kill between the two leaves the temporary file.
  REPRISE_RETURN_IF_ERROR(link());
  if (::rename(aside.c_str(), target.path.c_str()) != 0)
    return systemError("replace", asked, errno);
  aside.clear();
  descriptor = FileDescriptor();
  return syncFolder(folder);
}

Status reprise::rt::writeFile(const std::string &path, const void *data,
                              size_t size) {
  REPRISE_EXPECT(file, OutputFile::create(path));
  REPRISE_RETURN_IF_ERROR(file->append(data, size));
  return file->commit();
}

Status reprise::rt::checkWritable(const std::string &path) {
  Expected<OutputTarget> target = OutputTarget::find(path);
  // A FIFO is not opened for this check: that would wait for its reader.
  if (!target.ok() || !target->isFile())
    return target.status();
  removeLeftBehind(folderOf(target->path));
  Expected<OutputFile> file = OutputFile::create(path);
  // The destructor removes it again.
  return file.ok() ? file->link() : file.status();
}
