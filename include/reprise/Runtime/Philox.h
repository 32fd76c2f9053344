//===- Philox.h - Counter-based random numbers ------------------*- C++ -*-===//
//
// Philox 4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2,
// 3", SC 2011): four random words as a pure function of a counter and a key.
// There is no generator to advance, so a number depends on its index only.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_PHILOX_H
#define REPRISE_RUNTIME_PHILOX_H

#include <cstdint>
#include <string_view>

namespace reprise::rt {

struct PhiloxBlock {
  uint32_t word[4];
};

struct PhiloxKey {
  uint32_t word[2];
};

constexpr PhiloxBlock philoxRound(const PhiloxBlock &c, const PhiloxKey &k) {
  uint64_t p0 = uint64_t(0xD2511F53) * c.word[0];
  uint64_t p1 = uint64_t(0xCD9E8D57) * c.word[2];
  return {{uint32_t(p1 >> 32) ^ c.word[1] ^ k.word[0], uint32_t(p1),
           uint32_t(p0 >> 32) ^ c.word[3] ^ k.word[1], uint32_t(p0)}};
}

constexpr PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    if (round) {
      key.word[0] += 0x9E3779B9;
      key.word[1] += 0xBB67AE85;
    }
    counter = philoxRound(counter, key);
  }
  return counter;
}

/// Block `index` of `stream` under `seed`; element i of a tensor uses word
/// i % 4 of block i / 4.
constexpr PhiloxBlock philoxBlock(uint64_t seed, uint64_t stream,
                                  uint64_t index) {
  return philox4x32({{uint32_t(index), uint32_t(index >> 32), uint32_t(stream),
                      uint32_t(stream >> 32)}},
                    {{uint32_t(seed), uint32_t(seed >> 32)}});
}

/// In the open interval (0, 1): never 0, whose logarithm is infinite.
constexpr double uniformOpen(uint32_t word) {
  return (double(word) + 0.5) / 4294967296.0;
}

/// FNV-1a; turns the name of a variable into its stream.
constexpr uint64_t fnv1a64(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : text) {
    hash ^= uint8_t(c);
    hash *= 0x100000001B3;
  }
  return hash;
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_PHILOX_H
