//===- Registry.cpp - The zoo's models by name ----------------------------===//

#include "Family.h"
#include "mlir/IR/Diagnostics.h"
#include "reprise/NN/Frontend.h"
#include "llvm/ADT/StringSwitch.h"
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

ModelOptions zoo::imageDefaults(int64_t side) {
  ModelOptions options;
  options.views = 1;
  options.viewPooling = nn::ViewPooling::Mean;
  options.batch = 8;
  options.classes = 1000;
  options.height = options.width = side;
  options.channels = 3;
  options.annotate = Annotate::Stages;
  return options;
}

ModelOptions zoo::clipDefaults(int64_t side) {
  ModelOptions options = imageDefaults(side);
  options.views = std::nullopt;
  options.viewPooling = std::nullopt;
  options.batch = 1;
  options.frames = 16;
  options.classes = 400;
  return options;
}

int64_t zoo::sumOf(llvm::ArrayRef<int64_t> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t(0));
}

double zoo::depthProbability(double last, int64_t block,
                             llvm::ArrayRef<int64_t> blocks) {
  int64_t count = sumOf(blocks);
  return count > 1 ? last * double(block) / double(count - 1) : 0.0;
}

static const ModelList &registry() {
  static const ModelList models = [] {
    ModelList all;
#define FAMILY(NAME) add##NAME(all);
#include "Families.def"
#undef FAMILY
    return all;
  }();
  return models;
}

llvm::ArrayRef<ModelInfo> zoo::listModels() {
  static const std::vector<ModelInfo> infos = [] {
    std::vector<ModelInfo> all;
    for (const Model &model : registry())
      all.push_back(model.info);
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
static void checkPatches(const Model &model, const ModelOptions &options,
                         OptionMerger &merger) {
  for (int64_t extent : {*options.height, *options.width})
    if (extent < *options.patch ||
        (model.tokensArePatches && extent % *options.patch != 0)) {
      merger.fail() << "patches of " << *options.patch
                    << " (option 'patch') do not fit an image of "
                    << *options.height << "x" << *options.width
                    << " (options 'height' and 'width')";
      return;
    }
}

/// Checks the size of the constant of models with shifted windows.
static void checkWindows(const Model &model, const ModelOptions &options,
                         OptionMerger &merger) {
  constexpr int64_t most = int64_t(1) << 22; // 16 MiB
  int64_t patches = countPatches(options);
  if (!model.hasWindows || patches <= most)
    return;
  InFlightDiagnostic error = merger.fail();
  error << "an image of " << *options.height << "x" << *options.width;
  if (options.frames)
    error << " with " << *options.frames << " frames";
  error << " has " << patches << " patches of side " << *options.patch
        << ", but model '" << model.info.name << "' takes at most " << most;
}

static void checkWidth(const Model &model, const ModelOptions &options,
                       OptionMerger &merger) {
  if (options.baseWidth && *options.baseWidth % model.widthUnit != 0)
    merger.fail() << "option 'base-width' must be a multiple of "
                  << model.widthUnit << " for the groups of model '"
                  << model.info.name << "', but is " << *options.baseWidth;
  if (options.baseWidth && *options.baseWidth % model.heads != 0)
    merger.fail() << "option 'base-width' must be a multiple of the "
                  << model.heads << " heads of model '" << model.info.name
                  << "', but is " << *options.baseWidth;
}

static std::optional<ModelOptions> complete(Location loc, const Model &model,
                                            const ModelOptions &chosen) {
  const ModelInfo &info = model.info;
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
    checkPatches(model, options, merger);
  if (!merger.hasFailed() && options.patch)
    checkWindows(model, options, merger);
  if (!merger.hasFailed())
    checkWidth(model, options, merger);
  if (merger.hasFailed())
    return std::nullopt;
  return options;
}

/// Builds a model of complete options. Its errors name the layer that an image
/// does not fit; the options of the image are added.
static OwningOpRef<mlir::ModuleOp>
build(MLIRContext &context, const Model &model, const ModelOptions &options) {
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    std::string message = diagnostic.str();
    bool namesOptions = message.find("height") != std::string::npos;
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error || namesOptions)
      return failure();
    if (options.frames && message.find("frames") != std::string::npos) {
      diagnostic << "; clips have " << *options.frames
                 << " frames (option 'frames')";
      return failure();
    }
    diagnostic << "; images are " << *options.height << "x" << *options.width
               << " (options 'height' and 'width')";
    if (options.frames)
      diagnostic << " in clips of " << *options.frames << " (option 'frames')";
    return failure(); // others show it
  });
  return model.make(options)->emit(context);
}

OwningOpRef<mlir::ModuleOp> zoo::buildModel(MLIRContext &context,
                                            llvm::StringRef name,
                                            const ModelOptions &options) {
  Location loc = UnknownLoc::get(&context);
  for (const Model &model : registry()) {
    if (model.info.name != name)
      continue;
    std::optional<ModelOptions> all = complete(loc, model, options);
    return all ? build(context, model, *all) : nullptr;
  }
  InFlightDiagnostic error = emitError(loc) << "no model is named '" << name
                                            << "'; known are ";
  llvm::interleaveComma(listModels(), error,
                        [&](const ModelInfo &info) { error << info.name; });
  return nullptr;
}

OwningOpRef<mlir::ModuleOp> frontend::loadZoo(const frontend::Source &source) {
  return buildModel(source.context, source.name, source.options);
}
