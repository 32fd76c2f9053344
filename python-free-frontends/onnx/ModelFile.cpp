//===- ModelFile.cpp - A model's file and the files beside it -------------===//

#include "ModelFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace reprise::onnx;

std::unique_ptr<MappedFile> MappedFile::map(int descriptor,
                                            std::string &error) {
  struct stat facts;
  if (::fstat(descriptor, &facts) != 0) {
    error = std::strerror(errno);
    return nullptr;
  }
  if (!S_ISREG(facts.st_mode)) {
    error = "it is not a regular file";
    return nullptr;
  }
  std::unique_ptr<MappedFile> file(new MappedFile);
  auto size = static_cast<size_t>(facts.st_size);
  if (size == 0)
    return file;
  void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) {
    error = std::strerror(errno);
    return nullptr;
  }
  file->view = {static_cast<const char *>(data), size};
  return file;
}

MappedFile::~MappedFile() {
  if (!view.empty())
    ::munmap(const_cast<char *>(view.data()), view.size());
}

std::unique_ptr<ModelFile> ModelFile::open(const std::string &path,
                                           std::string &error) {
  // Opening a pipe must not wait for its writer.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    error = std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<ModelFile> file(new ModelFile);
  file->main = MappedFile::map(descriptor, error);
  ::close(descriptor);
  if (!file->main)
    return nullptr;
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  file->folder = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  return file;
}

ModelFile::~ModelFile() {
  if (folder >= 0)
    ::close(folder);
}

/// Splits a path; empty if it is absolute or has an empty part, "." or "..".
static std::vector<std::string> partsOf(const std::string &location) {
  std::vector<std::string> parts(1);
  for (char c : location)
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  if (parts.front() == "." && parts.size() > 1)
    parts.erase(parts.begin());
  for (const std::string &part : parts)
    if (part.empty() || part == "." || part == ".." ||
        part.find('\0') != std::string::npos)
      return {};
  return parts;
}

/// Opens a path below a folder part by part, so that no part is a link.
static int openBelow(int folder, const std::vector<std::string> &parts) {
  int current = ::dup(folder);
  for (size_t k = 0; current >= 0 && k < parts.size(); ++k) {
    int flags =
        O_NOFOLLOW | O_CLOEXEC |
        (k + 1 < parts.size() ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK);
    int next = ::openat(current, parts[k].c_str(), flags);
    int reason = errno;
    ::close(current);
    errno = reason;
    current = next;
  }
  return current;
}

std::string_view ModelFile::external(const std::string &location,
                                     std::string &error) {
  auto found = others.find(location);
  if (found != others.end())
    return found->second->bytes();
  std::vector<std::string> parts = partsOf(location);
  if (parts.empty()) {
    error = "its data lie outside the model's folder";
    return {};
  }
  int descriptor = openBelow(folder, parts);
  if (descriptor < 0) {
    error =
        errno == ELOOP || errno == ENOTDIR
            ? "its data lie under a symbolic link, which is not followed"
            : std::string("its data cannot be opened: ") + std::strerror(errno);
    return {};
  }
  std::unique_ptr<MappedFile> file = MappedFile::map(descriptor, error);
  ::close(descriptor);
  if (!file)
    return {};
  return (others[location] = std::move(file))->bytes();
}
