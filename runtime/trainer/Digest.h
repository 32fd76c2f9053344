//===- Digest.h - The digest of our safetensors files -----------*- C++ -*-===//
//
// XXH3-128 over the file: the header's length, the header with the digest's
// digits replaced by '0', the data.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DIGEST_H
#define REPRISE_RUNTIME_TRAINER_DIGEST_H

#include <cstddef>
#include <memory>
#include <string>

namespace reprise::rt {

constexpr size_t kDigestDigits = 32;

/// Returns the place of the digits of `"digest":"HEX"` in a header; npos unless
/// `hex` is 32 lower-case digits and found exactly once. Quotes within JSON
/// strings are escaped, so nothing else can look like it.
size_t findDigest(const std::string &header, const std::string &hex);

class Digest {
public:
  Digest();
  ~Digest();
  /// Adds the length of a header and the header.
  void addHeader(const std::string &header);
  void add(const void *data, size_t size);
  /// Returns 32 lower-case digits, most significant first.
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DIGEST_H
