//===- Image.h - Pixels in memory -------------------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGE_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reprise::rt {

/// Resizes `bytes` to `size` without preserving the content. A resize that
/// preserves it may double the memory, and holds both copies meanwhile.
inline void setSize(std::vector<uint8_t> &bytes, size_t size) {
  if (size > bytes.capacity())
    std::vector<uint8_t>().swap(bytes);
  bytes.resize(size);
}

/// Rows of pixels; the bytes of a pixel are contiguous.
struct Image {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<uint8_t> pixels;

  void reset(int64_t h, int64_t w, int64_t c) {
    height = h;
    width = w;
    channels = c;
    setSize(pixels, size_t(h) * size_t(w) * size_t(c));
  }
  uint8_t *row(int64_t y) {
    return pixels.data() + size_t(y) * size_t(width) * size_t(channels);
  }
  const uint8_t *row(int64_t y) const {
    return pixels.data() + size_t(y) * size_t(width) * size_t(channels);
  }
};

struct Rect {
  int64_t top = 0, left = 0, height = 0, width = 0;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_IMAGE_H
