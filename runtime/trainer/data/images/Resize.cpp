//===- Resize.cpp - Resizing of images ------------------------------------===//
//
// See Resize.h.
//
//===----------------------------------------------------------------------===//
#include "Resize.h"
#include <algorithm>
#include <cmath>

using namespace reprise::rt;

// 32 bits hold a byte, the weights and a sign.
static constexpr int kPrecision = 32 - 8 - 2;

/// The triangle filter at a distance from its centre.
static double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

Taps reprise::rt::makeTaps(int64_t in, int64_t out, int64_t first,
                           int64_t count) {
  double scale = double(in) / double(out);
  double wide = std::max(scale, 1.0); // also the triangle's reach
  Taps taps;
  taps.stride = size_t(std::ceil(wide)) * 2 + 1;
  taps.spans.resize(size_t(count));
  taps.weights.resize(size_t(count) * taps.stride);
  std::vector<double> exact(taps.stride);
  for (int64_t i = 0; i < count; ++i) {
    double center = (double(first + i) + 0.5) * scale;
    auto low = std::max<int64_t>(0, int64_t(center - wide + 0.5));
    auto high = std::min<int64_t>(in, int64_t(center + wide + 0.5));
    double sum = 0;
    for (int64_t x = low; x < high; ++x) {
      exact[size_t(x - low)] =
          triangle((double(x) - center + 0.5) * (1 / wide));
      sum += exact[size_t(x - low)];
    }
    int32_t *weights = &taps.weights[size_t(i) * taps.stride];
    for (int64_t x = 0; x < high - low; ++x)
      weights[x] = int32_t(exact[size_t(x)] / sum * (1 << kPrecision) + 0.5);
    taps.spans[size_t(i)] = {low, high - low};
  }
  return taps;
}

Resizing::Resizing(const Scaling &s)
    : box(s.box),
      rows(makeTaps(s.box.height, s.height, s.window.top, s.window.height)),
      columns(makeTaps(s.box.width, s.width, s.window.left, s.window.width)) {}

Rect Resizing::needed() const {
  return {box.top + rows.begin(), box.left + columns.begin(),
          rows.end() - rows.begin(), columns.end() - columns.begin()};
}

// The weights of a span sum to one, so sums leave the range of a byte only by
// rounding.
static uint8_t toByte(int32_t sum) {
  return uint8_t(std::clamp(sum >> kPrecision, 0, 255));
}

/// Resizes the columns of one row. `in` is the beginning of the box.
template <int Channels>
static void resizeRow(const uint8_t *in, const Taps &columns, uint8_t *out) {
  for (size_t i = 0; i < columns.spans.size(); ++i, out += Channels) {
    const Taps::Span &span = columns.spans[i];
    const int32_t *weights = &columns.weights[i * columns.stride];
    const uint8_t *pixel = in + span.first * Channels;
    int32_t sums[Channels];
    for (int c = 0; c < Channels; ++c)
      sums[c] = 1 << (kPrecision - 1);
    for (int64_t k = 0; k < span.count; ++k, pixel += Channels)
      for (int c = 0; c < Channels; ++c)
        sums[c] += pixel[c] * weights[k];
    for (int c = 0; c < Channels; ++c)
      out[c] = toByte(sums[c]);
  }
}

/// Computes a row of the result from `count` rows at `in`, `stride` bytes
/// apart.
static void mixRows(const uint8_t *in, size_t stride, const int32_t *weights,
                    int64_t count, uint8_t *out) {
  constexpr size_t kBlock = 256; // sums stay in the first-level cache
  int32_t sums[kBlock];
  for (size_t x = 0; x < stride; x += kBlock) {
    size_t n = std::min(kBlock, stride - x);
    std::fill(sums, sums + n, 1 << (kPrecision - 1));
    for (int64_t k = 0; k < count; ++k) {
      const uint8_t *row = in + size_t(k) * stride + x;
      int32_t weight = weights[k];
      for (size_t j = 0; j < n; ++j)
        sums[j] += row[j] * weight;
    }
    for (size_t j = 0; j < n; ++j)
      out[x + j] = toByte(sums[j]);
  }
}

void reprise::rt::resize(const Image &image, const Rect &covered,
                         const Resizing &r, Image &middle, Image &out) {
  auto height = int64_t(r.rows.spans.size());
  auto width = int64_t(r.columns.spans.size());
  int64_t channels = image.channels, begin = r.rows.begin();
  middle.reset(r.rows.end() - begin, width, channels);
  for (int64_t y = 0; y < middle.height; ++y) {
    const uint8_t *in = image.row(r.box.top + begin + y - covered.top) +
                        (r.box.left - covered.left) * channels;
    if (channels == 3)
      resizeRow<3>(in, r.columns, middle.row(y));
    else
      resizeRow<1>(in, r.columns, middle.row(y));
  }
  out.reset(height, width, channels);
  size_t stride = size_t(width * channels);
  for (int64_t y = 0; y < height; ++y) {
    const Taps::Span &span = r.rows.spans[size_t(y)];
    mixRows(middle.row(span.first - begin), stride,
            &r.rows.weights[size_t(y) * r.rows.stride], span.count, out.row(y));
  }
}
