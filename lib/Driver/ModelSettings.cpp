//===- ModelSettings.cpp - Options of models
//-------------------------------===//

#include "reprise/Driver/ModelSettings.h"
#include "reprise/Console/Console.h"
#include "reprise/Onnx/Import.h"
#include "llvm/ADT/StringRef.h"
#include <set>

using namespace reprise;
using namespace reprise::driver;

rt::Status ModelSettings::checkTaken(const std::string &source,
                                     frontend::Options taken) const {
  static const std::set<std::string> ofBoth = {"--batch", "--classes",
                                               "--annotate"},
                                     ofFiles = {"--loss", "--logits", "--label",
                                                "--input", "--value"};
  for (const std::string &name : command->namesIn(kModelGroup)) {
    bool isTaken = ofBoth.count(name)    ? taken != frontend::Options::None
                   : ofFiles.count(name) ? taken == frontend::Options::File
                                         : taken == frontend::Options::Zoo;
    if (!isTaken)
      return misuse(name + " is an option of " +
                    (ofFiles.count(name) ? "ONNX files" : "the zoo's models") +
                    "; '" + source + "' says itself what it is");
  }
  return {};
}

/// Splits NAME=SHAPE at the last sign, since names may hold others.
static rt::Status addShape(const std::string &text, zoo::FileOptions &options) {
  auto [name, shape] = llvm::StringRef(text).rsplit('=');
  std::vector<int64_t> extents;
  llvm::SmallVector<llvm::StringRef> parts;
  shape.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 1 || extent > INT32_MAX)
      return misuse("--input: '" + text +
                    "' is not NAME=SHAPE, such as image=8x3x224x224");
    extents.push_back(extent);
  }
  options.shapes[name.str()] = extents;
  return {};
}

/// Splits NAME=NUMBERS; nothing after the sign is a vector without elements.
static rt::Status addValue(const std::string &text, zoo::FileOptions &options) {
  auto [name, list] = llvm::StringRef(text).rsplit('=');
  std::vector<double> numbers;
  llvm::SmallVector<llvm::StringRef> parts;
  list.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/!list.empty());
  bool isGood = name.size() < text.size();
  for (llvm::StringRef part : parts) {
    double number = 0;
    isGood &= !part.getAsDouble(number);
    numbers.push_back(number);
  }
  if (!isGood)
    return misuse("--value: '" + text +
                  "' is not NAME=NUMBERS, such as axes=1,2");
  options.values[name.str()] = numbers;
  return {};
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
      {"--annotate", annotate.has_value(), has.annotate.has_value()},
      {"--loss", loss.has_value(), false},
      {"--logits", logits.has_value(), false},
      {"--label", label.has_value(), false},
      {"--input", !inputs.empty(), false},
      {"--value", !values.empty(), false}};
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
  for (const std::string &text : inputs)
    REPRISE_RETURN_IF_ERROR(addShape(text, options.file));
  for (const std::string &text : values)
    REPRISE_RETURN_IF_ERROR(addValue(text, options.file));
  if (loss && !onnx::parseLoss(*loss))
    return misuse("--loss is '" + *loss +
                  "'; choose cross-entropy, bce or mse");
  options.file.loss = loss;
  options.file.logits = logits;
  options.file.label = label;
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
