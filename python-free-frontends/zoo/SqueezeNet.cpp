//===- SqueezeNet.cpp - Few parameters by narrow layers -------------------===//
//
// Iandola et al. 2016 (arXiv 1602.07360), as in torchvision. Modules and
// variables have torchvision's names. The layers up to each pool are blocks
// "stage1" to "stage4" of blocks "features.3", "features.4"...
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

nn::Conv2dOptions convolution(int64_t in, const ConvShape &shape) {
  nn::Conv2dOptions options = convOptions(shape, true);
  double fanIn = double(in * shape.kernel * shape.kernel);
  options.init = {nn::Initializer::uniform(std::sqrt(6.0 / fanIn)),
                  nn::Initializer::zeros()};
  return options;
}

/// A narrow 1x1 convolution, and a 1x1 and a 3x3 one of its result side by
/// side.
class Fire : public nn::Module {
public:
  Fire(int64_t in, int64_t squeezed, int64_t expanded)
      : squeeze(add<nn::Conv2d>("squeeze", in, squeezed, convolution(in, {1}))),
        expand1(add<nn::Conv2d>("expand1x1", squeezed, expanded,
                                convolution(squeezed, {1}))),
        expand3(add<nn::Conv2d>("expand3x3", squeezed, expanded,
                                convolution(squeezed, {3}))) {
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor y = nn::relu(squeeze(x));
    return nn::concat({nn::relu(expand1(y)), nn::relu(expand3(y))}, 3);
  }

private:
  nn::Conv2d &squeeze, &expand1, &expand3;
};

struct Size {
  int64_t stem, kernel;         // channels and kernel of the first convolution
  std::array<int64_t, 3> fires; // after each pool
};

class SqueezeNet : public ImageClassifier {
public:
  SqueezeNet(std::string name, const Size &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    auto &features = part<StagedChain>("features", annotatesStages());
    nn::Conv2dOptions first = convolution(*options.channels, {size.kernel, 2});
    first.geometry.padding = {0, 0};
    features.begin();
    features.layer<nn::Conv2d>(*options.channels, size.stem, first);
    features.layer<nn::ReLU>();
    int64_t channels = size.stem, fire = 0;
    for (int64_t fires : size.fires) {
      features.layer<nn::MaxPool2d>(
          nn::PoolGeometry{3, 2, 0, nn::PoolRounding::Up});
      features.begin();
      for (int64_t i = 0; i < fires; ++i, ++fire) {
        // Each two fires have the same width: 16, 32, 48, 64.
        int64_t squeezed = 16 * (fire / 2 + 1);
        auto &block = features.layer<Fire>(channels, squeezed, 4 * squeezed);
        block.config().activation_checkpointing(annotatesBlocks());
        channels = 8 * squeezed;
      }
    }
    auto &classifier = part<nn::Sequential>("classifier");
    classifier.append<nn::Dropout>(*options.dropout);
    nn::Conv2dOptions last = convOptions({1}, true);
    last.init = normalInit(0.01);
    classifier.append<nn::Conv2d>(channels, *options.classes, last);
    classifier.append<nn::ReLU>();
    classifier.append<nn::GlobalAvgPool>();
    endBackbone(*options.classes);
  }
};

} // namespace

void zoo::addSqueezeNet(ModelList &models) {
  ModelOptions defaults = imageDefaults();
  defaults.dropout = 0.5;
  auto add = [&](std::string name, const Size &size) {
    models.push_back({{name, "8 pairs of narrow and wide layers", defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<SqueezeNet>(name, size,
                                                            options);
                      }});
  };
  add("squeezenet1_0", {96, 7, {3, 4, 1}});
  add("squeezenet1_1", {64, 3, {2, 2, 4}});
}
