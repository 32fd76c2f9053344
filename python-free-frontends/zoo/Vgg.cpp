//===- Vgg.cpp - Chains of 3x3 convolutions -------------------------------===//
//
// Simonyan, Zisserman 2015 (arXiv 1409.1556), as in torchvision. Modules and
// variables have torchvision's names. The layers up to each pool are blocks
// "stage1" to "stage5"; the classifier is inline.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"

using namespace reprise;
using namespace reprise::zoo;

namespace {

constexpr int64_t kWidths[] = {64, 128, 256, 512, 512};

struct Size {
  std::array<int64_t, 5> layers; // of each stage
  bool normalizes;
};

class Vgg : public ImageClassifier {
public:
  Vgg(std::string name, const Size &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    auto &features = part<StagedChain>("features", annotates());
    nn::Conv2dOptions convolution = convOptions({3}, true);
    convolution.init =
        nn::LinearInit{{sg::InitKind::KaimingNormal}, nn::Initializer::zeros()};
    int64_t channels = *options.channels;
    for (auto [layers, width] : llvm::zip(size.layers, kWidths)) {
      features.begin();
      for (int64_t i = 0; i < layers; ++i) {
        features.layer<nn::Conv2d>(channels, width, convolution);
        if (size.normalizes)
          features.layer<nn::BatchNorm2d>(width);
        features.layer<nn::ReLU>();
        channels = width;
      }
      features.layer<nn::MaxPool2d>(nn::PoolGeometry{2, 2, 0});
    }
    constexpr int64_t side = 7, hidden = 4096;
    part<nn::AdaptiveAvgPool2d>("avgpool", side);
    part<FlattenedChannels>("flatten");
    endBackbone(channels * side * side);
    auto &classifier = part<nn::Sequential>("classifier");
    for (int64_t in : {channels * side * side, hidden}) {
      classifier.append<nn::Linear>(in, hidden, normalInit(0.01));
      classifier.append<nn::ReLU>();
      classifier.append<nn::Dropout>(*options.dropout);
    }
    classifier.append<nn::Linear>(hidden, *options.classes, normalInit(0.01));
  }
};

} // namespace

void zoo::addVgg(ModelList &models) {
  ModelOptions defaults = imageDefaults();
  defaults.dropout = 0.5;
  auto add = [&](std::string name, const Size &size) {
    models.push_back(
        {{name,
          std::to_string(sumOf(size.layers)) + " convolutions" +
              (size.normalizes ? ", normalized," : "") + " and 3 linear layers",
          defaults},
         [=](const ModelOptions &options) {
           return std::make_unique<Vgg>(name, size, options);
         }});
  };
  for (bool normalizes : {false, true}) {
    std::string suffix = normalizes ? "_bn" : "";
    add("vgg11" + suffix, {{1, 1, 2, 2, 2}, normalizes});
    add("vgg13" + suffix, {{2, 2, 2, 2, 2}, normalizes});
    add("vgg16" + suffix, {{2, 2, 3, 3, 3}, normalizes});
    add("vgg19" + suffix, {{2, 2, 4, 4, 4}, normalizes});
  }
}
