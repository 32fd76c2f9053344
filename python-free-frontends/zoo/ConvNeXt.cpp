//===- ConvNeXt.cpp - Convolutional networks in the style of transformers -===//
//
// Liu et al. 2022 (arXiv 2201.03545), as in torchvision: "features" 1, 3, 5 and
// 7 are stages, 2, 4 and 6 halve the image. Modules and variables have
// torchvision's names. The stages are blocks "features.1" of residual blocks
// "features.1.0".
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "reprise/NN/Attention.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// One number for each stage.
using ConvNeXtBlocks = std::array<int64_t, 4>;

constexpr double kEpsilon = 1e-6;
constexpr double kLayerScale = 1e-6;

nn::LinearInit published() {
  return {nn::Initializer::normal(0.02), nn::Initializer::zeros()};
}

nn::Conv2dOptions convolution(int64_t kernel, int64_t stride, int64_t padding,
                              int64_t groups) {
  nn::Conv2dOptions options;
  options.kernel = {kernel, kernel};
  options.geometry.stride = {stride, stride};
  options.geometry.padding = {padding, padding};
  options.geometry.groups = groups;
  options.bias = true;
  options.init = published();
  return options;
}

/// Depthwise 7x7, norm, expansion to four times the channels and back, scaled
/// by a vector with small initial values.
class ConvNeXtBlock : public nn::Module {
public:
  ConvNeXtBlock(int64_t channels, double stochasticDepth)
      : block(add<nn::Sequential>("block")),
        depth(add<nn::StochasticDepth>("stochastic_depth", stochasticDepth)) {
    // torchvision's 1 and 6 change the layout to the one that is used here
    // throughout.
    spatial = &block.add<nn::Conv2d>("0", channels, channels,
                                     convolution(7, 1, 3, channels));
    norm = &block.add<nn::LayerNorm>("2", channels, kEpsilon);
    widen = &block.add<nn::Linear>("3", channels, 4 * channels, published());
    narrow = &block.add<nn::Linear>("5", 4 * channels, channels, published());
    registerVariable({"layer_scale",
                      {1, 1, channels},
                      sg::Role::Parameter,
                      sg::InitKind::Constant,
                      kLayerScale,
                      {2, 0, 1}});
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor y = (*narrow)(nn::gelu((*widen)((*norm)((*spatial)(x)))));
    Tensor factor = read(x.getTrace(), "layer_scale");
    Tensor scaled = nn::mulTrailing(y, nn::reshape(factor, {factor.dim(2)}));
    return depth(scaled) + x;
  }

private:
  nn::Sequential &block;
  nn::StochasticDepth &depth;
  nn::Conv2d *spatial;
  nn::LayerNorm *norm;
  nn::Linear *widen, *narrow;
};

class ConvNeXt : public nn::Graph {
public:
  ConvNeXt(std::string name, const ConvNeXtBlocks &blocks,
           const ModelOptions &options)
      : Graph(std::move(name)), features(add<nn::Sequential>("features")) {
    input("image", imageExtents(options));
    input("label", {*options.batch}, ElementType::I32, sg::BindingRole::Label);
    auto &stem = features.append<nn::Sequential>();
    int64_t patch = *options.patch;
    stem.append<nn::Conv2d>(*options.channels, *options.baseWidth,
                            convolution(patch, patch, 0, 1));
    stem.append<nn::LayerNorm>(*options.baseWidth, kEpsilon);
    stem.config().block().activation_checkpointing(*options.annotate ==
                                                   Annotate::Stages);
    for (size_t stage = 0; stage < blocks.size(); ++stage)
      addStage(stage, blocks, options);
    int64_t width = *options.baseWidth << (blocks.size() - 1);
    avgpool = &add<nn::GlobalAvgPool>("avgpool");
    views = addViewPool(*this, options, width);
    classifier = &add<nn::Sequential>("classifier");
    classifier->add<nn::LayerNorm>("0", width, kEpsilon);
    classifier->add<nn::Linear>("2", width, *options.classes, published());
    loss = &add<nn::CrossEntropyLoss>("loss");
  }

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    Tensor x = features(viewsOf(inputs[0], views));
    Tensor logits = (*classifier)(poolViews((*avgpool)(x), views));
    return {
        {"loss", (*loss)({logits, inputs[1]}).front(), sg::BindingRole::Loss},
        {"logits", logits, sg::BindingRole::Logits}};
  }

private:
  void addStage(size_t index, const ConvNeXtBlocks &blocks,
                const ModelOptions &options) {
    int64_t width = *options.baseWidth << index;
    if (index > 0) {
      auto &halve = features.append<nn::Sequential>();
      halve.append<nn::LayerNorm>(width / 2, kEpsilon);
      halve.append<nn::Conv2d>(width / 2, width, convolution(2, 2, 0, 1));
    }
    auto &stage = features.append<nn::Sequential>();
    for (int64_t i = 0; i < blocks[index]; ++i) {
      auto &block = stage.append<ConvNeXtBlock>(
          width,
          depthProbability(*options.stochasticDepth, blocksSoFar++, blocks));
      block.config().activation_checkpointing(*options.annotate ==
                                              Annotate::Blocks);
    }
    // The last stage's backward pass begins immediately.
    bool isLast = index + 1 == blocks.size();
    stage.config().block().activation_checkpointing(
        *options.annotate == Annotate::Stages && !isLast);
  }

  nn::Sequential &features;
  int64_t blocksSoFar = 0;
  nn::GlobalAvgPool *avgpool = nullptr;
  nn::ViewPool *views = nullptr;
  nn::Sequential *classifier = nullptr;
  nn::CrossEntropyLoss *loss = nullptr;
};

} // namespace

void zoo::addConvNeXt(ModelList &models) {
  auto add = [&](std::string name, int64_t width, double depth,
                 ConvNeXtBlocks blocks) {
    ModelOptions defaults = imageDefaults();
    defaults.patch = 4;
    defaults.stochasticDepth = depth;
    defaults.baseWidth = width;
    models.push_back({{name,
                       "ConvNet of " + std::to_string(sumOf(blocks)) +
                           " transformer-style blocks",
                       std::move(defaults)},
                      [=](const ModelOptions &options) {
                        return std::make_unique<ConvNeXt>(name, blocks,
                                                          options);
                      }});
  };
  add("convnext_tiny", 96, 0.1, {3, 3, 9, 3});
  add("convnext_small", 96, 0.4, {3, 3, 27, 3});
  add("convnext_base", 128, 0.5, {3, 3, 27, 3});
  add("convnext_large", 192, 0.5, {3, 3, 27, 3});
}
