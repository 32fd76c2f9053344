//===- MnasNet.cpp - Searched networks of inverted residuals --------------===//
//
// Tan et al. 2019 (arXiv 1807.11626), variant B1, as in torchvision. Modules
// and variables have torchvision's names. The layers between two reductions of
// the image are blocks "stage1" to "stage5" of blocks "layers.8.0".
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"
#include <cmath>

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

constexpr double kEpsilon = 1e-5, kMomentum = 1 - 0.9997;

class InvertedResidual : public nn::Module {
public:
  InvertedResidual(int64_t in, int64_t out, int64_t expansion,
                   const ConvShape &filter)
      : layers(add<nn::Sequential>("layers")),
        isResidual(filter.stride == 1 && in == out) {
    int64_t hidden = in * expansion;
    layer(in, hidden, {1});
    layers.append<nn::ReLU>();
    layer(hidden, hidden, {filter.kernel, filter.stride, hidden});
    layers.append<nn::ReLU>();
    layer(hidden, out, {1});
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor y = layers(x);
    return isResidual ? y + x : y;
  }

private:
  void layer(int64_t in, int64_t out, const ConvShape &shape) {
    layers.append<nn::Conv2d>(in, out, convOptions(shape));
    layers.append<nn::BatchNorm2d>(out, kEpsilon, kMomentum);
  }

  nn::Sequential &layers;
  bool isResidual;
};

struct Stack {
  int64_t channels, kernel, stride, expansion, blocks;
};

constexpr Stack kStacks[] = {{24, 3, 2, 3, 3},  {40, 5, 2, 3, 3},
                             {80, 5, 2, 6, 3},  {96, 3, 1, 6, 2},
                             {192, 5, 2, 6, 4}, {320, 3, 1, 6, 1}};

class MnasNet : public ImageClassifier {
public:
  MnasNet(std::string name, double width, const ModelOptions &options)
      : ImageClassifier(std::move(name), options),
        layers(part<StagedChain>("layers", annotatesStages())) {
    int64_t stem = makeDivisible(32 * width),
            channels = makeDivisible(16 * width);
    constexpr int64_t last = 1280;
    layers.begin();
    layer(*options.channels, stem, {3, 2});
    layers.layer<nn::ReLU>();
    layer(stem, stem, {3, 1, stem});
    layers.layer<nn::ReLU>();
    layer(stem, channels, {1});
    for (const Stack &stack : kStacks) {
      if (stack.stride == 2)
        layers.begin();
      int64_t out = makeDivisible(double(stack.channels) * width);
      auto &chain = layers.layer<nn::Sequential>();
      for (int64_t i = 0; i < stack.blocks; ++i) {
        auto &block = chain.append<InvertedResidual>(
            channels, out, stack.expansion,
            ConvShape{stack.kernel, i == 0 ? stack.stride : 1});
        block.config().activation_checkpointing(annotatesBlocks());
        channels = out;
      }
    }
    layer(channels, last, {1});
    layers.layer<nn::ReLU>();
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(last);
    auto &classifier = part<nn::Sequential>("classifier");
    classifier.append<nn::Dropout>(*options.dropout);
    double bound = std::sqrt(3.0 / double(*options.classes));
    classifier.append<nn::Linear>(
        last, *options.classes,
        nn::LinearInit{nn::Initializer::uniform(bound),
                       nn::Initializer::zeros()});
  }

private:
  void layer(int64_t in, int64_t out, const ConvShape &shape) {
    layers.layer<nn::Conv2d>(in, out, convOptions(shape));
    layers.layer<nn::BatchNorm2d>(out, kEpsilon, kMomentum);
  }

  StagedChain &layers;
};

} // namespace

void zoo::addMnasNet(ModelList &models) {
  ModelOptions defaults = imageDefaults();
  defaults.dropout = 0.2;
  auto add = [&](std::string name, double width) {
    models.push_back({{name, "16 inverted residuals", defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<MnasNet>(name, width, options);
                      }});
  };
  add("mnasnet0_5", 0.5);
  add("mnasnet0_75", 0.75);
  add("mnasnet1_0", 1.0);
  add("mnasnet1_3", 1.3);
}
