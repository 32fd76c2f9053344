//===- MobileNetV3.cpp - Searched networks with hard activations ----------===//
//
// Howard et al. 2019 (arXiv 1905.02244), as in torchvision. Modules and
// variables have torchvision's names. The layers between two reductions of the
// image are blocks "stage1" to "stage5" of blocks "features.1", "features.2"...
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

struct Row {
  int64_t kernel, expanded, out;
  bool excites;
  Activation activation;
  int64_t stride;
};

struct Size {
  std::vector<Row> rows;
  int64_t hidden; // channels between the two layers of the classifier
};

constexpr Activation RE = nn::relu, HS = nn::hardSwish;

const Size kSmall = {{{3, 16, 16, true, RE, 2},
                      {3, 72, 24, false, RE, 2},
                      {3, 88, 24, false, RE, 1},
                      {5, 96, 40, true, HS, 2},
                      {5, 240, 40, true, HS, 1},
                      {5, 240, 40, true, HS, 1},
                      {5, 120, 48, true, HS, 1},
                      {5, 144, 48, true, HS, 1},
                      {5, 288, 96, true, HS, 2},
                      {5, 576, 96, true, HS, 1},
                      {5, 576, 96, true, HS, 1}},
                     1024};

const Size kLarge = {{{3, 16, 16, false, RE, 1},
                      {3, 64, 24, false, RE, 2},
                      {3, 72, 24, false, RE, 1},
                      {5, 72, 40, true, RE, 2},
                      {5, 120, 40, true, RE, 1},
                      {5, 120, 40, true, RE, 1},
                      {3, 240, 80, false, HS, 2},
                      {3, 200, 80, false, HS, 1},
                      {3, 184, 80, false, HS, 1},
                      {3, 184, 80, false, HS, 1},
                      {3, 480, 112, true, HS, 1},
                      {3, 672, 112, true, HS, 1},
                      {5, 672, 160, true, HS, 2},
                      {5, 960, 160, true, HS, 1},
                      {5, 960, 160, true, HS, 1}},
                     1280};

class MobileNetV3 : public ImageClassifier {
public:
  MobileNetV3(std::string name, const Size &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    LayerStyle style = {{0.001, 0.01}, HS};
    SqueezeExcitation::Options excitation;
    excitation.scale = nn::hardSigmoid;
    int64_t channels = 16;
    auto &features = part<StagedChain>("features", annotatesStages());
    features.begin();
    features.layer<ConvNormActivation>(*options.channels, channels,
                                       ConvShape{3, 2}, style);
    for (const Row &row : size.rows) {
      if (row.stride == 2)
        features.begin();
      InvertedShape shape = {channels, row.expanded, row.out, row.kernel,
                             row.stride};
      if (row.excites)
        shape.squeezed = makeDivisible(double(row.expanded / 4));
      auto &block = features.layer<InvertedBottleneck>(
          shape, style.with(row.activation), excitation);
      block.config().activation_checkpointing(annotatesBlocks());
      channels = row.out;
    }
    features.layer<ConvNormActivation>(channels, 6 * channels, ConvShape{1},
                                       style);
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(6 * channels);
    auto &classifier = part<nn::Sequential>("classifier");
    classifier.append<nn::Linear>(6 * channels, size.hidden, normalInit(0.01));
    classifier.append<Activated>(HS);
    classifier.append<nn::Dropout>(*options.dropout);
    classifier.append<nn::Linear>(size.hidden, *options.classes,
                                  normalInit(0.01));
  }
};

} // namespace

void zoo::addMobileNetV3(ModelList &models) {
  ModelOptions defaults = imageDefaults();
  defaults.dropout = 0.2;
  auto add = [&](std::string name, const Size &size) {
    models.push_back({{name,
                       std::to_string(size.rows.size()) +
                           " inverted residuals with squeeze and excitation",
                       defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<MobileNetV3>(name, size,
                                                             options);
                      }});
  };
  add("mobilenet_v3_small", kSmall);
  add("mobilenet_v3_large", kLarge);
}
