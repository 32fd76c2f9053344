//===- Models.h - The families of the zoo -----------------------*- C++ -*-===//
//
// Each takes options that are complete and checked by the registry.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ZOO_MODELS_H
#define REPRISE_ZOO_MODELS_H

#include "reprise/NN/Graph.h"
#include "reprise/Zoo/Zoo.h"
#include <array>
#include <memory>

namespace reprise::zoo {

/// The kind of residual block in a ResNet, and the number of blocks a stage.
struct ResNetDepth {
  bool bottleneck;
  std::array<int64_t, 4> blocks;
};

std::unique_ptr<nn::Graph> makeResNet(std::string name, ResNetDepth depth,
                                      const ModelOptions &options);
/// The layers of a vision transformer, the channels of a token and of the
/// hidden layer of its perceptron.
struct VisionTransformerSize {
  int64_t layers, heads;
};

std::unique_ptr<nn::Graph>
makeVisionTransformer(std::string name, const VisionTransformerSize &size,
                      const ModelOptions &options);

/// One number for each stage.
struct SwinSize {
  std::array<int64_t, 4> blocks, heads;
  /// (h, w) for images, (d, h, w) for volumes.
  std::vector<int64_t> window;
};

std::unique_ptr<nn::Graph> makeSwin(std::string name, const SwinSize &size,
                                    const ModelOptions &options);
/// Returns the number of patches of one image or volume in a Swin.
int64_t countPatches(const ModelOptions &options);

/// One number for each stage.
using ConvNeXtBlocks = std::array<int64_t, 4>;

std::unique_ptr<nn::Graph> makeConvNeXt(std::string name,
                                        const ConvNeXtBlocks &blocks,
                                        const ModelOptions &options);

/// Returns the probability of skipping block number `block` of `blocks` (by
/// stage), which is `last` for the last block.
double depthProbability(double last, int64_t block,
                        llvm::ArrayRef<int64_t> blocks);

std::unique_ptr<nn::Graph> makeMlp(const ModelOptions &options);

} // namespace reprise::zoo

#endif // REPRISE_ZOO_MODELS_H
