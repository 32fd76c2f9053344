//===- TestImages.h - Images and archives made by tests ---------*- C++ -*-===//
#ifndef REPRISE_TEST_RUNTIME_TRAINER_TESTIMAGES_H
#define REPRISE_TEST_RUNTIME_TRAINER_TESTIMAGES_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reprise::rt::test {

struct Picture {
  int height = 0, width = 0, channels = 0;
  std::vector<uint8_t> pixels; // row after row
};

/// Noise that is the same for the same arguments.
Picture noise(int height, int width, int channels, unsigned seed);

/// The bytes of a PNG file. One channel or three.
std::string encodePng(const Picture &picture);

struct JpegForm {
  int horizontal = 2, vertical = 2; // sampling of luma
  bool progressive = false;
  int quality = 90;
};
std::string encodeJpeg(const Picture &picture, const JpegForm &form = {});

/// The bytes of a tar archive of these names and contents, "ustar", made
/// without a library.
std::string
makeTar(const std::vector<std::pair<std::string, std::string>> &entries);

/// A binary PPM or PGM file.
Picture readPnm(const std::string &path);

} // namespace reprise::rt::test

#endif // REPRISE_TEST_RUNTIME_TRAINER_TESTIMAGES_H
