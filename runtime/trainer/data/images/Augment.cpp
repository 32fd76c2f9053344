//===- Augment.cpp - Augmentation of one image ----------------------------===//
//
// Crops are chosen as in Szegedy et al., "Going deeper with convolutions", CVPR
// 2015: ten attempts at a part of random area and aspect, then the middle.
// Colours change as in Howard, "Some improvements on deep convolutional neural
// network based image classification", 2013, and by a rotation of the hue.
//
//===----------------------------------------------------------------------===//
#include "Augment.h"
#include <algorithm>
#include <cmath>

using namespace reprise::rt;

double RowRandom::uniform() {
  // The order of an epoch has the counters (i, epoch); this word is not 0 here.
  constexpr uint32_t kImages = 1u << 24;
  if (used == 4) {
    block = philox4x32({{uint32_t(row), uint32_t(row >> 32), uint32_t(epoch),
                         kImages + blocks++}},
                       {{uint32_t(seed), uint32_t(seed >> 32)}});
    used = 0;
  }
  return double(block.word[used++]) / 4294967296.0;
}

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

/// Returns a part of random area and aspect, or the middle if ten attempts are
/// too large.
static Rect randomBox(const ImageSteps &steps, int64_t height, int64_t width,
                      RowRandom &random) {
  constexpr double kLeastAspect = 3.0 / 4, kMostAspect = 4.0 / 3;
  double area = double(height) * double(width);
  for (int attempt = 0; attempt < 10; ++attempt) {
    double wanted = area * random.uniform(steps.minArea, steps.maxArea);
    double aspect =
        std::exp(random.uniform(std::log(kLeastAspect), std::log(kMostAspect)));
    auto w = int64_t(std::nearbyint(std::sqrt(wanted * aspect)));
    auto h = int64_t(std::nearbyint(std::sqrt(wanted / aspect)));
    if (w > 0 && w <= width && h > 0 && h <= height) {
      int64_t top = random.below(height - h + 1);
      return {top, random.below(width - w + 1), h, w};
    }
  }
  double aspect = double(width) / double(height);
  int64_t h = height, w = width;
  if (aspect < kLeastAspect)
    h = int64_t(std::nearbyint(double(width) / kLeastAspect));
  else if (aspect > kMostAspect)
    w = int64_t(std::nearbyint(double(height) * kMostAspect));
  h = std::clamp<int64_t>(h, 1, height);
  w = std::clamp<int64_t>(w, 1, width);
  return {(height - h) / 2, (width - w) / 2, h, w};
}

/// Takes the middle `crop` of `size` pixels: `count` of them from `first`,
/// which are written from `place` on.
static void takeMiddle(int64_t size, int64_t crop, int64_t &first,
                       int64_t &count, int64_t &place) {
  count = std::min(size, crop);
  place = (crop - count) / 2;
  // Half a pixel goes to the even side.
  first = int64_t(std::nearbyint(double(size - count) / 2));
}

static void cropCenter(const ImageSteps &steps, int64_t height, int64_t width,
                       const ImageShape &shape, Treatment &t) {
  Scaling &s = t.scaling;
  s.box = {0, 0, height, width};
  s.height = height;
  s.width = width;
  if (int64_t shorter = steps.shorterSide) {
    bool isTall = height > width;
    s.height = isTall ? shorter * height / width : shorter;
    s.width = isTall ? shorter : shorter * width / height;
  }
  takeMiddle(s.height, shape.height, s.window.top, s.window.height, t.top);
  takeMiddle(s.width, shape.width, s.window.left, s.window.width, t.left);
}

Treatment reprise::rt::chooseTreatment(const ImageSteps &steps, int64_t height,
                                       int64_t width, const ImageShape &shape,
                                       RowRandom &random) {
  using Geometry = ImageSteps::Geometry;
  Treatment t;
  if (steps.geometry == Geometry::CenterCrop) {
    cropCenter(steps, height, width, shape, t);
  } else {
    t.scaling.box = steps.geometry == Geometry::Stretch
                        ? Rect{0, 0, height, width}
                        : randomBox(steps, height, width, random);
    t.scaling.height = shape.height;
    t.scaling.width = shape.width;
    t.scaling.window = {0, 0, shape.height, shape.width};
  }
  t.isMirrored = steps.flip > 0 && random.uniform() < steps.flip;
  t.isColored = steps.hasJitter();
  if (!t.isColored)
    return t;
  std::array<double, 4> &amount = t.coloring.amount;
  for (size_t i = 0; i < 3; ++i)
    amount[i] =
        random.uniform(std::max(0.0, 1 - steps.jitter[i]), 1 + steps.jitter[i]);
  amount[3] = random.uniform(-steps.jitter[3], steps.jitter[3]);
  for (size_t i = 3; i > 0; --i)
    std::swap(t.coloring.order[i],
              t.coloring.order[size_t(random.below(int64_t(i) + 1))]);
  return t;
}

//===----------------------------------------------------------------------===//
// Colour
//===----------------------------------------------------------------------===//

static float clampUnit(float value) {
  return std::min(1.0f, std::max(0.0f, value));
}

/// Returns the luma of ITU-R BT.601.
static float greyOf(const float *pixel, int64_t channels) {
  return channels == 1
             ? pixel[0]
             : 0.2989f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
}

/// Computes factor * value + (1 - factor) * other.
static void blend(float *values, size_t count, float factor, float other) {
  for (size_t i = 0; i < count; ++i)
    values[i] = clampUnit(factor * values[i] + (1 - factor) * other);
}

static float meanGrey(const float *values, size_t count, int64_t channels) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += greyOf(values + i * size_t(channels), channels);
  return float(sum / double(count));
}

/// Rotates the hue by `turn` of a full circle, by conversion to hue, saturation
/// and value, and back (Smith, "Color gamut transform pairs", SIGGRAPH 1978).
static void turnHue(float *pixel, float turn) {
  float r = pixel[0], g = pixel[1], b = pixel[2];
  float most = std::max({r, g, b}), range = most - std::min({r, g, b});
  if (range <= 0)
    return;
  float hue = most == r   ? (g - b) / range
              : most == g ? 2 + (b - r) / range
                          : 4 + (r - g) / range;
  hue = hue / 6 + turn;
  hue -= std::floor(hue);
  for (int c = 0; c < 3; ++c) {
    // 5, 3, 1 for red, green, blue.
    float k = std::fmod(float(5 - 2 * c) + hue * 6, 6.0f);
    float part = clampUnit(std::min(k, 4 - k));
    pixel[c] = clampUnit(most - range * part);
  }
}

void reprise::rt::color(const Coloring &coloring, float *values, size_t count,
                        int64_t channels) {
  size_t numbers = count * size_t(channels);
  for (int what : coloring.order) {
    auto amount = float(coloring.amount[size_t(what)]);
    if (what == 0)
      blend(values, numbers, amount, 0);
    if (what == 1)
      blend(values, numbers, amount, meanGrey(values, count, channels));
    if (channels != 3)
      continue;
    for (size_t i = 0; what == 2 && i < count; ++i)
      blend(values + 3 * i, 3, amount, greyOf(values + 3 * i, 3));
    for (size_t i = 0; what == 3 && amount != 0 && i < count; ++i)
      turnHue(values + 3 * i, amount);
  }
}
