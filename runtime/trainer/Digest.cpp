//===- Digest.cpp - The digest of our safetensors files -------------------===//
//
// xxHash is used header-only, so that the library has no further dependency.
//
//===----------------------------------------------------------------------===//
#define XXH_INLINE_ALL
#include "Digest.h"
#include <cstdint>
#include <xxhash.h>

using namespace reprise::rt;

struct Digest::State {
  XXH3_state_t *xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

size_t reprise::rt::findDigest(const std::string &header,
                               const std::string &hex) {
  if (hex.size() != kDigestDigits ||
      hex.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::string::npos;
  const std::string key = "\"digest\":\"";
  size_t at = header.find(key + hex + "\"");
  if (at == std::string::npos || header.find(key) != at ||
      header.find(key, at + 1) != std::string::npos)
    return std::string::npos;
  return at + key.size();
}

Digest::Digest() : state(std::make_unique<State>()) {
  XXH3_128bits_reset(state->xxh);
}

Digest::~Digest() = default;

void Digest::addHeader(const std::string &header) {
  uint8_t length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = uint8_t(uint64_t(header.size()) >> (8 * i));
  add(length, sizeof length);
  add(header.data(), header.size());
}

void Digest::add(const void *data, size_t size) {
  XXH3_128bits_update(state->xxh, data, size);
}

std::string Digest::hex() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state->xxh));
  std::string text;
  for (unsigned char byte : canonical.digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}
