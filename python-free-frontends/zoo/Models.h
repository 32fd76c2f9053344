//===- Models.h - The families of the zoo -------------------------*- C++
//-*-===//
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

/// Which residual block a ResNet has, and how many a stage.
struct ResNetDepth {
  bool bottleneck;
  std::array<int64_t, 4> blocks;
};

std::unique_ptr<nn::Graph> makeResNet(std::string name, ResNetDepth depth,
                                      const ModelOptions &options);
/// Layers of a vision transformer, channels of a token and of its perceptron's
/// middle.
struct VisionTransformerSize {
  int64_t layers, heads;
};

std::unique_ptr<nn::Graph>
makeVisionTransformer(std::string name, const VisionTransformerSize &size,
                      const ModelOptions &options);

/// Of each stage.
struct SwinSize {
  std::array<int64_t, 4> blocks, heads;
  /// (h, w) for images, (d, h, w) for volumes.
  std::vector<int64_t> window;
};

std::unique_ptr<nn::Graph> makeSwin(std::string name, const SwinSize &size,
                                    const ModelOptions &options);
/// Of one image or volume, as a Swin cuts it.
int64_t countPatches(const ModelOptions &options);

/// Of each stage.
using ConvNeXtBlocks = std::array<int64_t, 4>;

std::unique_ptr<nn::Graph> makeConvNeXt(std::string name,
                                        const ConvNeXtBlocks &blocks,
                                        const ModelOptions &options);

/// The probability of skipping block number `block` of `blocks` (a stage each)
/// where it is `last` of the last one.
double depthProbability(double last, int64_t block,
                        llvm::ArrayRef<int64_t> blocks);

std::unique_ptr<nn::Graph> makeMlp(const ModelOptions &options);

} // namespace reprise::zoo

#endif // REPRISE_ZOO_MODELS_H
