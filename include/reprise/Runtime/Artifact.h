//===- Artifact.h - The container of an artifact ----------------*- C++ -*-===//
//
// A file is
//
//   offset  bytes
//   0       8      magic "REPRISE\n"
//   8       4      version (little endian)
//   12      4      zero
//   16      8      payload length
//   24      16     XXH3-128 of bytes 0..23 and the payload (canonical form)
//   40      24     zero
//   64      ...    payload: FlatBuffer `Program` (runtime/schemas/program.fbs)
//
// and nothing after the payload. Every byte is checked on load.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_ARTIFACT_H
#define REPRISE_RUNTIME_ARTIFACT_H

#include "reprise/Runtime/Status.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::rt {

/// Incremented when the meaning of the schema changes: 2 added the device that
/// a program is for, and the roles of inputs and outputs.
constexpr uint32_t kArtifactVersion = 3;

/// The bytes of a file around `payload`.
std::vector<uint8_t> sealArtifact(const uint8_t *payload, size_t size);

/// Checks the container; on success `*payload` points into `data`.
Status openContainer(const uint8_t *data, size_t size, const uint8_t **payload,
                     size_t *payloadSize);

/// Checks a payload: FlatBuffers structure, then meaning: indices, views
/// within buffers, buffers within the arena, disjoint where lifetimes overlap,
/// alignment, peak as claimed, operands of library calls, unique names.
Status verifyProgram(const uint8_t *payload, size_t size);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_ARTIFACT_H
