//===- EfficientNet.cpp - Networks scaled in width, depth and resolution --===//
//
// Tan, Le 2019 (arXiv 1905.11946) and 2021 (arXiv 2104.00298), as in
// torchvision. Modules and variables have torchvision's names: "features.0" is
// the stem, then come the stages, which are blocks "features.1" of residual
// blocks "features.1.0", and a 1x1 convolution.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"
#include <cmath>

using namespace reprise;
using namespace reprise::zoo;

namespace {

struct Stage {
  int64_t expansion, kernel, stride, out, blocks;
  bool fused = false; // without squeeze and excitation
};

struct Size {
  int64_t stem;
  std::vector<Stage> stages;
  int64_t last; // channels of the last convolution
  NormOptions norm;
};

/// Returns B0 with `width` times its channels and `depth` times its blocks.
Size scaled(double width, double depth, NormOptions norm = {}) {
  Size size = {makeDivisible(32 * width), {}, 0, norm};
  for (Stage stage :
       {Stage{1, 3, 1, 16, 1}, Stage{6, 3, 2, 24, 2}, Stage{6, 5, 2, 40, 2},
        Stage{6, 3, 2, 80, 3}, Stage{6, 5, 1, 112, 3}, Stage{6, 5, 2, 192, 4},
        Stage{6, 3, 1, 320, 1}}) {
    stage.out = makeDivisible(double(stage.out) * width);
    stage.blocks = int64_t(std::ceil(double(stage.blocks) * depth));
    size.stages.push_back(stage);
  }
  size.last = 4 * size.stages.back().out;
  return size;
}

const NormOptions kWide = {0.001, 0.1}, kSlow = {0.001, 0.01};

const Size kSmall = {24,
                     {{1, 3, 1, 24, 2, true},
                      {4, 3, 2, 48, 4, true},
                      {4, 3, 2, 64, 4, true},
                      {4, 3, 2, 128, 6},
                      {6, 3, 1, 160, 9},
                      {6, 3, 2, 256, 15}},
                     1280,
                     kWide};
const Size kMedium = {24,
                      {{1, 3, 1, 24, 3, true},
                       {4, 3, 2, 48, 5, true},
                       {4, 3, 2, 80, 5, true},
                       {4, 3, 2, 160, 7},
                       {6, 3, 1, 176, 14},
                       {6, 3, 2, 304, 18},
                       {6, 3, 1, 512, 5}},
                      1280,
                      kWide};
const Size kLarge = {32,
                     {{1, 3, 1, 32, 4, true},
                      {4, 3, 2, 64, 7, true},
                      {4, 3, 2, 96, 7, true},
                      {4, 3, 2, 192, 10},
                      {6, 3, 1, 224, 19},
                      {6, 3, 2, 384, 25},
                      {6, 3, 1, 640, 7}},
                     1280,
                     kWide};

int64_t countBlocks(const Size &size) {
  int64_t count = 0;
  for (const Stage &stage : size.stages)
    count += stage.blocks;
  return count;
}

class EfficientNet : public ImageClassifier {
public:
  EfficientNet(std::string name, const Size &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options), style{size.norm, nn::silu},
        blocks(countBlocks(size)), features(part<nn::Sequential>("features")) {
    auto &stem = features.append<ConvNormActivation>(
        *options.channels, size.stem, ConvShape{3, 2}, style);
    stem.config().block().activation_checkpointing(annotatesStages());
    int64_t channels = size.stem;
    for (const Stage &stage : size.stages) {
      // The last stage's backward pass begins immediately.
      bool isLast = &stage == &size.stages.back();
      addStage(stage, channels)
          .config()
          .block()
          .activation_checkpointing(annotatesStages() && !isLast);
      channels = stage.out;
    }
    features.append<ConvNormActivation>(channels, size.last, ConvShape{1},
                                        style);
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(size.last);
    auto &classifier = part<nn::Sequential>("classifier");
    classifier.append<nn::Dropout>(*options.dropout);
    double bound = 1.0 / std::sqrt(double(*options.classes));
    classifier.append<nn::Linear>(
        size.last, *options.classes,
        nn::LinearInit{nn::Initializer::uniform(bound),
                       nn::Initializer::zeros()});
  }

private:
  nn::Sequential &addStage(const Stage &stage, int64_t in) {
    auto &chain = features.append<nn::Sequential>();
    SqueezeExcitation::Options excitation;
    excitation.activation = nn::silu;
    for (int64_t i = 0; i < stage.blocks; ++i) {
      InvertedShape shape = {in, makeDivisible(double(in * stage.expansion)),
                             stage.out, stage.kernel,
                             i == 0 ? stage.stride : 1};
      shape.fused = stage.fused;
      shape.squeezed = stage.fused ? 0 : std::max<int64_t>(1, in / 4);
      // Block i of n skips with i / n of the probability, as in torchvision.
      double depth =
          *options.stochasticDepth * double(blocksSoFar++) / double(blocks);
      auto &block =
          chain.append<InvertedBottleneck>(shape, style, excitation, depth);
      block.config().activation_checkpointing(annotatesBlocks());
      in = stage.out;
    }
    return chain;
  }

  LayerStyle style;
  int64_t blocks, blocksSoFar = 0;
  nn::Sequential &features;
};

} // namespace

void zoo::addEfficientNet(ModelList &models) {
  auto add = [&](std::string name, int64_t side, double dropout,
                 const Size &size) {
    ModelOptions defaults = imageDefaults(side);
    defaults.dropout = dropout;
    defaults.stochasticDepth = 0.2;
    models.push_back({{name,
                       std::to_string(countBlocks(size)) +
                           " inverted bottlenecks with squeeze and excitation",
                       defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<EfficientNet>(name, size,
                                                              options);
                      }});
  };
  add("efficientnet_b0", 224, 0.2, scaled(1.0, 1.0));
  add("efficientnet_b1", 240, 0.2, scaled(1.0, 1.1));
  add("efficientnet_b2", 288, 0.3, scaled(1.1, 1.2));
  add("efficientnet_b3", 300, 0.3, scaled(1.2, 1.4));
  add("efficientnet_b4", 380, 0.4, scaled(1.4, 1.8));
  add("efficientnet_b5", 456, 0.4, scaled(1.6, 2.2, kSlow));
  add("efficientnet_b6", 528, 0.5, scaled(1.8, 2.6, kSlow));
  add("efficientnet_b7", 600, 0.5, scaled(2.0, 3.1, kSlow));
  add("efficientnet_v2_s", 384, 0.2, kSmall);
  add("efficientnet_v2_m", 480, 0.3, kMedium);
  add("efficientnet_v2_l", 480, 0.4, kLarge);
}
