//===- ImageRows.h - Data sets of images as tests open them -----*- C++ -*-===//
#ifndef REPRISE_TEST_RUNTIME_TRAINER_IMAGEROWS_H
#define REPRISE_TEST_RUNTIME_TRAINER_IMAGEROWS_H

#include "TestFiles.h"
#include "TestImages.h"
#include "reprise/Runtime/Trainer/Loader.h"

namespace reprise::rt::test {

inline constexpr ImageShape kShape = {6, 6, 3};

/// A picture of one colour with some noise, so that classes can be told apart.
inline Picture shade(int value, unsigned seed) {
  Picture picture = noise(9, 12, 3, seed);
  for (uint8_t &pixel : picture.pixels)
    pixel = uint8_t(value + pixel / 16);
  return picture;
}

inline DatasetOptions wanted(ImageShape shape = kShape) {
  DatasetOptions options;
  options.columns = {imageColumn(shape), labelColumn()};
  return options;
}

inline DataSpec specOf(const std::string &source) {
  DataSpec spec;
  spec.source = source;
  return spec;
}

inline std::vector<float> rowOf(const Dataset &data, uint64_t row,
                                int32_t &label) {
  std::vector<float> image(data.columns()[0].elements());
  void *places[] = {image.data(), &label};
  Status status = data.fill(&row, 1, places);
  EXPECT_TRUE(status.ok()) << status.message();
  return image;
}

} // namespace reprise::rt::test

#endif // REPRISE_TEST_RUNTIME_TRAINER_IMAGEROWS_H
