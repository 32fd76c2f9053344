//===- MobileNetV2.cpp - Inverted residuals with linear bottlenecks -------===//
//
// Sandler et al. 2018 (arXiv 1801.04381), as in torchvision. Modules and
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

const LayerStyle kStyle = {{}, nn::relu6};

/// Blocks that widen their input `expansion` times, filter each channel and
/// narrow the result. The first has stride `stride`.
struct Group {
  int64_t expansion, channels, blocks, stride;
};

constexpr Group kGroups[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                             {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                             {6, 320, 1, 1}};

class InvertedResidual : public nn::Module {
public:
  InvertedResidual(int64_t in, int64_t out, int64_t expansion, int64_t stride)
      : conv(add<nn::Sequential>("conv")),
        isResidual(stride == 1 && in == out) {
    int64_t hidden = in * expansion;
    if (expansion != 1)
      conv.append<ConvNormActivation>(in, hidden, ConvShape{1}, kStyle);
    conv.append<ConvNormActivation>(hidden, hidden,
                                    ConvShape{3, stride, hidden}, kStyle);
    conv.append<nn::Conv2d>(hidden, out, convOptions({1}));
    conv.append<nn::BatchNorm2d>(out);
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor y = conv(x);
    return isResidual ? x + y : y;
  }

private:
  nn::Sequential &conv;
  bool isResidual;
};

class MobileNetV2 : public ImageClassifier {
public:
  MobileNetV2(std::string name, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    int64_t channels = 32, last = 1280;
    auto &features = part<StagedChain>("features", annotatesStages());
    features.begin();
    features.layer<ConvNormActivation>(*options.channels, channels,
                                       ConvShape{3, 2}, kStyle);
    for (const Group &group : kGroups)
      for (int64_t block = 0; block < group.blocks; ++block) {
        int64_t stride = block == 0 ? group.stride : 1;
        if (stride == 2)
          features.begin();
        auto &residual = features.layer<InvertedResidual>(
            channels, group.channels, group.expansion, stride);
        residual.config().activation_checkpointing(annotatesBlocks());
        channels = group.channels;
      }
    features.layer<ConvNormActivation>(channels, last, ConvShape{1}, kStyle);
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(last);
    auto &classifier = part<nn::Sequential>("classifier");
    classifier.append<nn::Dropout>(*options.dropout);
    classifier.append<nn::Linear>(last, *options.classes, normalInit(0.01));
  }
};

} // namespace

void zoo::addMobileNetV2(ModelList &models) {
  ModelOptions defaults = imageDefaults();
  defaults.dropout = 0.2;
  std::string name = "mobilenet_v2";
  models.push_back({{name, "17 inverted residuals", defaults},
                    [=](const ModelOptions &options) {
                      return std::make_unique<MobileNetV2>(name, options);
                    }});
}
