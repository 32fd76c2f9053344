//===- ModelFlags.cpp - Options of the zoo's models -----------------------===//

#include "ModelFlags.h"
#include "CommandLine.h"
#include "reprise/Console/Console.h"
#include "llvm/ADT/StringRef.h"

using namespace reprise;
using namespace reprise::driver;

static constexpr const char *kModelGroup = "Model (of the zoo)";

void ModelFlags::addTo(CLI::App &app) {
  command = &app;
  command->add_option("--batch", batch, "Images a step")->group(kModelGroup);
  command->add_option("--classes", classes, "Number of classes")
      ->group(kModelGroup);
  command
      ->add_option("--image", image, "Height and width of the images, 224x224")
      ->type_name("HxW")
      ->group(kModelGroup);
  command->add_option("--channels", channels, "Channels of the images")
      ->group(kModelGroup);
  command
      ->add_option("--width", width, "Channels of the first stage, or of a ViT")
      ->group(kModelGroup);
  command
      ->add_option("--stem", stem,
                   "First layers: imagenet (7x7 and a pool), cifar (3x3)")
      ->group(kModelGroup);
  command
      ->add_option("--dropout", dropout,
                   "Probability of dropout, before the last layer of a ResNet "
                   "or after every linear layer of a transformer")
      ->group(kModelGroup);
  command
      ->add_option("--attention-dropout", attentionDropout,
                   "Probability of dropping a weight of attention")
      ->group(kModelGroup);
  command->add_option("--frames", frames, "Images of a volume")
      ->group(kModelGroup);
  command
      ->add_option("--views", views,
                   "Images of one case, which share a backbone; the data then "
                   "have the shape (N,V,H,W,C)")
      ->group(kModelGroup);
  command
      ->add_option("--view-pooling", viewPooling,
                   "With --views: how their features are combined: mean, max "
                   "or attention")
      ->group(kModelGroup);
  command
      ->add_option("--patch", patch, "Side of the patches that become tokens")
      ->group(kModelGroup);
  command
      ->add_option(
          "--stochastic-depth", stochasticDepth,
          "Probability of skipping the last block; lower for earlier blocks")
      ->group(kModelGroup);
  command
      ->add_option(
          "--annotate", annotate,
          "Blocks to recompute in the backward pass: none, stages, blocks")
      ->group(kModelGroup);
}

bool ModelFlags::isOfModel(const CLI::Option &option) {
  return option.get_group() == kModelGroup;
}

std::string ModelFlags::firstGiven() const {
  return firstGivenOf(command, kModelGroup);
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

rt::Status ModelFlags::checkFor(const zoo::ModelInfo &info) const {
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

rt::Expected<zoo::ModelOptions> ModelFlags::options() const {
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
