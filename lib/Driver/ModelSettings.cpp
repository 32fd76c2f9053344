//===- ModelSettings.cpp - Options of the zoo's models --------------------===//

#include "reprise/Driver/ModelSettings.h"
#include "reprise/Console/Console.h"
#include "llvm/ADT/StringRef.h"

using namespace reprise;
using namespace reprise::driver;

std::string ModelSettings::firstGivenBeside(frontend::Options taken) const {
  if (taken == frontend::Options::All)
    return "";
  for (const std::string &name : command->namesIn(kModelGroup))
    if (taken != frontend::Options::Batch || name != "--batch")
      return name;
  return "";
}

static rt::Status parseImage(const std::string &text,
                             zoo::ModelOptions &options) {
  auto [height, width] = llvm::StringRef(text).split('x');
  int64_t h = 0, w = 0;
  if (height.getAsInteger(10, h) || width.getAsInteger(10, w) || h <= 0 ||
      w <= 0)
    return misuse("--image is '" + text +
                  "'; write height and width as 224x224");
  options.height = h;
  options.width = w;
  return {};
}

rt::Status ModelSettings::checkFor(const zoo::ModelInfo &info) const {
  const zoo::ModelOptions &has = info.defaults;
  const std::tuple<const char *, bool, bool> all[] = {
      {"--width", width.has_value(), has.baseWidth.has_value()},
      {"--stem", stem.has_value(), has.stem.has_value()},
      {"--dropout", dropout.has_value(), has.dropout.has_value()},
      {"--attention-dropout", attentionDropout.has_value(),
       has.attentionDropout.has_value()},
      {"--frames", frames.has_value(), has.frames.has_value()},
      {"--views", views.has_value(), has.views.has_value()},
      {"--view-pooling", viewPooling.has_value(), has.viewPooling.has_value()},
      {"--patch", patch.has_value(), has.patch.has_value()},
      {"--stochastic-depth", stochasticDepth.has_value(),
       has.stochasticDepth.has_value()},
      {"--annotate", annotate.has_value(), has.annotate.has_value()}};
  for (const auto &[option, isGiven, isKnown] : all)
    if (isGiven && !isKnown)
      return misuse("model '" + std::string(info.name) + "' has no " + option);
  return {};
}

rt::Expected<zoo::ModelOptions> ModelSettings::options() const {
  const std::pair<const char *, std::optional<int64_t>> extents[] = {
      {"--batch", batch},       {"--classes", classes}, {"--width", width},
      {"--channels", channels}, {"--frames", frames},   {"--views", views},
      {"--patch", patch}};
  for (const auto &[option, extent] : extents)
    if (extent && (*extent < 1 || *extent > zoo::kLargestExtent))
      return misuse(std::string(option) + " is " + std::to_string(*extent) +
                    "; it must be between 1 and " +
                    std::to_string(zoo::kLargestExtent));
  zoo::ModelOptions options;
  options.batch = batch;
  options.classes = classes;
  options.channels = channels;
  options.baseWidth = width;
  options.dropout = dropout;
  options.attentionDropout = attentionDropout;
  options.frames = frames;
  options.patch = patch;
  options.views = views;
  options.stochasticDepth = stochasticDepth;
  if (image)
    REPRISE_RETURN_IF_ERROR(parseImage(*image, options));
  if (stem && !(options.stem = zoo::parseStem(*stem)))
    return misuse("--stem is '" + *stem + "'; choose imagenet or cifar");
  if (viewPooling &&
      !(options.viewPooling = zoo::parseViewPooling(*viewPooling)))
    return misuse("--view-pooling is '" + *viewPooling +
                  "'; choose mean, max or attention");
  if (annotate && !(options.annotate = zoo::parseAnnotate(*annotate)))
    return misuse("--annotate is '" + *annotate +
                  "'; choose none, stages or blocks");
  return options;
}
