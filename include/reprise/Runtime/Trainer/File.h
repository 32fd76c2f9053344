//===- File.h - Files read safely -------------------------------*- C++ -*-===//
//
// InputFile reads parts of a regular file; a short read is an error that names
// the file and both sizes.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_FILE_H
#define REPRISE_RUNTIME_TRAINER_FILE_H

#include "reprise/Runtime/OutputFile.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace reprise::rt {

class InputFile {
public:
  /// Fails with RP_IO_ERROR if `path` cannot be opened or is no regular file.
  static Expected<InputFile> open(const std::string &path);
  const std::string &path() const { return name; }
  uint64_t size() const { return bytes; }
  /// Reads exactly `size` bytes at `offset`, from any thread.
  Status readAt(uint64_t offset, void *data, size_t size) const;
  /// Transfers the descriptor's ownership, e.g. to zlib.
  FileDescriptor takeDescriptor() { return std::move(descriptor); }

private:
  FileDescriptor descriptor;
  std::string name;
  uint64_t bytes = 0;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_FILE_H
