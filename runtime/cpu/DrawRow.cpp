//===- DrawRow.cpp - Random numbers of a row of weights -------------------===//
//
// Philox 4x32-10, one counter per element: 16 at a time where the processor
// multiplies 8 pairs of words at once, otherwise one by one.
//
//===----------------------------------------------------------------------===//
#include "DrawRow.h"
#include "InstructionSets.h"
#include "reprise/Runtime/Philox.h"

#include <cmath>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define REPRISE_HAS_VECTORS 1
#endif

namespace reprise::rt {

namespace {
/// A draw as an integer comparison: numbers are multiples of 2^-24 below 1, so
/// that number >= probability is word >> 8 >= bound.
struct Comparison {
  explicit Comparison(const Draw &draw)
      : bound(uint32_t(std::ceil(double(draw.probability) * (1 << 24)))),
        factor(1.0f / draw.rest) {}

  uint32_t bound;
  float factor; // of kept elements
};
} // namespace

/// Returns the last word of the counter: the high word of the step moves the
/// stream.
static uint32_t streamWord(const Draw &draw) {
  return uint32_t(draw.stream) + uint32_t(uint64_t(draw.step) >> 32);
}

void drawEach(const Draw &draw, int64_t first, float *factors, int64_t count) {
  Comparison comparison(draw);
  PhiloxKey key = {{uint32_t(draw.seed), uint32_t(uint64_t(draw.seed) >> 32)}};
  for (int64_t i = 0; i < count; ++i) {
    uint64_t index = uint64_t(first + i);
    PhiloxBlock block = philox4x32({{uint32_t(index), uint32_t(index >> 32),
                                     uint32_t(draw.step), streamWord(draw)}},
                                   key);
    factors[i] =
        block.word[0] >> 8 >= comparison.bound ? comparison.factor : 0.0f;
  }
}

#ifdef REPRISE_HAS_VECTORS
#define REPRISE_AVX512 __attribute__((target("avx512f")))

namespace {
struct Product {
  __m512i low, high; // words
};
} // namespace

/// Multiplies each of 16 words by the factor of its pair.
REPRISE_AVX512 static inline Product multiply(__m512i x, __m512i factor) {
  constexpr __mmask16 kOdd = 0xaaaa;
  __m512i even = _mm512_mul_epu32(x, factor);
  __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), factor);
  return {_mm512_mask_blend_epi32(kOdd, even, _mm512_slli_epi64(odd, 32)),
          _mm512_mask_blend_epi32(kOdd, _mm512_srli_epi64(even, 32), odd)};
}

/// Returns the first words of 16 blocks.
REPRISE_AVX512 static inline __m512i drawWords(const Draw &draw,
                                               uint64_t first) {
  __m512i number =
      _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  __m512i c0 = _mm512_add_epi32(_mm512_set1_epi32(int(first)), number);
  __m512i c1 = _mm512_set1_epi32(int(first >> 32));
  // The lanes in which the low word overflowed.
  __mmask16 carry = _mm512_cmplt_epu32_mask(c0, _mm512_set1_epi32(int(first)));
  c1 = _mm512_mask_add_epi32(c1, carry, c1, _mm512_set1_epi32(1));
  __m512i c2 = _mm512_set1_epi32(int(draw.step));
  __m512i c3 = _mm512_set1_epi32(int(streamWord(draw)));
  __m512i m0 = _mm512_set1_epi64(0xD2511F53),
          m1 = _mm512_set1_epi64(0xCD9E8D57);
  uint32_t k0 = uint32_t(draw.seed), k1 = uint32_t(uint64_t(draw.seed) >> 32);
  for (int round = 0; round < 10; ++round) {
    Product p0 = multiply(c0, m0), p1 = multiply(c2, m1);
    c0 = _mm512_xor_si512(_mm512_xor_si512(p1.high, c1),
                          _mm512_set1_epi32(int(k0)));
    c2 = _mm512_xor_si512(_mm512_xor_si512(p0.high, c3),
                          _mm512_set1_epi32(int(k1)));
    c1 = p1.low;
    c3 = p0.low;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c0;
}

REPRISE_AVX512 static void drawVectors(const Draw &draw, int64_t first,
                                       float *factors, int64_t count) {
  constexpr int64_t kLanes = 16;
  Comparison comparison(draw);
  __m512i bound = _mm512_set1_epi32(int(comparison.bound));
  __m512 factor = _mm512_set1_ps(comparison.factor);
  for (int64_t i = 0; i < count; i += kLanes) {
    __m512i words = drawWords(draw, uint64_t(first + i));
    __mmask16 kept =
        _mm512_cmpge_epu32_mask(_mm512_srli_epi32(words, 8), bound);
    __mmask16 inside =
        count - i < kLanes ? __mmask16((1u << (count - i)) - 1) : 0xffff;
    _mm512_mask_storeu_ps(factors + i, inside,
                          _mm512_maskz_mov_ps(kept, factor));
  }
}
#endif

void drawRow(const Draw &draw, int64_t first, float *factors, int64_t count) {
#ifdef REPRISE_HAS_VECTORS
  if (instructionSet() == InstructionSet::Avx512)
    return drawVectors(draw, first, factors, count);
#endif
  drawEach(draw, first, factors, count);
}

} // namespace reprise::rt
