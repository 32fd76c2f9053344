//===- ArtifactFile.h - An artifact for reading -----------------*- C++ -*-===//
//
// An artifact whose container, digest and payload have been checked as the
// runtime checks them, so that a damaged file gives a message and no table.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_ARTIFACT_ARTIFACTFILE_H
#define REPRISE_TOOLS_ARTIFACT_ARTIFACTFILE_H

#include "ProgramFacts.h"
#include "reprise/Runtime/program_generated.h"
#include <memory>

namespace reprise::tools {

class ArtifactFile {
public:
  static rt::Expected<ArtifactFile> open(const std::string &path);
  /// Copies the bytes.
  static rt::Expected<ArtifactFile> fromMemory(const void *data, size_t size);

  /// Everything reachable from it has been checked.
  const rt::fb::Program &root() const { return *program; }
  uint64_t fileBytes() const { return size; }
  const uint8_t *data() const { return bytes.get(); }
  /// The seal's 32 digits.
  std::string digest() const;

private:
  // 64-aligned, as the payload's vectors need.
  std::shared_ptr<uint8_t> bytes;
  uint64_t size = 0;
  const rt::fb::Program *program = nullptr;

  static rt::Expected<ArtifactFile> adopt(std::shared_ptr<uint8_t> bytes,
                                          uint64_t size);
};

ProgramFacts factsOf(const ArtifactFile &artifact);
/// Of a program that has been checked, or that was just made.
ProgramFacts factsOf(const rt::fb::Program &program);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_ARTIFACT_ARTIFACTFILE_H
