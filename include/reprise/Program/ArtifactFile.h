//===- ArtifactFile.h - Read artifacts --------------------------*- C++ -*-===//
//
// An artifact whose container, digest and payload have been checked like in the
// runtime, so that a damaged file gives an error and no table.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PROGRAM_ARTIFACTFILE_H
#define REPRISE_PROGRAM_ARTIFACTFILE_H

#include "reprise/Program/ProgramFacts.h"
#include "reprise/Runtime/program_generated.h"
#include <memory>

namespace reprise::driver {

class ArtifactFile {
public:
  static rt::Expected<ArtifactFile> open(const std::string &path);
  /// Copies the bytes.
  static rt::Expected<ArtifactFile> fromMemory(const void *data, size_t size);

  /// Returns the program, of which everything reachable has been checked.
  const rt::fb::Program &root() const { return *program; }
  uint64_t fileBytes() const { return size; }
  const uint8_t *data() const { return bytes.get(); }
  /// Returns the digest's 32 digits.
  std::string digest() const;

private:
  // Aligned to 64, as the payload's vectors require.
  std::shared_ptr<uint8_t> bytes;
  uint64_t size = 0;
  const rt::fb::Program *program = nullptr;

  static rt::Expected<ArtifactFile> adopt(std::shared_ptr<uint8_t> bytes,
                                          uint64_t size);
};

ProgramFacts factsOf(const ArtifactFile &artifact);
/// Returns the facts of a program that has been checked, or was just compiled.
ProgramFacts factsOf(const rt::fb::Program &program);

} // namespace reprise::driver

#endif // REPRISE_PROGRAM_ARTIFACTFILE_H
