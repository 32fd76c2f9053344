//===- HalfPrecision.h - Convert 16-bit numbers to 32 bits ------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_HALFPRECISION_H
#define REPRISE_RUNTIME_TRAINER_HALFPRECISION_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace reprise::rt {

/// Returns the bits of an f16 as f32: 5 bits of exponent, 10 of fraction.
inline uint32_t bitsOfF16(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
  if (exponent == 0) {
    float value = std::ldexp(float(fraction), -24);
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return sign | bits;
  }
  uint32_t wide = exponent == 0x1F ? 0xFF : exponent + 112;
  return sign | wide << 23 | fraction << 13;
}

/// Converts `count` numbers of bf16 or f16 to f32, in place; `data` has room.
inline void widenHalves(bool isBf16, size_t count, uint8_t *data) {
  for (size_t i = count; i-- > 0;) {
    uint16_t half = 0;
    std::memcpy(&half, data + 2 * i, sizeof half);
    uint32_t bits = isBf16 ? uint32_t(half) << 16 : bitsOfF16(half);
    std::memcpy(data + 4 * i, &bits, sizeof bits);
  }
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HALFPRECISION_H
