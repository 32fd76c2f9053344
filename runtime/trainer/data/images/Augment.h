//===- Augment.h - Augmentation of one image --------------------*- C++ -*-===//
//
// Random numbers are a function of (seed, epoch, row): they do not depend on
// the thread that decodes, nor on where a run was resumed.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_DATA_IMAGES_AUGMENT_H
#define REPRISE_RUNTIME_TRAINER_DATA_IMAGES_AUGMENT_H

#include "Resize.h"
#include "reprise/Runtime/Philox.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/Images.h"

namespace reprise::rt {

/// The random numbers of one row in one epoch, one after another.
class RowRandom {
public:
  RowRandom(uint64_t seed, uint64_t epoch, uint64_t row)
      : seed(seed), epoch(epoch), row(row) {}
  /// Returns a number in [0, 1).
  double uniform();
  double uniform(double low, double high) {
    return low + (high - low) * uniform();
  }
  /// Returns a number in 0..count-1.
  int64_t below(int64_t count) { return int64_t(uniform() * double(count)); }

private:
  uint64_t seed, epoch, row;
  uint32_t blocks = 0, used = 4;
  PhiloxBlock block = {};
};

/// Factors of brightness, contrast and saturation, the rotation of the hue, and
/// the order in which they are applied, by number.
struct Coloring {
  std::array<double, 4> amount = {1, 1, 1, 0};
  std::array<int, 4> order = {0, 1, 2, 3};
};

/// The complete treatment of an image, with random choices made.
struct Treatment {
  Scaling scaling;
  /// The place of the window in the image; zeros around it.
  int64_t top = 0, left = 0;
  bool isMirrored = false;
  bool isColored = false;
  Coloring coloring;
};

/// Chooses the treatment of an image of these extents that becomes one of
/// `shape`. `random` is used unless `steps` are fixed.
Treatment chooseTreatment(const ImageSteps &steps, int64_t height,
                          int64_t width, const ImageShape &shape,
                          RowRandom &random);

/// Changes `count` pixels of one channel or three, with values in [0, 1], which
/// stay in this range. With one channel, only brightness and contrast have an
/// effect.
void color(const Coloring &coloring, float *values, size_t count,
           int64_t channels);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_DATA_IMAGES_AUGMENT_H
