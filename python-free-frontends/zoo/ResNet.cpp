//===- ResNet.cpp - Residual networks -------------------------------------===//
//
// He et al. 2016 (arXiv 1512.03385), as in torchvision: a bottleneck's stride
// is on its 3x3 convolution. Modules and variables have torchvision's names.
// The first layers are the block "stem", the stages "layer1" to "layer4" blocks
// of residual blocks "layer1.0"; the head is inline.
//
//===----------------------------------------------------------------------===//

#include "Views.h"

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// The kind of residual block in a ResNet, and the number of blocks a stage.
struct ResNetDepth {
  bool bottleneck;
  std::array<int64_t, 4> blocks;
  /// The groups of a bottleneck's 3x3 convolution, and its channels in those of
  /// a plain ResNet (Xie et al. 2017, arXiv 1611.05431; Zagoruyko, Komodakis
  /// 2016, arXiv 1605.07146).
  int64_t groups = 1, widening = 1;
};

nn::Conv2dOptions square(int64_t kernel, int64_t stride) {
  nn::Conv2dOptions options;
  options.kernel = {kernel, kernel};
  options.geometry.stride = {stride, stride};
  options.geometry.padding = {kernel / 2, kernel / 2};
  return options;
}

/// A shortcut for a block that changes the image's size or its channels.
std::shared_ptr<nn::Sequential> makeShortcut(int64_t in, int64_t out,
                                             int64_t stride) {
  auto shortcut = std::make_shared<nn::Sequential>();
  shortcut->append<nn::Conv2d>(in, out, square(1, stride));
  shortcut->append<nn::BatchNorm2d>(out);
  return shortcut;
}

/// Two 3x3 convolutions, or a 1x1, a 3x3 and a 1x1 with four times the
/// channels, and the sum with the input.
class ResidualBlock : public nn::Module {
public:
  ResidualBlock(const ResNetDepth &depth, int64_t in, int64_t channels,
                int64_t stride) {
    int64_t out = depth.bottleneck ? 4 * channels : channels;
    if (depth.bottleneck) {
      int64_t width = channels * depth.widening;
      nn::Conv2dOptions grouped = square(3, stride);
      grouped.geometry.groups = depth.groups;
      layer(in, width, square(1, 1));
      layer(width, width, grouped);
      layer(width, out, square(1, 1));
    } else {
      layer(in, channels, square(3, stride));
      layer(channels, channels, square(3, 1));
    }
    relu = &add<nn::ReLU>("relu");
    if (stride != 1 || in != out)
      shortcut = &registerModule("downsample", makeShortcut(in, out, stride));
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor y = x;
    for (auto [index, layer] : llvm::enumerate(layers)) {
      y = (*layer.norm)((*layer.conv)(y));
      if (index + 1 < layers.size())
        y = (*relu)(y);
    }
    return (*relu)(y + (shortcut ? (*shortcut)(x) : x));
  }

private:
  struct Layer {
    nn::Conv2d *conv;
    nn::BatchNorm2d *norm;
  };

  void layer(int64_t in, int64_t out, const nn::Conv2dOptions &options) {
    std::string number = std::to_string(layers.size() + 1);
    auto &conv = add<nn::Conv2d>("conv" + number, in, out, options);
    auto &norm = add<nn::BatchNorm2d>("bn" + number, out);
    layers.push_back({&conv, &norm});
  }

  llvm::SmallVector<Layer> layers;
  nn::ReLU *relu = nullptr;
  nn::Sequential *shortcut = nullptr;
};

/// The layers before the first stage. Its children have the network's names.
class ResNetStem : public nn::Module {
public:
  ResNetStem(Stem stem, int64_t in, int64_t out)
      : conv1(add<nn::Conv2d>("conv1", in, out,
                              stem == Stem::ImageNet ? square(7, 2)
                                                     : square(3, 1))),
        bn1(add<nn::BatchNorm2d>("bn1", out)), relu(add<nn::ReLU>("relu")) {
    if (stem == Stem::ImageNet)
      maxpool = &add<nn::MaxPool2d>("maxpool", nn::PoolGeometry{3, 2, 1});
    config().block("stem");
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor y = relu(bn1(conv1(x)));
    return maxpool ? (*maxpool)(y) : y;
  }

private:
  nn::Conv2d &conv1;
  nn::BatchNorm2d &bn1;
  nn::ReLU &relu;
  nn::MaxPool2d *maxpool = nullptr;
};

class ResNet : public nn::Graph {
public:
  ResNet(std::string name, ResNetDepth depth, const ModelOptions &options)
      : Graph(std::move(name)),
        stem(add<ResNetStem>("", *options.stem, *options.channels,
                             *options.baseWidth)) {
    input("image", imageExtents(options));
    input("label", {*options.batch}, ElementType::I32, sg::BindingRole::Label);
    stem.config().activation_checkpointing(*options.annotate ==
                                           Annotate::Stages);
    int64_t channels = *options.baseWidth;
    for (size_t stage = 0; stage < depth.blocks.size(); ++stage)
      channels = addStage(stage, depth, channels, options);
    avgpool = &add<nn::GlobalAvgPool>("avgpool");
    views = addViewPool(*this, options, channels);
    dropout = &add<nn::Dropout>("dropout", *options.dropout);
    fc = &add<nn::Linear>("fc", channels, *options.classes);
    loss = &add<nn::CrossEntropyLoss>("loss");
  }

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    Tensor x = stem(viewsOf(inputs[0], views));
    for (nn::Sequential *stage : stages)
      x = (*stage)(x);
    Tensor features = poolViews((*avgpool)(x), views);
    Tensor logits = (*fc)((*dropout)(features));
    return {
        {"loss", (*loss)({logits, inputs[1]}).front(), sg::BindingRole::Loss},
        {"logits", logits, sg::BindingRole::Logits}};
  }

private:
  /// Adds a stage for an input of `in` channels; returns its result's.
  int64_t addStage(size_t index, ResNetDepth depth, int64_t in,
                   const ModelOptions &options) {
    auto &stage = add<nn::Sequential>("layer" + std::to_string(index + 1));
    int64_t channels = *options.baseWidth << index;
    for (int64_t block = 0; block < depth.blocks[index]; ++block) {
      int64_t stride = index > 0 && block == 0 ? 2 : 1;
      auto &residual = stage.append<ResidualBlock>(depth, in, channels, stride);
      residual.config().activation_checkpointing(*options.annotate ==
                                                 Annotate::Blocks);
      in = depth.bottleneck ? 4 * channels : channels;
    }
    // The last stage's backward pass begins immediately: recomputing the stage
    // would take time and save nothing.
    bool isLast = index + 1 == depth.blocks.size();
    stage.config().block().activation_checkpointing(
        *options.annotate == Annotate::Stages && !isLast);
    stages.push_back(&stage);
    return in;
  }

  ResNetStem &stem;
  llvm::SmallVector<nn::Sequential *> stages;
  nn::GlobalAvgPool *avgpool = nullptr;
  nn::ViewPool *views = nullptr;
  nn::Dropout *dropout = nullptr;
  nn::Linear *fc = nullptr;
  nn::CrossEntropyLoss *loss = nullptr;
};

} // namespace

void zoo::addResNet(ModelList &models) {
  ModelOptions defaults = imageDefaults();
  defaults.baseWidth = 64;
  defaults.stem = Stem::ImageNet;
  defaults.dropout = 0.0;
  auto add = [&](std::string name, std::string blocks, ResNetDepth depth) {
    models.push_back({{name, "residual network of " + blocks, defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<ResNet>(name, depth, options);
                      },
                      /*heads=*/1,
                      std::max<int64_t>(depth.groups / depth.widening, 1)});
  };
  add("resnet18", "8 basic blocks", {false, {2, 2, 2, 2}});
  add("resnet34", "16 basic blocks", {false, {3, 4, 6, 3}});
  add("resnet50", "16 bottlenecks", {true, {3, 4, 6, 3}});
  add("resnet101", "33 bottlenecks", {true, {3, 4, 23, 3}});
  add("resnet152", "50 bottlenecks", {true, {3, 8, 36, 3}});
  add("resnext50_32x4d", "16 grouped bottlenecks", {true, {3, 4, 6, 3}, 32, 2});
  add("resnext101_32x8d", "33 grouped bottlenecks",
      {true, {3, 4, 23, 3}, 32, 4});
  add("resnext101_64x4d", "33 grouped bottlenecks",
      {true, {3, 4, 23, 3}, 64, 4});
  add("wide_resnet50_2", "16 wide bottlenecks", {true, {3, 4, 6, 3}, 1, 2});
  add("wide_resnet101_2", "33 wide bottlenecks", {true, {3, 4, 23, 3}, 1, 2});
}
