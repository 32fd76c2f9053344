//===- Program.cpp - A verified program in memory -------------------------===//
//
// The file is read rather than mapped: a mapped file could change under the
// runtime after it was checked.
//
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "../support/Restate.h"
#include "Views.h"
#include "reprise/Runtime/Artifact.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace reprise::rt {

void Program::Free::operator()(uint8_t *p) const { std::free(p); }

Program::Bytes Program::allocate(size_t size) {
  // The header is 64 bytes, so the payload is aligned when the file is.
  size_t rounded = (size / kAlignment + 1) * kAlignment;
  void *memory = std::aligned_alloc(kAlignment, rounded);
  if (!memory)
    throw std::bad_alloc();
  return Bytes(static_cast<uint8_t *>(memory));
}

Expected<std::shared_ptr<const Program>> Program::adopt(Bytes bytes,
                                                        size_t size) {
  const uint8_t *payload;
  size_t payloadSize;
  REPRISE_RETURN_IF_ERROR(
      openContainer(bytes.get(), size, &payload, &payloadSize));
  REPRISE_RETURN_IF_ERROR(verifyProgram(payload, payloadSize));
  auto program = std::make_shared<Program>();
  program->bytes = std::move(bytes);
  program->program = fb::GetProgram(payload);
  return std::shared_ptr<const Program>(std::move(program));
}

Expected<std::shared_ptr<const Program>> Program::fromMemory(const void *data,
                                                             size_t size) {
  Bytes bytes = allocate(size);
  if (size)
    std::memcpy(bytes.get(), data, size);
  return adopt(std::move(bytes), size);
}

static Status readAll(int fd, const std::string &path, uint8_t *bytes,
                      size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t n = ::read(fd, bytes + done, size - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return Status::error(RP_IO_ERROR, "cannot read '" + path +
                                            "': " + std::strerror(errno));
    if (n == 0)
      return Status::error(RP_DATA_LOSS,
                           "'" + path + "' became shorter while it was read");
    done += size_t(n);
  }
  return {};
}

Expected<std::shared_ptr<const Program>>
Program::open(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return Status::error(RP_IO_ERROR,
                         "cannot open '" + path + "': " + std::strerror(errno));
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } closer{fd};
  struct stat info;
  if (::fstat(fd, &info) || !S_ISREG(info.st_mode))
    return Status::error(RP_IO_ERROR, "'" + path + "' is not a regular file");
  size_t size = size_t(info.st_size);
  Bytes bytes = allocate(size);
  REPRISE_RETURN_IF_ERROR(readAll(fd, path, bytes.get(), size));
  Expected<std::shared_ptr<const Program>> program =
      adopt(std::move(bytes), size);
  if (!program.ok())
    return restate(program.status(),
                   "'" + path + "': " + program.status().message());
  return program;
}

std::string Program::digest() const {
  constexpr size_t kBegin = 24, kEnd = 40; // as Artifact.h says
  const char *digits = "0123456789abcdef";
  std::string text;
  for (size_t i = kBegin; i < kEnd; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

int Program::findEntry(std::string_view name) const {
  if (!program->entries())
    return -1;
  for (uint32_t i = 0; i < program->entries()->size(); ++i)
    if (program->entries()->Get(i)->name()->string_view() == name)
      return int(i);
  return -1;
}

Expected<size_t> Program::entryNumber(std::string_view name) const {
  int number = findEntry(name);
  if (number >= 0)
    return size_t(number);
  std::string known;
  if (program->entries())
    for (const fb::Entry *e : *program->entries())
      known += (known.empty() ? "" : ", ") + e->name()->str();
  return Status::error(RP_INVALID_ARGUMENT,
                       "the program has no entry '" + std::string(name) +
                           "'; it has: " + (known.empty() ? "none" : known));
}

} // namespace reprise::rt
