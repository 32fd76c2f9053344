//===- DenseNet.cpp - Layers that read the results of all before them -----===//
//
// Huang et al. 2017 (arXiv 1608.06993), as in torchvision. Modules and
// variables have torchvision's names. Blocks are the layers "stem", the stages
// "features.denseblock1" to "features.denseblock4" and their layers
// "features.denseblock1.denselayer1". A layer concatenates what it reads inside
// its block, so that a recomputed one keeps no concatenation (Pleiss et al.
// 2017, arXiv 1707.06990).
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
  nn::Conv2dOptions options = convOptions(shape);
  double fanIn = double(in * shape.kernel * shape.kernel);
  options.init = {nn::Initializer::normal(std::sqrt(2.0 / fanIn)),
                  std::nullopt};
  return options;
}

/// Normalization before a 1x1 and before a 3x3 convolution of all inputs.
class DenseLayer : public nn::Module {
public:
  DenseLayer(int64_t in, int64_t growth)
      : norm1(add<nn::BatchNorm2d>("norm1", in)),
        conv1(add<nn::Conv2d>("conv1", in, 4 * growth, convolution(in, {1}))),
        norm2(add<nn::BatchNorm2d>("norm2", 4 * growth)),
        conv2(add<nn::Conv2d>("conv2", 4 * growth, growth,
                              convolution(4 * growth, {3}))) {
    config().block();
  }

protected:
  nn::Tensors forward(llvm::ArrayRef<Tensor> inputs) override {
    Tensor x = inputs.size() == 1 ? inputs[0] : nn::concat(inputs, 3);
    Tensor narrow = conv1(nn::relu(norm1(x)));
    return {conv2(nn::relu(norm2(narrow)))};
  }

private:
  nn::BatchNorm2d &norm1;
  nn::Conv2d &conv1;
  nn::BatchNorm2d &norm2;
  nn::Conv2d &conv2;
};

/// Layers, each of which reads the input and the results of those before it.
class DenseBlock : public nn::Module {
public:
  DenseBlock(int64_t in, int64_t growth, int64_t count, bool annotatesLayers) {
    for (int64_t i = 0; i < count; ++i) {
      layers.push_back(&add<DenseLayer>("denselayer" + std::to_string(i + 1),
                                        in + i * growth, growth));
      layers.back()->config().activation_checkpointing(annotatesLayers);
    }
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    llvm::SmallVector<Tensor> results = {x};
    for (DenseLayer *layer : layers)
      results.push_back((*layer)(results).front());
    return nn::concat(results, 3);
  }

private:
  llvm::SmallVector<DenseLayer *> layers;
};

struct Size {
  int64_t growth, stem;
  std::array<int64_t, 4> layers;
};

class DenseNet : public ImageClassifier {
public:
  DenseNet(std::string name, const Size &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    auto &features = part<nn::Sequential>("features");
    auto &stem = features.add<nn::Sequential>("");
    stem.add<nn::Conv2d>("conv0", *options.channels, size.stem,
                         convolution(*options.channels, {7, 2}));
    stem.add<nn::BatchNorm2d>("norm0", size.stem);
    stem.add<nn::ReLU>("relu0");
    stem.add<nn::MaxPool2d>("pool0", nn::PoolGeometry{3, 2, 1});
    stem.config().block("stem").activation_checkpointing(annotatesStages());
    int64_t channels = size.stem;
    for (size_t index = 0; index < size.layers.size(); ++index) {
      std::string number = std::to_string(index + 1);
      bool isLast = index + 1 == size.layers.size();
      // The last stage's backward pass begins immediately.
      features
          .add<DenseBlock>("denseblock" + number, channels, size.growth,
                           size.layers[index], annotatesBlocks())
          .config()
          .activation_checkpointing(annotatesStages() && !isLast);
      channels += size.layers[index] * size.growth;
      if (isLast)
        break;
      auto &transition = features.add<nn::Sequential>("transition" + number);
      transition.add<nn::BatchNorm2d>("norm", channels);
      transition.add<nn::ReLU>("relu");
      transition.add<nn::Conv2d>("conv", channels, channels / 2,
                                 convolution(channels, {1}));
      transition.add<nn::AvgPool2d>("pool", nn::PoolGeometry{2, 2, 0});
      channels /= 2;
    }
    features.add<nn::BatchNorm2d>("norm5", channels);
    part<nn::ReLU>("relu");
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(channels);
    nn::LinearInit init = nn::LinearInit::uniform(channels);
    init.bias = nn::Initializer::zeros();
    part<nn::Linear>("classifier", channels, *options.classes, init);
  }
};

} // namespace

void zoo::addDenseNet(ModelList &models) {
  auto add = [&](std::string name, const Size &size) {
    models.push_back({{name,
                       std::to_string(sumOf(size.layers)) +
                           " layers that read those before them",
                       imageDefaults()},
                      [=](const ModelOptions &options) {
                        return std::make_unique<DenseNet>(name, size, options);
                      }});
  };
  add("densenet121", {32, 64, {6, 12, 24, 16}});
  add("densenet161", {48, 96, {6, 12, 36, 24}});
  add("densenet169", {32, 64, {6, 12, 32, 32}});
  add("densenet201", {32, 64, {6, 12, 48, 32}});
}
