//===- Pixels.h - Bytes of images as numbers --------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_PIXELS_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_PIXELS_H

#include "Augment.h"

namespace reprise::rt {

/// Writes treated images as scaled numbers of one shape.
class PixelWriter {
public:
  PixelWriter(const ImageShape &shape, ChannelScale scale);
  /// Writes `image`, the window of the treatment, into the row's place;
  /// `colors` is a buffer.
  void write(const Treatment &treatment, const Image &image,
             std::vector<float> &colors, float *out) const;

private:
  float scaled(float value, size_t channel) const {
    return (value - scale.mean[channel]) / scale.stddev[channel];
  }
  void writePlain(const Treatment &treatment, const Image &image,
                  float *out) const;
  void writeColored(const Treatment &treatment, const Image &image,
                    std::vector<float> &colors, float *out) const;

  const ImageShape shape;
  const ChannelScale scale;
  std::array<std::array<float, 256>, 3> table;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_PIXELS_H
