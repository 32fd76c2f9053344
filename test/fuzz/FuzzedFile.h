//===- FuzzedFile.h - A fuzzer's input as a file ----------------*- C++ -*-===//
#ifndef REPRISE_FUZZ_FUZZEDFILE_H
#define REPRISE_FUZZ_FUZZEDFILE_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace reprise::fuzz {

/// Ends the process, which the fuzzer reports with its input, unless `holds`.
inline void require(bool holds, const char *otherwise) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", otherwise);
  std::abort();
}

/// A file in memory, for libraries that read files by their paths.
class FuzzedFile {
public:
  FuzzedFile() : descriptor(::memfd_create("fuzzed", MFD_CLOEXEC)) {
    require(descriptor >= 0, "no file in memory");
  }
  ~FuzzedFile() { ::close(descriptor); }
  FuzzedFile(const FuzzedFile &) = delete;

  void write(const void *data, size_t size) {
    require(::ftruncate(descriptor, 0) == 0 &&
                ::pwrite(descriptor, data, size, 0) == ssize_t(size),
            "the file in memory cannot be written");
  }
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

private:
  int descriptor;
};

} // namespace reprise::fuzz

#endif // REPRISE_FUZZ_FUZZEDFILE_H
