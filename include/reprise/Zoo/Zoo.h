//===- Zoo.h - Known networks -----------------------------------*- C++ -*-===//
#ifndef REPRISE_ZOO_ZOO_H
#define REPRISE_ZOO_ZOO_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <string>
#include <vector>

namespace reprise::nn {
enum class ViewPooling;
} // namespace reprise::nn

namespace reprise::zoo {

/// The first layers of an image network: a 7x7 convolution of stride 2 and a
/// 3x3 pool of stride 2, or a 3x3 convolution alone for small images.
enum class Stem { ImageNet, Cifar };

/// The blocks that are annotated for activation checkpointing: none, the stem
/// and each stage of the network but the last, whose backward pass begins at
/// once, or each residual block (of a network without them, each stage).
enum class Annotate { None, Stages, Blocks };

std::optional<Stem> parseStem(llvm::StringRef text);
std::optional<Annotate> parseAnnotate(llvm::StringRef text);
llvm::StringRef stringify(Stem stem);
llvm::StringRef stringify(Annotate annotate);

std::optional<nn::ViewPooling> parseViewPooling(llvm::StringRef text);

/// The limit of every extent; it keeps element counts far below 64 bits.
inline constexpr int64_t kLargestExtent = 65536;

/// Options of a network in a file, which the zoo's models do not have.
struct FileOptions {
  /// The whole shapes of inputs, in the file's layout, by name.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// The numbers of inputs that are constants of the model, by name.
  std::map<std::string, std::vector<double>> values;
  /// The loss, the output that it reads, and its input of labels or targets.
  std::optional<std::string> loss, logits, label;
};

/// A user's options. Empty means the model's default; in a model's defaults, it
/// means that the model has no such option.
struct ModelOptions {
  /// Images per step.
  std::optional<int64_t> batch;
  std::optional<int64_t> classes;
  /// The image's extents.
  std::optional<int64_t> height, width, channels;
  /// Channels of the first stage; later stages have 2, 4 and 8 times as many.
  std::optional<int64_t> baseWidth;
  std::optional<Stem> stem;
  /// Images of a volume, one after the other.
  std::optional<int64_t> frames;
  /// Images of one case, whose features are pooled; 1: a case is an image. If
  /// there are several, the input "image" is
  /// (batch,views,height,width,channels).
  std::optional<int64_t> views;
  std::optional<nn::ViewPooling> viewPooling;
  /// Side of the patches that the first layer turns into tokens.
  std::optional<int64_t> patch;
  /// Probability of the dropout before the last layers, or after every linear
  /// layer of a vision transformer; 0 for none.
  std::optional<double> dropout;
  /// Probability of dropping a weight of attention.
  std::optional<double> attentionDropout;
  /// The probability that a sample skips the last block; that of other blocks
  /// grows up to it from 0 at the first.
  std::optional<double> stochasticDepth;
  std::optional<Annotate> annotate;
  FileOptions file;
};

struct ModelInfo {
  std::string name;
  std::string description;
  ModelOptions defaults;
};

/// All models, in the order to list them.
llvm::ArrayRef<ModelInfo> listModels();

/// A model's training graph: inputs "image" (batch,height,width,channels) and
/// "label" (batch), results "loss" and "logits". Null after an error, which is
/// reported to the context: an unknown model, an option that the model does not
/// have or a value that does not fit it.
mlir::OwningOpRef<mlir::ModuleOp> buildModel(mlir::MLIRContext &context,
                                             llvm::StringRef name,
                                             const ModelOptions &options = {});

struct ModelStatistics {
  /// Elements of all variables of role parameter.
  uint64_t parameters = 0;
  /// Multiply-adds of convolutions and matrix products in one forward pass.
  uint64_t multiplyAdds = 0;
};

/// Counts a model, before differentiation.
ModelStatistics modelStatistics(mlir::ModuleOp module);

} // namespace reprise::zoo

#endif // REPRISE_ZOO_ZOO_H
