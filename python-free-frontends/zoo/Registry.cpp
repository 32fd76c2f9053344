//===- Registry.cpp - The zoo's models by name ----------------------------===//

#include "Models.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"
#include <functional>
#include <numeric>

using namespace mlir;
using namespace reprise;
using namespace reprise::zoo;

//===----------------------------------------------------------------------===//
// Options as text
//===----------------------------------------------------------------------===//

std::optional<Stem> zoo::parseStem(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<Stem>>(text)
      .Case("imagenet", Stem::ImageNet)
      .Case("cifar", Stem::Cifar)
      .Default(std::nullopt);
}

std::optional<Annotate> zoo::parseAnnotate(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<Annotate>>(text)
      .Case("none", Annotate::None)
      .Case("stages", Annotate::Stages)
      .Case("blocks", Annotate::Blocks)
      .Default(std::nullopt);
}

std::optional<nn::ViewPooling> zoo::parseViewPooling(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<nn::ViewPooling>>(text)
      .Case("mean", nn::ViewPooling::Mean)
      .Case("max", nn::ViewPooling::Max)
      .Case("attention", nn::ViewPooling::Attention)
      .Default(std::nullopt);
}

llvm::StringRef zoo::stringify(Stem stem) {
  return stem == Stem::ImageNet ? "imagenet" : "cifar";
}

llvm::StringRef zoo::stringify(Annotate annotate) {
  switch (annotate) {
  case Annotate::None:
    return "none";
  case Annotate::Stages:
    return "stages";
  case Annotate::Blocks:
    return "blocks";
  }
  llvm_unreachable("unknown annotation");
}

//===----------------------------------------------------------------------===//
// The models
//===----------------------------------------------------------------------===//

namespace {
struct Entry {
  ModelInfo info;
  std::function<std::unique_ptr<nn::Graph>(const ModelOptions &)> make;
  int64_t heads = 1; // of the first block: they share its width equally
  bool tokensArePatches = false; // so that patches must cover every pixel
  bool hasWindows = false;       // with a number for each patch in a constant
};
} // namespace

/// Defaults of a classifier of images.
static ModelOptions imageDefaults() {
  ModelOptions options;
  options.views = 1;
  options.viewPooling = nn::ViewPooling::Mean;
  options.batch = 8;
  options.classes = 1000;
  options.height = options.width = 224;
  options.channels = 3;
  options.annotate = Annotate::Stages;
  return options;
}

static ModelOptions resNetDefaults() {
  ModelOptions options = imageDefaults();
  options.baseWidth = 64;
  options.stem = Stem::ImageNet;
  options.dropout = 0.0;
  return options;
}

static ModelOptions transformerDefaults(int64_t patch) {
  ModelOptions options = imageDefaults();
  options.patch = patch;
  return options;
}

static ModelOptions depthDefaults(double stochasticDepth) {
  ModelOptions options = transformerDefaults(4);
  options.stochasticDepth = stochasticDepth;
  return options;
}

static ModelOptions volumeDefaults() {
  ModelOptions options = depthDefaults(0.1);
  options.batch = 1;
  options.frames = 16;
  options.views = std::nullopt;
  options.viewPooling = std::nullopt;
  options.classes = 400;
  return options;
}

static ModelOptions mlpDefaults() {
  ModelOptions options;
  options.batch = 128;
  options.classes = 10;
  options.height = options.width = 16;
  options.channels = 1;
  options.annotate = Annotate::Stages;
  return options;
}

static void addResNets(std::vector<Entry> &all) {
  auto add = [&](std::string name, std::string blocks, ResNetDepth depth) {
    all.push_back(
        {{name, "residual network of " + blocks, resNetDefaults()},
         [=](const ModelOptions &o) { return makeResNet(name, depth, o); }});
  };
  add("resnet18", "8 basic blocks", {false, {2, 2, 2, 2}});
  add("resnet34", "16 basic blocks", {false, {3, 4, 6, 3}});
  add("resnet50", "16 bottlenecks", {true, {3, 4, 6, 3}});
  add("resnet101", "33 bottlenecks", {true, {3, 4, 23, 3}});
  add("resnet152", "50 bottlenecks", {true, {3, 8, 36, 3}});
}

static void addVisionTransformers(std::vector<Entry> &all) {
  auto add = [&](std::string name, int64_t patch, int64_t width,
                 VisionTransformerSize size) {
    ModelOptions defaults = transformerDefaults(patch);
    defaults.dropout = defaults.attentionDropout = 0.0;
    defaults.baseWidth = width;
    all.push_back({{name,
                    "vision transformer of " + std::to_string(size.layers) +
                        " layers on patches",
                    defaults},
                   [=](const ModelOptions &o) {
                     return makeVisionTransformer(name, size, o);
                   },
                   size.heads,
                   /*tokensArePatches=*/true});
  };
  VisionTransformerSize base = {12, 12}, large = {24, 16};
  add("vit_b_16", 16, 768, base);
  add("vit_b_32", 32, 768, base);
  add("vit_l_16", 16, 1024, large);
  add("vit_l_32", 32, 1024, large);
}

static int64_t sumOf(llvm::ArrayRef<int64_t> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t(0));
}

static void addSwins(std::vector<Entry> &all) {
  auto add = [&](std::string name, std::string what, int64_t width,
                 ModelOptions defaults, SwinSize size) {
    defaults.baseWidth = width;
    defaults.attentionDropout = 0.0;
    all.push_back(
        {{name,
          "attention in shifted windows of " + what + ", " +
              std::to_string(sumOf(size.blocks)) + " blocks",
          std::move(defaults)},
         [=](const ModelOptions &o) { return makeSwin(name, size, o); },
         size.heads[0],
         /*tokensArePatches=*/false,
         /*hasWindows=*/true});
  };
  SwinSize tiny = {{2, 2, 6, 2}, {3, 6, 12, 24}, {7, 7}};
  SwinSize small = {{2, 2, 18, 2}, {3, 6, 12, 24}, {7, 7}};
  SwinSize base = {{2, 2, 18, 2}, {4, 8, 16, 32}, {7, 7}};
  add("swin_t", "images", 96, depthDefaults(0.2), tiny);
  add("swin_s", "images", 96, depthDefaults(0.3), small);
  add("swin_b", "images", 128, depthDefaults(0.5), base);
  for (SwinSize *size : {&tiny, &small, &base})
    size->window = {8, 7, 7};
  add("swin3d_t", "volumes", 96, volumeDefaults(), tiny);
  add("swin3d_s", "volumes", 96, volumeDefaults(), small);
  add("swin3d_b", "volumes", 128, volumeDefaults(), base);
}

static void addConvNeXts(std::vector<Entry> &all) {
  auto add = [&](std::string name, int64_t width, double depth,
                 ConvNeXtBlocks blocks) {
    ModelOptions defaults = depthDefaults(depth);
    defaults.baseWidth = width;
    all.push_back(
        {{name,
          "convolutional network of " + std::to_string(sumOf(blocks)) +
              " blocks in transformers' dress",
          std::move(defaults)},
         [=](const ModelOptions &o) { return makeConvNeXt(name, blocks, o); }});
  };
  add("convnext_tiny", 96, 0.1, {3, 3, 9, 3});
  add("convnext_small", 96, 0.4, {3, 3, 27, 3});
  add("convnext_base", 128, 0.5, {3, 3, 27, 3});
  add("convnext_large", 192, 0.5, {3, 3, 27, 3});
}

static const std::vector<Entry> &registry() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    all.push_back({{"mlp",
                    "the two-part perceptron of OneFlow's guide to activation "
                    "checkpointing",
                    mlpDefaults()},
                   [](const ModelOptions &o) { return makeMlp(o); }});
    addResNets(all);
    addVisionTransformers(all);
    addSwins(all);
    addConvNeXts(all);
    return all;
  }();
  return entries;
}

llvm::ArrayRef<ModelInfo> zoo::listModels() {
  static const std::vector<ModelInfo> infos = [] {
    std::vector<ModelInfo> all;
    for (const Entry &entry : registry())
      all.push_back(entry.info);
    return all;
  }();
  return infos;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
/// Completes a user's options with a model's defaults.
class OptionMerger {
public:
  OptionMerger(Location loc, llvm::StringRef model) : loc(loc), model(model) {}

  /// Assigns `chosen` to `value`, if the model has this option.
  template <typename T>
  void merge(llvm::StringRef name, std::optional<T> &value,
             const std::optional<T> &chosen) {
    if (chosen && !value)
      fail() << "model '" << model << "' has no option '" << name << "'";
    else if (chosen)
      value = chosen;
  }

  /// The same as merge, for an extent.
  void mergeExtent(llvm::StringRef name, std::optional<int64_t> &value,
                   const std::optional<int64_t> &chosen) {
    merge(name, value, chosen);
    if (value && (*value < 1 || *value > kLargestExtent))
      fail() << "option '" << name << "' must be between 1 and "
             << kLargestExtent << ", but is " << *value;
  }

  /// The same as merge, for a probability below 1.
  void mergeProbability(llvm::StringRef name, std::optional<double> &value,
                        const std::optional<double> &chosen) {
    merge(name, value, chosen);
    if (value && !(*value >= 0.0 && *value < 1.0))
      fail() << "option '" << name << "' must be in [0, 1), but is " << *value;
  }

  InFlightDiagnostic fail() {
    failed = true;
    return emitError(loc);
  }
  bool hasFailed() const { return failed; }

private:
  Location loc;
  llvm::StringRef model;
  bool failed = false;
};
} // namespace

/// Checks that a patch is no larger than the image.
static void checkPatches(const Entry &entry, const ModelOptions &options,
                         OptionMerger &merger) {
  for (int64_t extent : {*options.height, *options.width})
    if (extent < *options.patch ||
        (entry.tokensArePatches && extent % *options.patch != 0)) {
      merger.fail() << "patches of " << *options.patch
                    << " do not fit an image of " << *options.height << "x"
                    << *options.width;
      return;
    }
}

/// Checks the size of the constant of models with shifted windows.
static void checkWindows(const Entry &entry, const ModelOptions &options,
                         OptionMerger &merger) {
  constexpr int64_t most = int64_t(1) << 22; // 16 MiB
  int64_t patches = countPatches(options);
  if (!entry.hasWindows || patches <= most)
    return;
  InFlightDiagnostic error = merger.fail();
  error << "an image of " << *options.height << "x" << *options.width;
  if (options.frames)
    error << " with " << *options.frames << " frames";
  error << " has " << patches << " patches of side " << *options.patch
        << ", but model '" << entry.info.name << "' takes at most " << most;
}

static void checkHeads(const Entry &entry, const ModelOptions &options,
                       OptionMerger &merger) {
  if (options.baseWidth && *options.baseWidth % entry.heads != 0)
    merger.fail() << "option 'base-width' must be a multiple of the "
                  << entry.heads << " heads of model '" << entry.info.name
                  << "', but is " << *options.baseWidth;
}

static std::optional<ModelOptions> complete(Location loc, const Entry &entry,
                                            const ModelOptions &chosen) {
  const ModelInfo &info = entry.info;
  ModelOptions options = info.defaults;
  OptionMerger merger(loc, info.name);
  merger.mergeExtent("batch", options.batch, chosen.batch);
  merger.mergeExtent("classes", options.classes, chosen.classes);
  merger.mergeExtent("height", options.height, chosen.height);
  merger.mergeExtent("width", options.width, chosen.width);
  merger.mergeExtent("channels", options.channels, chosen.channels);
  merger.mergeExtent("base-width", options.baseWidth, chosen.baseWidth);
  merger.mergeExtent("frames", options.frames, chosen.frames);
  merger.mergeExtent("views", options.views, chosen.views);
  merger.merge("view-pooling", options.viewPooling, chosen.viewPooling);
  merger.mergeExtent("patch", options.patch, chosen.patch);
  merger.merge("stem", options.stem, chosen.stem);
  merger.mergeProbability("dropout", options.dropout, chosen.dropout);
  merger.mergeProbability("attention-dropout", options.attentionDropout,
                          chosen.attentionDropout);
  merger.mergeProbability("stochastic-depth", options.stochasticDepth,
                          chosen.stochasticDepth);
  merger.merge("annotate", options.annotate, chosen.annotate);
  if (!merger.hasFailed() && chosen.viewPooling && *options.views == 1)
    merger.fail() << "option 'view-pooling' needs several views; give their "
                     "number with option 'views'";
  if (!merger.hasFailed() && options.patch)
    checkPatches(entry, options, merger);
  if (!merger.hasFailed() && options.patch)
    checkWindows(entry, options, merger);
  if (!merger.hasFailed())
    checkHeads(entry, options, merger);
  if (merger.hasFailed())
    return std::nullopt;
  return options;
}

OwningOpRef<mlir::ModuleOp> zoo::buildModel(MLIRContext &context,
                                            llvm::StringRef name,
                                            const ModelOptions &options) {
  Location loc = UnknownLoc::get(&context);
  for (const Entry &entry : registry()) {
    if (entry.info.name != name)
      continue;
    std::optional<ModelOptions> all = complete(loc, entry, options);
    return all ? entry.make(*all)->emit(context) : nullptr;
  }
  InFlightDiagnostic error = emitError(loc) << "no model is named '" << name
                                            << "'; known are ";
  llvm::interleaveComma(listModels(), error,
                        [&](const ModelInfo &info) { error << info.name; });
  return nullptr;
}
