//===- Resize.h - Resizing of images ----------------------------*- C++ -*-===//
//
// Bilinear with antialiasing, separable, columns before rows: a pixel of the
// result is the mean of those below a triangle around its centre, as wide as
// one pixel to each side of the larger scale. Weights have 22 bits behind the
// point, and each pass rounds to bytes, which makes the bits those of Pillow's
// resize(BILINEAR) (https://github.com/python-pillow/Pillow, Resample.c).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_RESIZE_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_RESIZE_H

#include "Image.h"

namespace reprise::rt {

/// What each pixel of a line of the result is made of.
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

/// Of `count` pixels from `first` of a line of `in` that becomes one of `out`.
Taps makeTaps(int64_t in, int64_t out, int64_t first, int64_t count);

/// A part of an image, resized, and the part of that which is wanted.
struct Scaling {
  Rect box;                      // in the image
  int64_t height = 0, width = 0; // that the box becomes
  Rect window;                   // of these
};

/// A scaling ready to be done.
struct Resizing {
  explicit Resizing(const Scaling &scaling);
  Rect box;
  Taps rows, columns;
  /// The part of the image that is read.
  Rect needed() const;
};

/// Writes the window to `out`, rows.spans high, columns.spans wide. `image` is
/// the part `covered`, which holds what is needed. `middle` is room for one
/// pass.
void resize(const Image &image, const Rect &covered, const Resizing &resizing,
            Image &middle, Image &out);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_RESIZE_H
