//===- Images.h - Preparation of images -------------------------*- C++ -*-===//
//
// Data that are files of JPEG or PNG (folders, shards) have no fixed size:
// steps define how a picture becomes the image that a program takes. They are
// texts, which a state records, so that a resumed run and an evaluation see the
// same images as the run.
//
//   resize=N             the shorter side becomes N
//   resize=HxW           both sides, whatever the picture's
//   center-crop          the middle, of the program's size; zeros beyond the
//                        picture's edges
//   random-resized-crop  a part of random area and aspect, resized to the
//                        program's size; =MIN:MAX bounds its area (0.08:1)
//   flip                 mirrored with a probability of 0.5; =P
//   jitter=B:C:S:H       brightness, contrast, saturation each by a factor in
//                        [1-B, 1+B], the hue by a turn in [-H, H], in random
//                        order; omitted numbers are 0
//   stride=N             of a clip, frames that are N apart: in training from
//                        a frame drawn at random, in evaluation the middle
//                        ones. Without it, the middle frame of each of as many
//                        equal parts of the clip as the program takes frames
//
// All frames of a clip are treated equally.
//
// Resizing is bilinear with antialiasing (a triangle as wide as a source
// pixel of the result) on bytes, with the roundings of Pillow's.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_IMAGES_H
#define REPRISE_RUNTIME_TRAINER_IMAGES_H

#include "reprise/Runtime/Status.h"
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace reprise::rt {

struct ImageSteps {
  enum class Geometry { Stretch, CenterCrop, RandomResizedCrop };
  Geometry geometry = Geometry::CenterCrop;
  int64_t shorterSide = 0;            // for CenterCrop; 0: no resizing
  int64_t height = 0, width = 0;      // for Stretch
  double minArea = 0.08, maxArea = 1; // for RandomResizedCrop
  double flip = 0;                    // probability
  /// Brightness, contrast, saturation, hue.
  std::array<double, 4> jitter = {0, 0, 0, 0};
  int64_t frameStride = 0; // of clips; 0: frames of the whole clip

  bool hasJitter() const { return jitter != std::array<double, 4>{}; }
  /// Returns true if a picture always becomes the same image.
  bool isFixed() const {
    return geometry != Geometry::RandomResizedCrop && flip == 0 && !hasJitter();
  }
};

/// Reads steps joined by commas. Fails with the name of a step that is unknown,
/// or not allowed in its position.
Expected<ImageSteps> parseImageSteps(const std::string &text);
/// The text from which parseImageSteps reads the same steps.
std::string formatImageSteps(const ImageSteps &steps);

/// The default steps, for images of this size: for training
/// random-resized-crop,flip; for evaluation the middle 7/8 of the longer side.
ImageSteps defaultTrainSteps();
ImageSteps defaultEvalSteps(int64_t height, int64_t width);

/// The scale of each channel: a value is (byte / 255 - mean) / stddev.
struct ChannelScale {
  std::vector<float> mean, stddev;
};

/// "imagenet" (mean 0.485,0.456,0.406, deviation 0.229,0.224,0.225), "none"
/// (0 to 1), or M,M,M/S,S,S, one number for all channels or one for each.
/// Empty: mean and deviation 0.5, values from -1 to 1.
Expected<ChannelScale> parseChannelScale(const std::string &text,
                                         int64_t channels);

/// Returns the code of three letters, such as "RAS", that `text` spells in any
/// case: the directions of the axes x, y and z of volumes. Fails for other
/// texts.
Expected<std::string> parseOrientation(const std::string &text);

/// The image settings of DataSpec; empty texts: the defaults.
struct ImageSpec {
  std::string training, evaluation, normalize;
  /// The orientation of volumes; empty: as stored.
  std::string orientation;
  /// Skip files that cannot be read or decoded; all files are decoded to find
  /// them.
  bool skipBadFiles = false;
  bool hasSteps() const { return !training.empty() || !evaluation.empty(); }
  /// The settings that decide the rows and their extents, without the others.
  ImageSpec ofRows() const;
};

struct DataSpec;

/// Names of these settings among run settings: train-images, eval-images,
/// normalize, orientation. Copies them from `runSettings` into `spec`, except
/// those in `given`, if its data have such settings.
void takeImageSettings(const std::map<std::string, std::string> &runSettings,
                       const std::set<std::string> &given, DataSpec &spec);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_IMAGES_H
