//===- DepthwiseRowsLoops.h - Rows of depthwise convolutions ----*- C++ -*-===//
//
// Included once for each set of vector instructions (EachInstructionSet.h).
//
//===----------------------------------------------------------------------===//

namespace reprise::rt::REPRISE_VERSION {

#include "Lanes.h"

using Words = uint32_t __attribute__((vector_size(sizeof(uint32_t) * kLanes)));
using Halves = uint16_t __attribute__((vector_size(sizeof(uint16_t) * kLanes)));

static REPRISE_INLINE void widen(const float *from, Floats &to) {
  load(from, to);
}
static REPRISE_INLINE void widen(const uint16_t *from, Floats &to) {
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  Words words = __builtin_convertvector(halves, Words) << 16;
  std::memcpy(&to, &words, sizeof to);
}

static REPRISE_INLINE void narrow(const Floats &from, float *to) {
  store(from, to);
}
/// Rounds as toHalf does.
static REPRISE_INLINE void narrow(const Floats &from, uint16_t *to) {
  Words words;
  std::memcpy(&words, &from, sizeof words);
  Words quiet = words >> 16 | 0x40;
  Words rounded = (words + 0x7fff + (words >> 16 & 1)) >> 16;
  auto isNaN = from != from;
  Words chosen = isNaN ? quiet : rounded;
  Halves halves = __builtin_convertvector(chosen, Halves);
  std::memcpy(to, &halves, sizeof halves);
}

/// Reads `lanes` lanes; the others are zero.
template <typename T>
static REPRISE_INLINE void widenSome(const T *from, int64_t lanes, Floats &to) {
  if (lanes == kLanes)
    return widen(from, to);
  T copy[kLanes] = {};
  std::memcpy(copy, from, size_t(lanes) * sizeof(T));
  widen(copy, to);
}
template <typename T>
static REPRISE_INLINE void narrowSome(const Floats &from, int64_t lanes,
                                      T *to) {
  if (lanes == kLanes)
    return narrow(from, to);
  T copy[kLanes];
  narrow(from, copy);
  std::memcpy(to, copy, size_t(lanes) * sizeof(T));
}

/// Computes `Pixels` pixels of a run from pixel `at` of it on.
template <int Pixels, typename From, typename To>
static REPRISE_INLINE void
computePixels(const DepthwiseRun &run, int64_t at,
              const std::vector<DepthwiseSource> &sources, To *result,
              int64_t channels, int64_t c, int64_t lanes) {
  Floats sums[Pixels] = {};
  const int64_t step = run.fromStep * channels;
  for (const DepthwiseSource &source : sources)
    for (const DepthwiseRun::Tap &tap : run.taps) {
      Floats weight, pixel;
      widenSome(source.filter + tap.position * channels + c, lanes, weight);
      const From *from = static_cast<const From *>(source.row) +
                         tap.from * channels + at * step + c;
      for (int i = 0; i < Pixels; ++i) {
        widenSome(from + i * step, lanes, pixel);
        sums[i] += pixel * weight;
      }
    }
  To *to = result + (run.first + at * run.step) * channels + c;
  for (int i = 0; i < Pixels; ++i)
    narrowSome(sums[i], lanes, to + i * run.step * channels);
}

template <typename From, typename To>
static REPRISE_INLINE void
computeRun(const DepthwiseRun &run, const std::vector<DepthwiseSource> &sources,
           To *result, int64_t channels, int64_t c, int64_t lanes) {
  // Sums that fit into registers beside a weight and a pixel.
  constexpr int kPixels = REPRISE_REGISTERS >= 16 ? 8 : 4;
  int64_t at = 0;
  for (; at + kPixels <= run.count; at += kPixels)
    computePixels<kPixels, From>(run, at, sources, result, channels, c, lanes);
  for (; at < run.count; ++at)
    computePixels<1, From>(run, at, sources, result, channels, c, lanes);
}

template <typename From, typename To>
static void computeRow(const std::vector<DepthwiseRun> &runs,
                       const std::vector<DepthwiseSource> &sources, To *result,
                       int64_t channels) {
  int64_t whole = channels / kLanes * kLanes;
  for (const DepthwiseRun &run : runs) {
    for (int64_t c = 0; c < whole; c += kLanes)
      computeRun<From>(run, sources, result, channels, c, kLanes);
    if (whole < channels)
      computeRun<From>(run, sources, result, channels, whole, channels - whole);
  }
}

void depthwiseRow(const std::vector<DepthwiseRun> &runs,
                  const std::vector<DepthwiseSource> &sources, bool fromHalves,
                  bool toHalves, void *result, int64_t channels) {
  auto *floats = static_cast<float *>(result);
  auto *halves = static_cast<uint16_t *>(result);
  if (fromHalves && toHalves)
    computeRow<uint16_t>(runs, sources, halves, channels);
  else if (fromHalves)
    computeRow<uint16_t>(runs, sources, floats, channels);
  else
    computeRow<float>(runs, sources, floats, channels);
}

/// The cotangent's pixels for which a position of the width reads a pixel.
struct Reach {
  int64_t begin, end;
};

static REPRISE_INLINE int64_t shiftOf(const DepthwisePair &rows,
                                      int64_t position) {
  return position * rows.dilation - rows.padding;
}

static REPRISE_INLINE void reachOf(const DepthwisePair &rows, int64_t position,
                                   Reach &reach) {
  int64_t shift = shiftOf(rows, position), last = rows.pixels - 1 - shift;
  int64_t begin = shift < 0 ? (rows.stride - 1 - shift) / rows.stride : 0;
  reach.end = last < 0 ? 0 : std::min(rows.count, last / rows.stride + 1);
  reach.begin = std::min(begin, reach.end);
}

/// Adds the products of the cotangent's pixels [begin, end) with those that a
/// position reads.
template <typename From>
static REPRISE_INLINE void addPixels(const DepthwisePair &rows,
                                     int64_t position, int64_t begin,
                                     int64_t end, int64_t channels, int64_t c,
                                     int64_t lanes, Floats &sum) {
  auto *cotangent = static_cast<const From *>(rows.cotangent) + c;
  auto *image = static_cast<const From *>(rows.image) +
                shiftOf(rows, position) * channels + c;
  for (int64_t j = begin; j < end; ++j) {
    Floats dy, pixel;
    widenSome(cotangent + j * channels, lanes, dy);
    widenSome(image + j * rows.stride * channels, lanes, pixel);
    sum += pixel * dy;
  }
}

/// Adds the products for `Positions` positions of the width from `first` on:
/// at pixels that all of them reach together, at the others one by one.
template <int Positions, typename From>
static REPRISE_INLINE void
addPositions(const DepthwisePair &rows, int64_t first, float *sums,
             int64_t channels, int64_t c, int64_t lanes) {
  Floats sum[Positions] = {};
  Reach reach[Positions], all = {0, rows.count};
  for (int k = 0; k < Positions; ++k) {
    reachOf(rows, first + k, reach[k]);
    all.begin = std::max(all.begin, reach[k].begin);
    all.end = std::min(all.end, reach[k].end);
  }
  if (all.begin >= all.end)
    all.begin = all.end = rows.count;
  for (int k = 0; k < Positions; ++k)
    addPixels<From>(rows, first + k, reach[k].begin,
                    std::min(all.begin, reach[k].end), channels, c, lanes,
                    sum[k]);
  auto *cotangent = static_cast<const From *>(rows.cotangent) + c;
  auto *image = static_cast<const From *>(rows.image) +
                shiftOf(rows, first) * channels + c;
  const int64_t step = rows.dilation * channels;
  for (int64_t j = all.begin; j < all.end; ++j) {
    Floats dy, pixel;
    widenSome(cotangent + j * channels, lanes, dy);
    const From *from = image + j * rows.stride * channels;
    for (int k = 0; k < Positions; ++k) {
      widenSome(from + k * step, lanes, pixel);
      sum[k] += pixel * dy;
    }
  }
  for (int k = 0; k < Positions; ++k)
    addPixels<From>(rows, first + k, all.end, reach[k].end, channels, c, lanes,
                    sum[k]);
  for (int k = 0; k < Positions; ++k) {
    float *to = sums + (first + k) * channels + c;
    Floats before;
    widenSome(to, lanes, before);
    narrowSome(before + sum[k], lanes, to);
  }
}

template <typename From>
static REPRISE_INLINE void addLanes(const DepthwisePair &rows, float *sums,
                                    int64_t channels, int64_t c,
                                    int64_t lanes) {
  int64_t k = 0;
  for (; k + 7 <= rows.positions; k += 7)
    addPositions<7, From>(rows, k, sums, channels, c, lanes);
  switch (rows.positions - k) {
  case 6:
    return addPositions<6, From>(rows, k, sums, channels, c, lanes);
  case 5:
    return addPositions<5, From>(rows, k, sums, channels, c, lanes);
  case 4:
    return addPositions<4, From>(rows, k, sums, channels, c, lanes);
  case 3:
    return addPositions<3, From>(rows, k, sums, channels, c, lanes);
  case 2:
    return addPositions<2, From>(rows, k, sums, channels, c, lanes);
  case 1:
    return addPositions<1, From>(rows, k, sums, channels, c, lanes);
  default:
    return;
  }
}

template <typename From>
static void addChannels(const DepthwisePair &rows, float *sums,
                        int64_t channels, int64_t begin, int64_t end) {
  int64_t c = begin;
  for (; c + kLanes <= end; c += kLanes)
    addLanes<From>(rows, sums, channels, c, kLanes);
  if (c < end)
    addLanes<From>(rows, sums, channels, c, end - c);
}

void depthwiseSums(const DepthwisePair &rows, bool fromHalves, float *sums,
                   int64_t channels, int64_t begin, int64_t end) {
  if (fromHalves)
    addChannels<uint16_t>(rows, sums, channels, begin, end);
  else
    addChannels<float>(rows, sums, channels, begin, end);
}

} // namespace reprise::rt::REPRISE_VERSION
