//===- DepthwiseRows.h - Rows of depthwise convolutions ---------*- C++ -*-===//
//
// Loops over one row of pixels and all channels or some, in the processor's
// vectors. Pixels are f32 or bf16, sums f32.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_DEPTHWISEROWS_H
#define REPRISE_RUNTIME_CPU_DEPTHWISEROWS_H

#include "reprise/Runtime/reprise.h"
#include <cstdint>
#include <vector>

namespace reprise::rt {

/// Pixels of a row that the same positions of the window reach: `count` pixels
/// from `first` on, `step` apart.
struct DepthwiseRun {
  struct Tap {
    int64_t position; // of the window
    int64_t from;     // the pixel read for the first pixel
  };
  int64_t first = 0, step = 1, count = 0;
  int64_t fromStep = 1; // between the pixels that are read
  std::vector<Tap> taps;
};

/// A row that is read, and the positions of the filter that it meets:
/// (width's positions, channels).
struct DepthwiseSource {
  const void *row;
  const float *filter;
};

/// Stores, for each pixel of each run, the sum over sources and taps of
/// source.row[pixel read] * source.filter[position]. `from` and `to` are the
/// types of the sources and of `result`.
void depthwiseRow(const std::vector<DepthwiseRun> &runs,
                  const std::vector<DepthwiseSource> &sources,
                  rp_element_type from, rp_element_type to, void *result,
                  int64_t channels);

/// A row of a cotangent and a row of the image. Position k of the width reads,
/// for pixel j of the cotangent, pixel j * stride + k * dilation - padding of
/// the image's `pixels`.
struct DepthwisePair {
  const void *cotangent, *image;
  int64_t count, pixels, positions, stride, dilation, padding;
};

/// Adds the sums over the cotangent's pixels to `sums`, (positions, channels),
/// for channels [begin, end).
void depthwiseSums(const DepthwisePair &rows, rp_element_type from, float *sums,
                   int64_t channels, int64_t begin, int64_t end);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_DEPTHWISEROWS_H
