//===- AlexNet.cpp - Large first filters, two large layers ----------------===//
//
// Krizhevsky 2014 (arXiv 1404.5997), as in torchvision. Modules and variables
// have torchvision's names. The layers up to each pool are blocks "stage1" to
// "stage3"; the classifier is inline.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"

using namespace reprise;
using namespace reprise::zoo;

namespace {

class AlexNet : public ImageClassifier {
public:
  AlexNet(std::string name, const ModelOptions &options)
      : ImageClassifier(std::move(name), options),
        features(part<StagedChain>("features", annotates())) {
    constexpr nn::PoolGeometry pool = {3, 2, 0};
    constexpr int64_t side = 6, channels = 256, hidden = 4096;
    features.begin();
    addLayer(*options.channels, 64, 11, 4, 2);
    features.layer<nn::MaxPool2d>(pool);
    features.begin();
    addLayer(64, 192, 5, 1, 2);
    features.layer<nn::MaxPool2d>(pool);
    features.begin();
    addLayer(192, 384, 3, 1, 1);
    addLayer(384, channels, 3, 1, 1);
    addLayer(channels, channels, 3, 1, 1);
    features.layer<nn::MaxPool2d>(pool);
    part<nn::AdaptiveAvgPool2d>("avgpool", side);
    part<FlattenedChannels>("flatten");
    endBackbone(channels * side * side);
    auto &classifier = part<nn::Sequential>("classifier");
    classifier.append<nn::Dropout>(*options.dropout);
    classifier.append<nn::Linear>(channels * side * side, hidden);
    classifier.append<nn::ReLU>();
    classifier.append<nn::Dropout>(*options.dropout);
    classifier.append<nn::Linear>(hidden, hidden);
    classifier.append<nn::ReLU>();
    classifier.append<nn::Linear>(hidden, *options.classes);
  }

private:
  void addLayer(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                int64_t padding) {
    nn::Conv2dOptions convolution = convOptions({kernel, stride}, true);
    convolution.geometry.padding = {padding, padding};
    convolution.init = nn::LinearInit::uniform(in * kernel * kernel);
    features.layer<nn::Conv2d>(in, out, convolution);
    features.layer<nn::ReLU>();
  }

  StagedChain &features;
};

} // namespace

void zoo::addAlexNet(ModelList &models) {
  ModelOptions defaults = imageDefaults();
  defaults.dropout = 0.5;
  std::string name = "alexnet";
  models.push_back({{name, "5 convolutions and 3 linear layers", defaults},
                    [=](const ModelOptions &options) {
                      return std::make_unique<AlexNet>(name, options);
                    }});
}
