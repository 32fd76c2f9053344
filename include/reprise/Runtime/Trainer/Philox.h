//===- Philox.h - Counter-based random numbers ------------------*- C++ -*-===//
//
// Philox 4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011. Numbers are a function of (key, counter); there is no state, so any
// order of evaluation gives the same numbers.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_PHILOX_H
#define REPRISE_RUNTIME_TRAINER_PHILOX_H

#include <array>
#include <cstdint>

namespace reprise::rt {

/// Four 32-bit words for a 128-bit counter (low, high) under a 64-bit key.
inline std::array<uint32_t, 4> philox4x32(uint64_t key, uint64_t low,
                                          uint64_t high) {
  std::array<uint32_t, 4> c = {uint32_t(low), uint32_t(low >> 32),
                               uint32_t(high), uint32_t(high >> 32)};
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53u) * c[0];
    uint64_t p1 = uint64_t(0xCD9E8D57u) * c[2];
    c = {uint32_t(p1 >> 32) ^ c[1] ^ k0, uint32_t(p1),
         uint32_t(p0 >> 32) ^ c[3] ^ k1, uint32_t(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_PHILOX_H
