//===- ImageSteps.cpp - Steps as text -------------------------------------===//
//
// See Images.h. Text is formatted in one place, so that equal steps are equal
// text.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/Images.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include <algorithm>
#include <charconv>
#include <cmath>

using namespace reprise::rt;

static std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(at, begin)) != text.npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

template <typename Number>
static bool readNumber(const std::string &text, Number &number) {
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

static bool readNumbers(const std::string &text, char at, size_t most,
                        std::vector<double> &numbers) {
  for (const std::string &part : split(text, at)) {
    numbers.emplace_back();
    if (!readNumber(part, numbers.back()) || !std::isfinite(numbers.back()))
      return false;
  }
  return numbers.size() <= most;
}

static Status wrong(const std::string &step, const std::string &why,
                    const char *file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT,
                       "'" + step + "' is not a step for images: " + why, file,
                       line);
}

namespace {

/// Steps read so far, and their kinds.
struct Reading {
  ImageSteps steps;
  bool hasResize = false, hasCrop = false, hasFlip = false, hasJitter = false;
};

} // namespace

static constexpr int64_t kLongest = 16384;

static Status readResize(const std::string &step, const std::string &value,
                         Reading &reading) {
  ImageSteps &steps = reading.steps;
  std::vector<std::string> sides = split(value, 'x');
  std::array<int64_t, 2> extents = {0, 0};
  bool isGood = sides.size() <= 2;
  for (size_t i = 0; isGood && i < sides.size(); ++i)
    isGood = readNumber(sides[i], extents[i]) && extents[i] > 0 &&
             extents[i] <= kLongest;
  if (!isGood)
    return wrong(step, "say resize=N or resize=HxW, pixels");
  if (reading.hasResize || reading.hasCrop)
    return wrong(step, "it comes first, and once");
  reading.hasResize = true;
  if (sides.size() == 1) {
    steps.shorterSide = extents[0];
    return Status();
  }
  steps.geometry = ImageSteps::Geometry::Stretch;
  steps.height = extents[0];
  steps.width = extents[1];
  return Status();
}

static Status readRandomCrop(const std::string &step, const std::string &value,
                             Reading &reading) {
  std::vector<double> area;
  ImageSteps &steps = reading.steps;
  if (reading.hasResize || reading.hasCrop)
    return wrong(step, "it resizes and crops itself, once");
  steps.geometry = ImageSteps::Geometry::RandomResizedCrop;
  reading.hasCrop = true;
  if (value.empty())
    return Status();
  if (!readNumbers(value, ':', 2, area) || area.size() != 2 || area[0] <= 0 ||
      area[1] < area[0] || area[1] > 1)
    return wrong(step, "its areas are MIN:MAX, above 0 and at most 1");
  steps.minArea = area[0];
  steps.maxArea = area[1];
  return Status();
}

static Status readCenterCrop(const std::string &step, const std::string &value,
                             Reading &reading) {
  if (!value.empty())
    return wrong(step, "it crops to the program's size and takes no number");
  if (reading.hasCrop ||
      reading.steps.geometry == ImageSteps::Geometry::Stretch)
    return wrong(step, "the image has its size already");
  reading.hasCrop = true;
  return Status();
}

static Status readFlip(const std::string &step, const std::string &value,
                       Reading &reading) {
  ImageSteps &steps = reading.steps;
  steps.flip = 0.5;
  if (!value.empty() &&
      (!readNumber(value, steps.flip) || !(steps.flip >= 0 && steps.flip <= 1)))
    return wrong(step, "its probability is from 0 to 1");
  if (reading.hasFlip)
    return wrong(step, "it comes once");
  reading.hasFlip = true;
  return Status();
}

static Status readJitter(const std::string &step, const std::string &value,
                         Reading &reading) {
  std::vector<double> amounts;
  bool isGood = readNumbers(value, ':', 4, amounts);
  for (size_t i = 0; isGood && i < amounts.size(); ++i)
    isGood = amounts[i] >= 0 && (i < 3 || amounts[i] <= 0.5);
  if (!isGood)
    return wrong(step, "say jitter=B:C:S:H, none negative, H at most 0.5");
  if (reading.hasJitter)
    return wrong(step, "it comes once");
  reading.hasJitter = true;
  std::copy(amounts.begin(), amounts.end(), reading.steps.jitter.begin());
  return Status();
}

static Status readStride(const std::string &step, const std::string &value,
                         Reading &reading) {
  int64_t &stride = reading.steps.frameStride;
  if (stride > 0)
    return wrong(step, "it comes once");
  if (!readNumber(value, stride) || stride < 1 || stride > kLongest)
    return wrong(step, "stride=N takes every Nth frame; N is from 1 to " +
                           std::to_string(kLongest));
  return Status();
}

static Status readStep(const std::string &step, Reading &reading) {
  using Reader =
      Status (*)(const std::string &, const std::string &, Reading &);
  static constexpr std::pair<const char *, Reader> kReaders[] = {
      {"resize", readResize},
      {"center-crop", readCenterCrop},
      {"random-resized-crop", readRandomCrop},
      {"flip", readFlip},
      {"jitter", readJitter},
      {"stride", readStride}};
  size_t equals = std::min(step.find('='), step.size());
  const std::string name = step.substr(0, equals);
  const std::string value =
      equals < step.size() ? step.substr(equals + 1) : std::string();
  if (equals + 1 == step.size())
    return wrong(step, "nothing follows the '='");
  for (const auto &[known, reader] : kReaders)
    if (name == known)
      return reader(step, value, reading);
  if (name == "mixup" || name == "label-smoothing")
    return wrong(step, "it is done to the images of a step together; use --" +
                           name + (value.empty() ? "" : " " + value));
  if (name == "cutmix")
    return wrong(step, "a program's label is the number of a class, which "
                       "images of two do not have; --mixup mixes whole ones");
  return wrong(step, "there are resize, center-crop, random-resized-crop, "
                     "flip, jitter and, of clips, stride");
}

Expected<ImageSteps> reprise::rt::parseImageSteps(const std::string &text) {
  Reading reading;
  for (const std::string &step : split(text, ','))
    REPRISE_RETURN_IF_ERROR(readStep(step, reading));
  bool isStretched = reading.steps.geometry == ImageSteps::Geometry::Stretch;
  if (!reading.hasCrop && !isStretched)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the steps '" + text +
                             "' do not say what size images become; add "
                             "center-crop, random-resized-crop or resize=HxW");
  return reading.steps;
}

std::string reprise::rt::formatImageSteps(const ImageSteps &steps) {
  using Geometry = ImageSteps::Geometry;
  std::string text;
  if (steps.geometry == Geometry::Stretch)
    text = "resize=" + std::to_string(steps.height) + "x" +
           std::to_string(steps.width);
  else if (steps.geometry == Geometry::RandomResizedCrop)
    text = "random-resized-crop=" + settingNumber(steps.minArea) + ":" +
           settingNumber(steps.maxArea);
  else
    text =
        (steps.shorterSide ? "resize=" + std::to_string(steps.shorterSide) + ","
                           : std::string()) +
        "center-crop";
  if (steps.flip > 0)
    text += ",flip=" + settingNumber(steps.flip);
  for (size_t i = 0; steps.hasJitter() && i < steps.jitter.size(); ++i)
    text += (i ? ":" : ",jitter=") + settingNumber(steps.jitter[i]);
  if (steps.frameStride > 0)
    text += ",stride=" + std::to_string(steps.frameStride);
  return text;
}

ImageSteps reprise::rt::defaultTrainSteps() {
  ImageSteps steps;
  steps.geometry = ImageSteps::Geometry::RandomResizedCrop;
  steps.flip = 0.5;
  return steps;
}

ImageSteps reprise::rt::defaultEvalSteps(int64_t height, int64_t width) {
  ImageSteps steps;
  steps.shorterSide = (std::max(height, width) * 8 + 3) / 7;
  return steps;
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

Expected<ChannelScale> reprise::rt::parseChannelScale(const std::string &text,
                                                      int64_t channels) {
  auto count = size_t(channels);
  if (text.empty())
    return ChannelScale{std::vector<float>(count, 0.5f),
                        std::vector<float>(count, 0.5f)};
  if (text == "none")
    return ChannelScale{std::vector<float>(count, 0.0f),
                        std::vector<float>(count, 1.0f)};
  if (text == "imagenet" && channels == 3)
    return ChannelScale{{0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};
  ChannelScale scale;
  std::vector<std::string> sides = split(text, '/');
  bool isGood = sides.size() == 2;
  for (size_t side = 0; isGood && side < 2; ++side) {
    std::vector<double> numbers;
    isGood = readNumbers(sides[side], ',', count, numbers) &&
             (numbers.size() == 1 || numbers.size() == count);
    if (isGood)
      numbers.resize(count, numbers.front());
    for (double number : numbers)
      isGood = isGood && (side == 0 || float(number) > 0);
    (side == 0 ? scale.mean : scale.stddev)
        .assign(numbers.begin(), numbers.end());
  }
  if (isGood)
    return scale;
  return Status::error(
      RP_INVALID_ARGUMENT,
      "images of " + std::to_string(channels) +
          " channels cannot be normalized by '" + text +
          "'; say none, M/S or M,M,M/S,S,S with deviations above 0, or, for "
          "three channels, imagenet");
}

ImageSpec ImageSpec::ofRows() const {
  ImageSpec rows;
  rows.orientation = orientation;
  rows.skipBadFiles = skipBadFiles;
  return rows;
}

void reprise::rt::takeImageSettings(
    const std::map<std::string, std::string> &runSettings,
    const std::set<std::string> &given, DataSpec &spec) {
  DataTraits traits = traitsOf(spec);
  auto take = [&](const char *name, std::string &text) {
    if (auto it = runSettings.find(name);
        it != runSettings.end() && !given.count(name))
      text = it->second;
  };
  if (traits.anySize) {
    take("train-images", spec.images.training);
    take("eval-images", spec.images.evaluation);
  }
  if (traits.anySize || traits.isScaled)
    take("normalize", spec.images.normalize);
  if (traits.areVolumes)
    take("orientation", spec.images.orientation);
}
