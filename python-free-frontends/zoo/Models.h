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
std::unique_ptr<nn::Graph> makeMlp(const ModelOptions &options);

} // namespace reprise::zoo

#endif // REPRISE_ZOO_MODELS_H
