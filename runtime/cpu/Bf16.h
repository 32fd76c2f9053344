//===- Bf16.h - Rounding to bf16 and back -----------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CPU_BF16_H
#define REPRISE_RUNTIME_CPU_BF16_H

#include <cstdint>
#include <cstring>

namespace reprise::rt {

inline float fromHalf(uint16_t half) {
  uint32_t word = uint32_t(half) << 16;
  float number;
  std::memcpy(&number, &word, 4);
  return number;
}

/// Rounds to nearest, ties to even; a NaN stays a quiet NaN.
inline uint16_t toHalf(float number) {
  uint32_t word;
  std::memcpy(&word, &number, 4);
  uint32_t quiet = word >> 16 | 0x40;
  uint32_t tie = word >> 16 & 1;
  uint32_t rounded = (word + 0x7fff + tie) >> 16;
  return uint16_t(number != number ? quiet : rounded);
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_BF16_H
