//===- Registry.cpp - The zoo's models by name ----------------------------===//

#include "Models.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

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
  std::unique_ptr<nn::Graph> (*make)(const ModelOptions &);
};
} // namespace

static ModelOptions resNetDefaults() {
  ModelOptions options;
  options.batch = 8;
  options.classes = 1000;
  options.height = options.width = 224;
  options.channels = 3;
  options.baseWidth = 64;
  options.stem = Stem::ImageNet;
  options.dropout = 0.0;
  options.annotate = Annotate::Stages;
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

static const std::vector<Entry> &registry() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    all.push_back({{"mlp",
                    "the two-part perceptron of OneFlow's guide to activation "
                    "checkpointing",
                    mlpDefaults()},
                   [](const ModelOptions &o) { return makeMlp(o); }});
    auto resNet = [&](std::string name, std::string blocks, auto make) {
      all.push_back(
          {{std::move(name), "residual network of " + blocks, resNetDefaults()},
           make});
    };
    resNet("resnet18", "8 basic blocks", [](const ModelOptions &o) {
      return makeResNet("resnet18", {false, {2, 2, 2, 2}}, o);
    });
    resNet("resnet34", "16 basic blocks", [](const ModelOptions &o) {
      return makeResNet("resnet34", {false, {3, 4, 6, 3}}, o);
    });
    resNet("resnet50", "16 bottlenecks", [](const ModelOptions &o) {
      return makeResNet("resnet50", {true, {3, 4, 6, 3}}, o);
    });
    resNet("resnet101", "33 bottlenecks", [](const ModelOptions &o) {
      return makeResNet("resnet101", {true, {3, 4, 23, 3}}, o);
    });
    resNet("resnet152", "50 bottlenecks", [](const ModelOptions &o) {
      return makeResNet("resnet152", {true, {3, 8, 36, 3}}, o);
    });
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

  /// Takes `chosen` for `value`, if the model has this option.
  template <typename T>
  void merge(llvm::StringRef name, std::optional<T> &value,
             const std::optional<T> &chosen) {
    if (chosen && !value)
      fail() << "model '" << model << "' has no option '" << name << "'";
    else if (chosen)
      value = chosen;
  }

  /// As merge, of an extent.
  void mergeExtent(llvm::StringRef name, std::optional<int64_t> &value,
                   const std::optional<int64_t> &chosen) {
    merge(name, value, chosen);
    if (value && (*value < 1 || *value > kLargestExtent))
      fail() << "option '" << name << "' must be between 1 and "
             << kLargestExtent << ", but is " << *value;
  }

  InFlightDiagnostic fail() {
    failed = true;
    return emitError(loc);
  }
  bool hasFailed() const { return failed; }

private:
  /// Keeps element counts far from 64 bits.
  static constexpr int64_t kLargestExtent = 65536;

  Location loc;
  llvm::StringRef model;
  bool failed = false;
};
} // namespace

static std::optional<ModelOptions> complete(Location loc, const ModelInfo &info,
                                            const ModelOptions &chosen) {
  ModelOptions options = info.defaults;
  OptionMerger merger(loc, info.name);
  merger.mergeExtent("batch", options.batch, chosen.batch);
  merger.mergeExtent("classes", options.classes, chosen.classes);
  merger.mergeExtent("height", options.height, chosen.height);
  merger.mergeExtent("width", options.width, chosen.width);
  merger.mergeExtent("channels", options.channels, chosen.channels);
  merger.mergeExtent("base-width", options.baseWidth, chosen.baseWidth);
  merger.merge("stem", options.stem, chosen.stem);
  merger.merge("dropout", options.dropout, chosen.dropout);
  merger.merge("annotate", options.annotate, chosen.annotate);
  if (options.dropout && !(*options.dropout >= 0.0 && *options.dropout < 1.0))
    merger.fail() << "option 'dropout' must be in [0, 1), but is "
                  << *options.dropout;
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
    std::optional<ModelOptions> all = complete(loc, entry.info, options);
    return all ? entry.make(*all)->emit(context) : nullptr;
  }
  InFlightDiagnostic error = emitError(loc) << "no model is named '" << name
                                            << "'; known are ";
  llvm::interleaveComma(listModels(), error,
                        [&](const ModelInfo &info) { error << info.name; });
  return nullptr;
}
