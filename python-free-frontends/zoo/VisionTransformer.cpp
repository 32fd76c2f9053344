//===- VisionTransformer.cpp - Images as sequences of patches -------------===//
//
// Dosovitskiy et al. 2021 (arXiv 2010.11929), as in torchvision: layers
// normalize before attention and before the perceptron. Modules and variables
// have torchvision's names. Each layer is a block
// "encoder.layers.encoder_layer_0"; patches, positions and the head are inline.
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "reprise/NN/Attention.h"
#include "reprise/NN/Layers.h"
#include <cmath>

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// The numbers of layers and of heads in each.
struct VisionTransformerSize {
  int64_t layers, heads;
};

constexpr double kEpsilon = 1e-6;

/// x + attention(norm(x)), then x + perceptron(norm(x)).
class EncoderBlock : public nn::Module {
public:
  EncoderBlock(int64_t width, int64_t heads, double dropout,
               double attentionDropout)
      : ln1(add<nn::LayerNorm>("ln_1", width, kEpsilon)),
        attention(add<nn::MultiheadAttention>("self_attention", width, heads,
                                              attentionDropout)),
        dropout(add<nn::Dropout>("dropout", dropout)),
        ln2(add<nn::LayerNorm>("ln_2", width, kEpsilon)),
        mlp(add<nn::Perceptron>("mlp", width, 4 * width, dropout)) {
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor y = x + dropout(attention(ln1(x)));
    return y + mlp(ln2(y));
  }

private:
  nn::LayerNorm &ln1;
  nn::MultiheadAttention &attention;
  nn::Dropout &dropout;
  nn::LayerNorm &ln2;
  nn::Perceptron &mlp;
};

/// Adds positions, runs the layers, normalizes.
class Encoder : public nn::Module {
public:
  Encoder(const VisionTransformerSize &size, int64_t tokens,
          const ModelOptions &options)
      : dropout(add<nn::Dropout>("dropout", *options.dropout)),
        layers(add<nn::Sequential>("layers")),
        ln(add<nn::LayerNorm>("ln", *options.baseWidth, kEpsilon)) {
    registerVariable({"pos_embedding",
                      {1, tokens, *options.baseWidth},
                      sg::Role::Parameter,
                      sg::InitKind::Normal,
                      0.02});
    for (int64_t i = 0; i < size.layers; ++i) {
      auto &layer = layers.add<EncoderBlock>(
          "encoder_layer_" + std::to_string(i), *options.baseWidth, size.heads,
          *options.dropout, *options.attentionDropout);
      // The last layer's backward pass begins immediately: recomputing the
      // layer would take time and save nothing.
      bool isLast = i + 1 == size.layers;
      layer.config().activation_checkpointing(
          *options.annotate == Annotate::Blocks ||
          (*options.annotate == Annotate::Stages && !isLast));
    }
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor positions = read(x.getTrace(), "pos_embedding");
    Tensor placed =
        nn::addTrailing(x, nn::reshape(positions, {x.dim(1), x.dim(2)}));
    return ln(layers(dropout(placed)));
  }

private:
  nn::Dropout &dropout;
  nn::Sequential &layers;
  nn::LayerNorm &ln;
};

class VisionTransformer : public nn::Graph {
public:
  VisionTransformer(std::string name, const VisionTransformerSize &size,
                    const ModelOptions &options)
      : Graph(std::move(name)), width(*options.baseWidth) {
    int64_t patch = *options.patch;
    input("image", imageExtents(options));
    input("label", {*options.batch}, ElementType::I32, sg::BindingRole::Label);
    registerVariable({"class_token",
                      {1, 1, width},
                      sg::Role::Parameter,
                      sg::InitKind::Zeros});
    nn::Conv2dOptions patches;
    patches.kernel = patches.geometry.stride = {patch, patch};
    patches.bias = true;
    double fanIn = *options.channels * patch * patch;
    patches.init = {nn::Initializer::normal(1.0 / std::sqrt(fanIn)),
                    nn::Initializer::zeros()};
    convProj = &add<nn::Conv2d>("conv_proj", *options.channels, width, patches);
    int64_t tokens = (*options.height / patch) * (*options.width / patch) + 1;
    encoder = &add<Encoder>("encoder", size, tokens, options);
    views = addViewPool(*this, options, width);
    auto &heads = add<nn::Sequential>("heads");
    head = &heads.add<nn::Linear>("head", width, *options.classes,
                                  nn::LinearInit::zeros());
    loss = &add<nn::CrossEntropyLoss>("loss");
  }

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    Tensor patches = (*convProj)(viewsOf(inputs[0], views));
    if (!patches)
      return {};
    int64_t batch = patches.dim(0), count = patches.dim(1) * patches.dim(2);
    Tensor token =
        nn::reshape(read(patches.getTrace(), "class_token"), {1, width});
    Tensor first = nn::broadcast(token, {batch, 1, width}, {1, 2});
    Tensor x =
        nn::concat({first, nn::reshape(patches, {batch, count, width})}, 1);
    x = (*encoder)(x);
    Tensor chosen = nn::reshape(nn::slice(x, 1, 0, 1), {batch, width});
    Tensor logits = (*head)(poolViews(chosen, views));
    return {
        {"loss", (*loss)({logits, inputs[1]}).front(), sg::BindingRole::Loss},
        {"logits", logits, sg::BindingRole::Logits}};
  }

private:
  int64_t width;
  nn::Conv2d *convProj = nullptr;
  Encoder *encoder = nullptr;
  nn::ViewPool *views = nullptr;
  nn::Linear *head = nullptr;
  nn::CrossEntropyLoss *loss = nullptr;
};

} // namespace

void zoo::addVisionTransformer(ModelList &models) {
  auto add = [&](std::string name, int64_t patch, int64_t width,
                 VisionTransformerSize size) {
    ModelOptions defaults = imageDefaults();
    defaults.patch = patch;
    defaults.dropout = defaults.attentionDropout = 0.0;
    defaults.baseWidth = width;
    models.push_back({{name,
                       "vision transformer of " + std::to_string(size.layers) +
                           " layers on patches",
                       defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<VisionTransformer>(name, size,
                                                                   options);
                      },
                      size.heads,
                      /*widthUnit=*/1,
                      /*tokensArePatches=*/true});
  };
  VisionTransformerSize base = {12, 12}, large = {24, 16};
  add("vit_b_16", 16, 768, base);
  add("vit_b_32", 32, 768, base);
  add("vit_l_16", 16, 1024, large);
  add("vit_l_32", 32, 1024, large);
  add("vit_h_14", 14, 1280, {32, 16});
}
