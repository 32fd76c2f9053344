//===- Pixels.cpp - Bytes of images as numbers ----------------------------===//
//
// See Pixels.h.
//
//===----------------------------------------------------------------------===//
#include "Pixels.h"

using namespace reprise::rt;

PixelWriter::PixelWriter(const ImageShape &shape, ChannelScale wanted)
    : shape(shape), scale(std::move(wanted)) {
  for (size_t c = 0; c < scale.mean.size(); ++c)
    for (unsigned byte = 0; byte < 256; ++byte)
      table[c][byte] = scaled(float(byte) / 255.0f, c);
}

void PixelWriter::write(const Treatment &treatment, const Image &image,
                        std::vector<float> &colors, float *out) const {
  if (treatment.isColored) {
    writeColored(treatment, image, colors, out);
    return;
  }
  if (image.height < shape.height || image.width < shape.width)
    for (size_t i = 0; i < shape.elements(); ++i)
      out[i] = table[i % size_t(shape.channels)][0];
  writePlain(treatment, image, out);
}

void PixelWriter::writePlain(const Treatment &t, const Image &image,
                             float *out) const {
  auto channels = size_t(image.channels);
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t *in = image.row(y);
    int64_t left = t.isMirrored ? shape.width - t.left - image.width : t.left;
    float *row = out + size_t((t.top + y) * shape.width + left) * channels;
    for (int64_t x = 0; x < image.width; ++x) {
      const uint8_t *pixel =
          in + size_t(t.isMirrored ? image.width - 1 - x : x) * channels;
      for (size_t c = 0; c < channels; ++c)
        *row++ = table[c][pixel[c]];
    }
  }
}

/// Also changes colours.
void PixelWriter::writeColored(const Treatment &t, const Image &image,
                               std::vector<float> &colors, float *out) const {
  auto channels = size_t(shape.channels);
  size_t numbers = shape.elements();
  colors.assign(numbers, 0.0f);
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t *in = image.row(y);
    float *row = &colors[size_t((t.top + y) * shape.width + t.left) * channels];
    for (size_t i = 0; i < size_t(image.width) * channels; ++i)
      row[i] = float(in[i]) / 255.0f;
  }
  color(t.coloring, colors.data(), numbers / channels, shape.channels);
  auto width = size_t(shape.width);
  for (size_t i = 0; i < numbers / channels; ++i) {
    size_t x = i % width;
    size_t from = t.isMirrored ? i - x + (width - 1 - x) : i;
    for (size_t c = 0; c < channels; ++c)
      out[i * channels + c] = scaled(colors[from * channels + c], c);
  }
}
