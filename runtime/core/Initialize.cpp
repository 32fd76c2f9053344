//===- Initialize.cpp - Initial values of variables -----------------------===//
//
// Method:  Philox block i / 4 of the stream of the variable's name; normal
//          numbers by Box and Muller (1958) from two words per pair, so that
//          elements 2j and 2j+1 share a radius. KaimingNormal is He et al.
//          (arXiv 1502.01852) with fan-out, the standard of residual networks:
//          standard deviation sqrt(2 / fan_out).
//
//===----------------------------------------------------------------------===//
#include "Initialize.h"
#include "reprise/Runtime/Philox.h"

#include <cmath>
#include <cstring>

namespace reprise::rt {

static double normalNumber(const PhiloxBlock &block, unsigned lane) {
  constexpr double kTwoPi = 6.283185307179586;
  double u = uniformOpen(block.word[lane & 2]);
  double v = uniformOpen(block.word[(lane & 2) + 1]);
  double radius = std::sqrt(-2.0 * std::log(u));
  return radius * (lane & 1 ? std::sin(kTwoPi * v) : std::cos(kTwoPi * v));
}

/// Returns O*KH*KW for a filter (O,KH,KW,I), out for a matrix (out,in).
static double fanOut(const fb::View &view) {
  double fan = 1;
  for (uint32_t i = 0; i + 1 < view.shape()->size(); ++i)
    fan *= double(view.shape()->Get(i));
  return fan;
}

static double element(const fb::Variable &v, uint64_t seed, uint64_t stream,
                      uint64_t index, double scale) {
  switch (v.init()) {
  case fb::InitKind::Zeros:
    return 0;
  case fb::InitKind::Ones:
    return 1;
  case fb::InitKind::Constant:
    return v.init_value();
  case fb::InitKind::Uniform:
    return scale *
           (2 * uniformOpen(
                    philoxBlock(seed, stream, index / 4).word[index % 4]) -
            1);
  case fb::InitKind::Normal:
  case fb::InitKind::KaimingNormal:
    return scale * normalNumber(philoxBlock(seed, stream, index / 4),
                                unsigned(index % 4));
  case fb::InitKind::Elements:
    break; // copied unchanged
  }
  return 0;
}

static uint16_t toBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  // Rounds to nearest, ties to even; initial values are finite.
  return uint16_t((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

static uint16_t toF16(double value) {
  _Float16 half = _Float16(value);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

template <typename T> static void put(uint8_t *at, T value) {
  std::memcpy(at, &value, sizeof value);
}

static void putElement(uint8_t *at, fb::ElementType type, double value) {
  switch (type) {
  case fb::ElementType::F32:
    return put(at, float(value));
  case fb::ElementType::BF16:
    return put(at, toBF16(float(value)));
  case fb::ElementType::F16:
    return put(at, toF16(value));
  case fb::ElementType::F64:
    return put(at, value);
  case fb::ElementType::I1:
    return put(at, uint8_t(value != 0));
  case fb::ElementType::I8:
    return put(at, int8_t(int64_t(value)));
  case fb::ElementType::I32:
    return put(at, int32_t(int64_t(value)));
  case fb::ElementType::I64:
    return put(at, int64_t(value));
  }
}

/// Every element of a seed is the seed, as far as its type holds it.
static void putSeed(uint8_t *at, fb::ElementType type, uint64_t seed) {
  uint64_t bytes = elementBytes(type);
  if (type <= fb::ElementType::F64)
    return putElement(at, type, double(seed));
  std::memcpy(at, &seed, bytes);
}

std::vector<uint8_t> initialBytes(const fb::Variable &v, uint64_t seed) {
  const fb::View &view = *v.view();
  uint64_t width = elementBytes(view.type());
  if (v.init() == fb::InitKind::Elements)
    return {v.init_data()->begin(), v.init_data()->end()};
  std::vector<uint8_t> bytes(*viewBytes(view));
  uint64_t stream = fnv1a64(v.name()->string_view());
  double scale = v.init() == fb::InitKind::KaimingNormal
                     ? std::sqrt(2.0 / fanOut(view))
                     : v.init_value();
  for (uint64_t i = 0; i < bytes.size() / width; ++i) {
    uint8_t *at = bytes.data() + i * width;
    if (v.role() == fb::Role::Seed)
      putSeed(at, view.type(), seed);
    else
      putElement(at, view.type(), element(v, seed, stream, i, scale));
  }
  return bytes;
}

} // namespace reprise::rt
