//===- Resize.h - Resizing of images ----------------------------*- C++ -*-===//
//
// Bilinear with antialiasing, separable, columns before rows: a pixel of the
// result is the mean under a triangle around its centre, one pixel of the
// larger scale wide to each side. Weights have 22 fractional bits, and each
// pass rounds to bytes, which gives the same bits as Pillow's resize(BILINEAR)
// (https://github.com/python-pillow/Pillow, Resample.c).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_RESIZE_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_RESIZE_H

#include "Image.h"

namespace reprise::rt {

/// The inputs of each pixel of a line of the result.
struct Taps {
  struct Span {
    int64_t first = 0;
    int64_t count = 0;
  };
  std::vector<Span> spans;
  std::vector<int32_t> weights; // `stride` for each span
  size_t stride = 0;

  int64_t begin() const { return spans.front().first; }
  int64_t end() const { return spans.back().first + spans.back().count; }
};

/// Computes the taps of `count` pixels from `first`, for a line of `in` pixels
/// resized to `out`.
Taps makeTaps(int64_t in, int64_t out, int64_t first, int64_t count);

/// A part of an image, resized, and the wanted part of the result.
struct Scaling {
  Rect box;                      // in the image
  int64_t height = 0, width = 0; // of the resized box
  Rect window;                   // of the resized box
};

/// A prepared scaling.
struct Resizing {
  explicit Resizing(const Scaling &scaling);
  Rect box;
  Taps rows, columns;
  /// Returns the part of the image that is read.
  Rect needed() const;
};

/// Writes the window to `out`, rows.spans high, columns.spans wide. `image` is
/// the part `covered`, which includes the needed part. `middle` is a buffer for
/// one pass.
void resize(const Image &image, const Rect &covered, const Resizing &resizing,
            Image &middle, Image &out);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_RESIZE_H
