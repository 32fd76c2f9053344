//===- MemoryFile.h - A fuzzer's input as a file ----------------*- C++ -*-===//
//
// The readers take paths, so that the code that is fuzzed is the code that
// runs: the input becomes a file in memory with a path in /proc.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_FUZZ_MEMORYFILE_H
#define REPRISE_TEST_FUZZ_MEMORYFILE_H

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

class MemoryFile {
public:
  MemoryFile(const uint8_t *data, size_t size)
      : fd(memfd_create("input", MFD_CLOEXEC)) {
    if (fd < 0 || pwrite(fd, data, size, 0) != ssize_t(size))
      std::abort();
    path = "/proc/self/fd/" + std::to_string(fd);
  }
  ~MemoryFile() { close(fd); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  std::string path;

private:
  int fd;
};

#endif // REPRISE_TEST_FUZZ_MEMORYFILE_H
