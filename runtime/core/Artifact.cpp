//===- Artifact.cpp - Container of an artifact ----------------------------===//
//
// Every byte of a file is either covered by the digest or required to have
// one value, so that any single altered bit and any truncation is noticed.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Artifact.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace reprise::rt {

namespace {
constexpr size_t kHeaderBytes = 64, kLengthAt = 16, kDigestAt = 24,
                 kDigestEnd = 40;
constexpr char kMagic[] = "REPRISE\n";
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
  // The streaming state is a few hundred bytes and requires 64-byte alignment,
  // which a local variable of this type has.
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, header, kDigestAt);
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

static Status damaged(const std::string &what,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_DATA_LOSS, what, file, line);
}

Status openContainer(const uint8_t *data, size_t size, const uint8_t **payload,
                     size_t *payloadSize) {
  if (size < kHeaderBytes)
    return damaged("not an artifact: " + std::to_string(size) +
                   " bytes are fewer than the " + std::to_string(kHeaderBytes) +
                   " of its header");
  if (std::memcmp(data, kMagic, 8) != 0)
    return damaged("not an artifact, which 'reprise compile' makes: it does "
                   "not begin with \"REPRISE\"");
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

} // namespace reprise::rt
