//===- Family.h - Families of networks --------------------------*- C++ -*-===//
//
// A family is a line of Families.def and the source file of its name, which
// adds the family's models and the defaults of their options to a list. `make`
// takes options that are complete and checked by the registry.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ZOO_FAMILY_H
#define REPRISE_ZOO_FAMILY_H

#include "reprise/NN/Graph.h"
#include "reprise/NN/MultiView.h"
#include "reprise/Zoo/Zoo.h"
#include <array>
#include <functional>
#include <memory>

namespace reprise::zoo {

struct Model {
  ModelInfo info;
  std::function<std::unique_ptr<nn::Graph>(const ModelOptions &)> make;
  /// The heads of the first block, which share its width equally.
  int64_t heads = 1;
  /// The width must be a multiple of this, so that groups have whole channels.
  int64_t widthUnit = 1;
  /// True if tokens are patches, which must then cover every pixel.
  bool tokensArePatches = false;
  /// True if a constant has a number for each patch, as shifted windows need.
  bool hasWindows = false;
};

using ModelList = std::vector<Model>;

#define FAMILY(NAME) void add##NAME(ModelList &models);
#include "Families.def"
#undef FAMILY

/// Returns the defaults of a classifier of images of `side` x `side` pixels.
ModelOptions imageDefaults(int64_t side = 224);

/// Returns those of a classifier of clips of 16 frames, trained on
/// Kinetics-400.
ModelOptions clipDefaults(int64_t side);

int64_t sumOf(llvm::ArrayRef<int64_t> numbers);

/// Returns the number of patches of one image or volume in a Swin.
int64_t countPatches(const ModelOptions &options);

/// Returns the probability of skipping block number `block` of `blocks` (by
/// stage), which is `last` for the last block.
double depthProbability(double last, int64_t block,
                        llvm::ArrayRef<int64_t> blocks);

} // namespace reprise::zoo

#endif // REPRISE_ZOO_FAMILY_H
