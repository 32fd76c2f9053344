//===- MaxVit.cpp - Attention in windows and along grids ------------------===//
//
// Tu et al. 2022 (arXiv 2204.01697), as in torchvision. Modules and variables
// have torchvision's names. "stem" is a block, and the stages are blocks
// "blocks.0" of blocks "blocks.0.layers.0": an inverted bottleneck, attention
// among neighbours in windows of 7x7 pixels, and attention among 7x7 pixels as
// far apart as the image allows.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"
#include "Windows.h"
#include "reprise/NN/Trace.h"
#include <cmath>

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

constexpr int64_t kPart = 7, kHeadWidth = 32;
constexpr NormOptions kNorm = {1e-3, 0.99};

Tensor gelu(const Tensor &x) { return nn::gelu(x); }

LayerStyle style() { return {kNorm, gelu, normalInit(0.02)}; }

nn::Conv2dOptions pointwise() {
  nn::Conv2dOptions options = convOptions({1}, true);
  options.init = normalInit(0.02);
  return options;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// An inverted bottleneck that normalizes first; the shortcut pools and
/// projects where the shape changes.
class Bottleneck : public nn::Module {
public:
  Bottleneck(int64_t in, int64_t out, int64_t stride, double stochasticDepth)
      : depth(stochasticDepth) {
    if (stride != 1 || in != out) {
      shortcut = &add<nn::Sequential>("proj");
      if (stride == 2)
        shortcut->append<nn::AvgPool2d>(nn::PoolGeometry{3, 2, 1});
      shortcut->append<nn::Conv2d>(in, out, pointwise());
    }
    layers = &add<nn::Sequential>("layers");
    int64_t hidden = 4 * out;
    layers->add<nn::BatchNorm2d>("pre_norm", in, kNorm.epsilon, kNorm.momentum);
    layers->add<ConvNormActivation>("conv_a", in, hidden, ConvShape{1},
                                    style());
    layers->add<ConvNormActivation>("conv_b", hidden, hidden,
                                    ConvShape{3, stride, hidden}, style());
    SqueezeExcitation::Options excitation;
    excitation.activation = nn::silu;
    excitation.weight = nn::Initializer::normal(0.02);
    layers->add<SqueezeExcitation>("squeeze_excitation", hidden, out / 4,
                                   excitation);
    layers->add<nn::Conv2d>("conv_c", hidden, out, pointwise());
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor kept = shortcut ? (*shortcut)(x) : x;
    Tensor y = (*layers)(x);
    return kept + nn::dropout(y, depth, nn::DropoutMode::Samples);
  }

private:
  double depth;
  nn::Sequential *shortcut = nullptr, *layers;
};

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Self-attention among the tokens of parts (B,P,49,C), with a learned bias for
/// each distance and head.
class PartAttention : public nn::Module {
public:
  explicit PartAttention(int64_t channels)
      : heads(channels / kHeadWidth),
        qkv(add<nn::Linear>("to_qkv", channels, 3 * channels,
                            normalInit(0.02))),
        merge(add<nn::Linear>("merge", channels, channels, normalInit(0.02))) {
    registerVariable({"relative_position_bias_table",
                      {countDistances({kPart, kPart}), heads},
                      sg::Role::Parameter,
                      sg::InitKind::Normal,
                      0.02});
  }

protected:
  Tensor forward(Tensor x) override {
    if (!x)
      return x;
    constexpr int64_t tokens = kPart * kPart;
    int64_t channels = x.dim(3);
    nn::SelfAttentionOptions options;
    // The published model scales by the width of all heads.
    options.scale = 1.0 / std::sqrt(double(channels));
    Tensor indices =
        nn::constant(x.getTrace(), distanceIndices({kPart, kPart}, tokens));
    Tensor chosen =
        nn::gather(read(x.getTrace(), "relative_position_bias_table"), indices);
    Tensor byHead =
        nn::transpose(nn::reshape(chosen, {tokens, tokens, heads}), {2, 0, 1});
    options.bias = nn::reshape(byHead, {1, heads, tokens, tokens});
    Tensor parts =
        nn::reshape(qkv(x), {x.dim(0) * x.dim(1), tokens, 3 * channels});
    Tensor y = nn::selfAttention(parts, heads, options);
    return merge(nn::reshape(y, x.getType().getShape()));
  }

private:
  int64_t heads;
  nn::Linear &qkv, &merge;
};

/// The pixels that a part has: neighbours, or one of each of 7x7 tiles.
enum class Partition { Window, Grid };

/// Attention and a perceptron within the parts of an image.
class PartitionAttention : public nn::Module {
public:
  PartitionAttention(Partition partition, int64_t channels,
                     double stochasticDepth)
      : partition(partition), depth(stochasticDepth),
        attention(add<nn::Sequential>("attn_layer")),
        mlp(add<nn::Sequential>("mlp_layer")) {
    attention.append<nn::LayerNorm>(channels);
    attention.append<PartAttention>(channels);
    mlp.append<nn::LayerNorm>(channels);
    mlp.append<nn::Linear>(channels, 4 * channels, normalInit(0.02));
    mlp.append<Activated>(gelu);
    mlp.append<nn::Linear>(4 * channels, channels, normalInit(0.02));
  }

protected:
  Tensor forward(Tensor x) override {
    if (!x || x.dim(1) % kPart != 0 || x.dim(2) % kPart != 0)
      return misfit(x);
    Tensor y = split(x);
    y = y + drop(attention(y));
    y = y + drop(mlp(y));
    return join(y, x);
  }

private:
  static Tensor misfit(const Tensor &x) {
    if (!x)
      return x;
    return x.getTrace().fail(
        "parts of 7x7 pixels do not divide " + llvm::Twine(x.dim(1)) + "x" +
        llvm::Twine(x.dim(2)) +
        "; choose a height and width of images that are multiples of 224");
  }

  Tensor drop(const Tensor &x) const {
    return nn::dropout(x, depth, nn::DropoutMode::Samples);
  }

  /// Converts (B,H,W,C) to (B,parts,49,C).
  Tensor split(const Tensor &x) const {
    int64_t batch = x.dim(0), channels = x.dim(3);
    int64_t rows = x.dim(1) / kPart, columns = x.dim(2) / kPart;
    bool isGrid = partition == Partition::Grid;
    Tensor cut =
        isGrid ? nn::reshape(x, {batch, kPart, rows, kPart, columns, channels})
               : nn::reshape(x, {batch, rows, kPart, columns, kPart, channels});
    Tensor parts = isGrid ? nn::transpose(cut, {0, 2, 4, 1, 3, 5})
                          : nn::transpose(cut, {0, 1, 3, 2, 4, 5});
    return nn::reshape(parts, {batch, rows * columns, kPart * kPart, channels});
  }

  /// The inverse, for an image like `like`.
  Tensor join(const Tensor &x, const Tensor &like) const {
    Tensor cut =
        nn::reshape(x, {like.dim(0), like.dim(1) / kPart, like.dim(2) / kPart,
                        kPart, kPart, like.dim(3)});
    Tensor image = partition == Partition::Grid
                       ? nn::transpose(cut, {0, 3, 1, 4, 2, 5})
                       : nn::transpose(cut, {0, 1, 3, 2, 4, 5});
    return nn::reshape(image, like.getType().getShape());
  }

  Partition partition;
  double depth;
  nn::Sequential &attention, &mlp;
};

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

class MaxVitLayer : public nn::Module {
public:
  MaxVitLayer(int64_t in, int64_t out, int64_t stride, double stochasticDepth)
      : layers(add<nn::Sequential>("layers")) {
    layers.add<Bottleneck>("MBconv", in, out, stride, stochasticDepth);
    layers.add<PartitionAttention>("window_attention", Partition::Window, out,
                                   stochasticDepth);
    layers.add<PartitionAttention>("grid_attention", Partition::Grid, out,
                                   stochasticDepth);
    config().block();
  }

protected:
  Tensor forward(Tensor x) override { return layers(x); }

private:
  nn::Sequential &layers;
};

struct Size {
  int64_t stem;
  std::array<int64_t, 4> widths, layers;
};

class MaxVit : public ImageClassifier {
public:
  MaxVit(std::string name, const Size &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    addStem(size.stem);
    auto &stages = part<nn::Sequential>("blocks");
    int64_t channels = size.stem, layersSoFar = 0;
    for (size_t index = 0; index < size.layers.size(); ++index) {
      auto &stage = stages.append<nn::Sequential>();
      auto &layers = stage.add<nn::Sequential>("layers");
      for (int64_t i = 0; i < size.layers[index]; ++i) {
        auto &layer = layers.append<MaxVitLayer>(
            channels, size.widths[index], i == 0 ? 2 : 1,
            depthProbability(*options.stochasticDepth, layersSoFar++,
                             size.layers));
        layer.config().activation_checkpointing(annotatesBlocks());
        channels = size.widths[index];
      }
      // The last stage's backward pass begins immediately.
      bool isLast = index + 1 == size.layers.size();
      stage.config().block().activation_checkpointing(annotatesStages() &&
                                                      !isLast);
    }
    part<nn::GlobalAvgPool>("avgpool");
    endBackbone(channels);
    auto &classifier = part<nn::Sequential>("classifier");
    classifier.add<nn::LayerNorm>("2", channels);
    classifier.add<nn::Linear>("3", channels, channels, normalInit(0.02));
    classifier.add<Activated>("4", nn::tanh);
    classifier.add<nn::Linear>(
        "5", channels, *options.classes,
        nn::LinearInit{nn::Initializer::normal(0.02), std::nullopt});
  }

private:
  void addStem(int64_t width) {
    auto &stem = part<nn::Sequential>("stem");
    stem.append<ConvNormActivation>(*options.channels, width, ConvShape{3, 2},
                                    style());
    nn::Conv2dOptions second = convOptions({3}, true);
    second.init = normalInit(0.02);
    stem.append<nn::Sequential>().append<nn::Conv2d>(width, width, second);
    stem.config().block().activation_checkpointing(annotatesStages());
  }
};

} // namespace

void zoo::addMaxVit(ModelList &models) {
  auto add = [&](std::string name, const Size &size) {
    ModelOptions defaults = imageDefaults();
    defaults.stochasticDepth = 0.2;
    models.push_back({{name,
                       std::to_string(sumOf(size.layers)) +
                           " layers of convolutions, windows and grids",
                       defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<MaxVit>(name, size, options);
                      }});
  };
  add("maxvit_t", {64, {64, 128, 256, 512}, {2, 2, 5, 2}});
}
