//===- Swin.cpp - Attention in shifted windows ----------------------------===//
//
// Liu et al. 2021 (arXiv 2103.14030) and, for volumes, 2022 (arXiv 2106.13230),
// as in torchvision: images (N,H,W,C) or volumes (N,D,H,W,C). Modules and
// variables have torchvision's names: the stages of images are "features.1",
// "features.3"..., those of volumes "features.0", "features.2"... Stages are
// blocks of blocks "features.1.0".
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "Windows.h"
#include "reprise/NN/Attention.h"
#include "reprise/NN/Trace.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// One number for each stage.
struct SwinSize {
  std::array<int64_t, 4> blocks, heads;
  /// (h, w) for images, (d, h, w) for volumes.
  std::vector<int64_t> window;
  /// Version 2 (Liu et al. 2022, arXiv 2111.09883): attention by cosines with a
  /// bias that a network computes from distances, normalization after each part
  /// of a block.
  bool isVersion2 = false;
};

constexpr double kEpsilon = 1e-5;

/// Frames in a patch of a volume.
constexpr int64_t kFramesOfPatch = 2;

nn::LinearInit published() {
  return {nn::Initializer::normal(0.02), nn::Initializer::zeros()};
}

//===----------------------------------------------------------------------===//
// Attention in windows
//===----------------------------------------------------------------------===//

/// Options of attention within a window.
struct WindowOptions {
  Extents window, shift;
  bool adapts; // windows are no larger than the image
  double dropout;
  bool isVersion2 = false;
};

/// The projection to queries, keys and values of version 2: keys have no bias.
class ProjectionWithoutKeyBias : public nn::Module {
public:
  explicit ProjectionWithoutKeyBias(int64_t channels) : channels(channels) {
    nn::LinearInit init = published();
    registerVariable(init.weight.variable("weight", {3 * channels, channels}));
    registerVariable(init.bias->variable("bias", {3 * channels}));
  }

protected:
  Tensor forward(Tensor x) override {
    std::vector<float> mask(3 * channels, 1.0f);
    std::fill_n(mask.begin() + channels, channels, 0.0f);
    Tensor bias = read(x.getTrace(), "bias") * nn::constant(x.getTrace(), mask);
    return nn::addTrailing(nn::linear(x, read(x.getTrace(), "weight")), bias);
  }

private:
  int64_t channels;
};

/// Returns sign(d) log2(|d| + 1) / log2(8), where d is the distance scaled to
/// be between -8 and 8.
float logOfDistance(int64_t distance, int64_t side) {
  double d = 8.0 * double(distance) / double(std::max<int64_t>(side - 1, 1));
  return float(std::copysign(std::log2(std::abs(d) + 1.0) / 3.0, d));
}

/// The distances of two elements of a window (distances,2), in the order of
/// distanceIndices.
std::vector<float> distanceTable(llvm::ArrayRef<int64_t> window) {
  std::vector<float> table;
  for (int64_t h = 1 - window[0]; h < window[0]; ++h)
    for (int64_t w = 1 - window[1]; w < window[1]; ++w) {
      table.push_back(logOfDistance(h, window[0]));
      table.push_back(logOfDistance(w, window[1]));
    }
  return table;
}

/// Self-attention among the tokens of a window, with a bias for each distance
/// and head: a learned one, or that of a network of version 2.
class WindowAttention : public nn::Module {
public:
  WindowAttention(int64_t channels, int64_t heads, WindowOptions options)
      : heads(heads), options(std::move(options)) {
    if (this->options.isVersion2)
      registerVariable({"logit_scale",
                        {heads, 1, 1},
                        sg::Role::Parameter,
                        sg::InitKind::Constant,
                        std::log(10.0)});
    else
      registerVariable({"relative_position_bias_table",
                        {countDistances(this->options.window), heads},
                        sg::Role::Parameter,
                        sg::InitKind::Normal,
                        0.02});
    qkv = this->options.isVersion2
              ? static_cast<nn::Module *>(
                    &add<ProjectionWithoutKeyBias>("qkv", channels))
              : &add<nn::Linear>("qkv", channels, 3 * channels, published());
    proj = &add<nn::Linear>("proj", channels, channels, published());
    if (this->options.isVersion2)
      addDistanceNetwork();
  }

protected:
  Tensor forward(Tensor x) override {
    if (!x)
      return x;
    WindowGrid grid = layOutWindows(extentsOf(x), options.window, options.shift,
                                    options.adapts);
    Tensor windows = partitionWindows(nn::padTo(x, grid.padded), grid);
    Tensor projected = (*qkv)(windows);
    nn::SelfAttentionOptions how;
    if (options.isVersion2) {
      projected = toCosines(projected);
      how.scale = 1.0;
    }
    how.bias = bias(x.getTrace(), grid);
    how.dropout = options.dropout;
    Tensor y = (*proj)(nn::selfAttention(projected, heads, how));
    return nn::cropTo(joinWindows(y, x.dim(0), grid), extentsOf(x));
  }

private:
  static Extents extentsOf(const Tensor &x) {
    return Extents(x.getType().getShape().drop_front().drop_back());
  }

  void addDistanceNetwork() {
    constexpr int64_t hidden = 512;
    distances = &add<nn::Sequential>("cpb_mlp");
    distances->append<nn::Linear>(2, hidden, published());
    distances->append<nn::ReLU>();
    distances->append<nn::Linear>(
        hidden, heads,
        nn::LinearInit{nn::Initializer::normal(0.02), std::nullopt});
  }

  /// Returns the bias of each distance and head.
  Tensor table(nn::Trace &trace) {
    if (!distances)
      return read(trace, "relative_position_bias_table");
    Tensor coordinates =
        nn::reshape(nn::constant(trace, distanceTable(options.window)),
                    {countDistances(options.window), 2});
    return nn::scale(nn::sigmoid((*distances)(coordinates)), 16.0);
  }

  /// Scales the queries and keys of (B,N,3C) to norm 1, then the queries by a
  /// learned factor of each head, at most 100: their products are cosines.
  Tensor toCosines(const Tensor &x) {
    if (!x)
      return x;
    int64_t batch = x.dim(0), tokens = x.dim(1), channels = x.dim(2) / 3;
    Tensor parts = nn::reshape(x, {batch, tokens, 3, heads, channels / heads});
    Tensor q = nn::l2Normalize(nn::slice(parts, 2, 0, 1));
    Tensor k = nn::l2Normalize(nn::slice(parts, 2, 1, 2));
    Tensor factors = nn::exp(
        nn::minimum(read(x.getTrace(), "logit_scale"), std::log(100.0)));
    q = nn::mulAlong(q, nn::reshape(factors, {heads}), {3});
    return nn::reshape(nn::concat({q, k, nn::slice(parts, 2, 2, 3)}, 2),
                       x.getType().getShape());
  }

  /// Returns the term added to the scores: the bias of distances (1,H,N,N), and
  /// where windows were shifted also a mask of elements that were not
  /// neighbours before, (windows,H,N,N).
  Tensor bias(nn::Trace &trace, const WindowGrid &grid) {
    int64_t tokens = grid.tokens();
    Tensor indices =
        nn::constant(trace, distanceIndices(options.window, tokens));
    Tensor chosen = nn::gather(table(trace), indices);
    Tensor byHead =
        nn::transpose(nn::reshape(chosen, {tokens, tokens, heads}), {2, 0, 1});
    if (!grid.isShifted())
      return nn::reshape(byHead, {1, heads, tokens, tokens});
    Tensor repeated =
        nn::broadcast(byHead, {grid.count(), heads, tokens, tokens}, {1, 2, 3});
    return nn::addAlong(repeated, mask(trace, grid), {0, 2, 3});
  }

  /// Returns (windows,N,N): -100 between elements of different parts of the
  /// image, as published, else 0.
  static Tensor mask(nn::Trace &trace, const WindowGrid &grid) {
    int64_t count = grid.count(), tokens = grid.tokens();
    llvm::SmallVector<int64_t> shape = {count, tokens, tokens};
    Tensor parts =
        nn::reshape(nn::constant(trace, partsOfImage(grid)), {count, tokens});
    Tensor from = nn::broadcast(parts, shape, {0, 1});
    Tensor to = nn::broadcast(parts, shape, {0, 2});
    return nn::select(nn::equal(from, to), nn::splat(trace, shape, 0.0),
                      nn::splat(trace, shape, -100.0));
  }

  int64_t heads;
  WindowOptions options;
  nn::Module *qkv;
  nn::Linear *proj;
  nn::Sequential *distances = nullptr; // of version 2
};

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

class SwinBlock : public nn::Module {
public:
  SwinBlock(int64_t channels, int64_t heads, const WindowOptions &options,
            double depthProbability)
      : normalizesAfter(options.isVersion2),
        norm1(add<nn::LayerNorm>("norm1", channels, kEpsilon)),
        attention(add<WindowAttention>("attn", channels, heads, options)),
        norm2(add<nn::LayerNorm>("norm2", channels, kEpsilon)),
        mlp(options.isVersion2
                ? add<nn::Perceptron>("mlp", channels, 4 * channels,
                                      /*dropout=*/0.0, published())
                : add<nn::Perceptron>("mlp", channels, 4 * channels)),
        depth(depthProbability) {
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    if (normalizesAfter) {
      Tensor y = x + drop(norm1(attention(x)));
      return y + drop(norm2(mlp(y)));
    }
    Tensor y = x + drop(attention(norm1(x)));
    return y + drop(mlp(norm2(y)));
  }

private:
  /// Each call draws separate random numbers.
  Tensor drop(const Tensor &x) const {
    return nn::dropout(x, depth, nn::DropoutMode::Samples);
  }

  bool normalizesAfter;
  nn::LayerNorm &norm1;
  WindowAttention &attention;
  nn::LayerNorm &norm2;
  nn::Perceptron &mlp;
  double depth;
};

/// Four neighbours of an image, concatenated along the channels, normalized and
/// projected to twice the channels of one; in version 2 projected first.
class PatchMerging : public nn::Module {
public:
  PatchMerging(int64_t channels, bool isVersion2)
      : normalizesAfter(isVersion2),
        reduction(add<nn::Linear>(
            "reduction", 4 * channels, 2 * channels,
            nn::LinearInit{nn::Initializer::normal(0.02), std::nullopt})),
        norm(add<nn::LayerNorm>("norm", (isVersion2 ? 2 : 4) * channels,
                                kEpsilon)) {}

protected:
  Tensor forward(Tensor x) override {
    Tensor merged = mergeNeighbours(x);
    return normalizesAfter ? norm(reduction(merged)) : reduction(norm(merged));
  }

private:
  bool normalizesAfter;
  nn::Linear &reduction;
  nn::LayerNorm &norm;
};

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

class Swin : public nn::Graph {
public:
  Swin(std::string name, const SwinSize &size, const ModelOptions &options)
      : Graph(std::move(name)) {
    bool isVolume = size.window.size() == 3;
    input("image", imageExtents(options));
    input("label", {*options.batch}, ElementType::I32, sg::BindingRole::Label);
    addPatches(isVolume, size, options);
    for (size_t stage = 0; stage < size.blocks.size(); ++stage)
      addStage(stage, size, options);
    int64_t width = *options.baseWidth << (size.blocks.size() - 1);
    norm = &add<nn::LayerNorm>("norm", width, kEpsilon);
    views = addViewPool(*this, options, width);
    head = &add<nn::Linear>("head", width, *options.classes, published());
    loss = &add<nn::CrossEntropyLoss>("loss");
  }

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override {
    Tensor image = viewsOf(inputs[0], views);
    Tensor x = patches ? (*patches)(image) : image;
    Tensor pooled = nn::meanOfTokens((*norm)((*features)(x)));
    Tensor logits = (*head)(poolViews(pooled, views));
    return {
        {"loss", (*loss)({logits, inputs[1]}).front(), sg::BindingRole::Loss},
        {"logits", logits, sg::BindingRole::Logits}};
  }

private:
  /// The patches of images are the first of the features; those of volumes
  /// precede them.
  void addPatches(bool isVolume, const SwinSize &size,
                  const ModelOptions &options) {
    int64_t patch = *options.patch;
    bool annotated = *options.annotate == Annotate::Stages;
    if (isVolume) {
      patches = &add<VolumePatches>("patch_embed", *options.channels,
                                    *options.baseWidth,
                                    std::array{kFramesOfPatch, patch, patch});
      patches->config().block().activation_checkpointing(annotated);
    }
    features = &add<nn::Sequential>("features");
    if (isVolume)
      return;
    nn::Conv2dOptions convolution;
    convolution.kernel = convolution.geometry.stride = {patch, patch};
    convolution.bias = true;
    convolution.init =
        nn::LinearInit::uniform(*options.channels * patch * patch);
    auto &first = features->append<nn::Sequential>();
    first.add<nn::Conv2d>("0", *options.channels, *options.baseWidth,
                          convolution);
    first.add<nn::LayerNorm>("2", *options.baseWidth, kEpsilon);
    first.config().block().activation_checkpointing(annotated);
  }

  void addStage(size_t index, const SwinSize &size,
                const ModelOptions &options) {
    int64_t width = *options.baseWidth << index;
    if (index > 0)
      features->append<PatchMerging>(width / 2, size.isVersion2);
    auto &stage = features->append<nn::Sequential>();
    Extents window(size.window.begin(), size.window.end());
    for (int64_t i = 0; i < size.blocks[index]; ++i) {
      Extents shift(window.size(), 0);
      if (i % 2 == 1)
        for (size_t d = 0; d < window.size(); ++d)
          shift[d] = window[d] / 2;
      auto &block = stage.append<SwinBlock>(
          width, size.heads[index],
          WindowOptions{window, shift, window.size() == 3,
                        *options.attentionDropout, size.isVersion2},
          depthProbability(*options.stochasticDepth, blocksSoFar++,
                           size.blocks));
      block.config().activation_checkpointing(*options.annotate ==
                                              Annotate::Blocks);
    }
    // The last stage's backward pass begins immediately.
    bool isLast = index + 1 == size.blocks.size();
    stage.config().block().activation_checkpointing(
        *options.annotate == Annotate::Stages && !isLast);
  }

  nn::Sequential *features = nullptr;
  int64_t blocksSoFar = 0;
  VolumePatches *patches = nullptr;
  nn::LayerNorm *norm = nullptr;
  nn::ViewPool *views = nullptr;
  nn::Linear *head = nullptr;
  nn::CrossEntropyLoss *loss = nullptr;
};

} // namespace

int64_t zoo::countPatches(const ModelOptions &options) {
  int64_t frames = llvm::divideCeil(options.frames.value_or(1), kFramesOfPatch);
  return frames * llvm::divideCeil(*options.height, *options.patch) *
         llvm::divideCeil(*options.width, *options.patch);
}

static ModelOptions swinDefaults(int64_t width, double stochasticDepth,
                                 ModelOptions defaults = imageDefaults()) {
  defaults.patch = 4;
  defaults.baseWidth = width;
  defaults.attentionDropout = 0.0;
  defaults.stochasticDepth = stochasticDepth;
  return defaults;
}

static ModelOptions volumeDefaults(int64_t width) {
  return swinDefaults(width, 0.1, clipDefaults(224));
}

void zoo::addSwin(ModelList &models) {
  auto add = [&](std::string name, std::string what,
                 const ModelOptions &defaults, SwinSize size) {
    models.push_back({{name,
                       "attention in shifted windows of " + what + ", " +
                           std::to_string(sumOf(size.blocks)) + " blocks",
                       defaults},
                      [=](const ModelOptions &options) {
                        return std::make_unique<Swin>(name, size, options);
                      },
                      size.heads[0],
                      /*widthUnit=*/1,
                      /*tokensArePatches=*/false,
                      /*hasWindows=*/true});
  };
  SwinSize tiny = {{2, 2, 6, 2}, {3, 6, 12, 24}, {7, 7}};
  SwinSize small = {{2, 2, 18, 2}, {3, 6, 12, 24}, {7, 7}};
  SwinSize base = {{2, 2, 18, 2}, {4, 8, 16, 32}, {7, 7}};
  add("swin_t", "images", swinDefaults(96, 0.2), tiny);
  add("swin_s", "images", swinDefaults(96, 0.3), small);
  add("swin_b", "images", swinDefaults(128, 0.5), base);
  for (SwinSize *size : {&tiny, &small, &base}) {
    size->window = {8, 8};
    size->isVersion2 = true;
  }
  add("swin_v2_t", "images by cosines",
      swinDefaults(96, 0.2, imageDefaults(256)), tiny);
  add("swin_v2_s", "images by cosines",
      swinDefaults(96, 0.3, imageDefaults(256)), small);
  add("swin_v2_b", "images by cosines",
      swinDefaults(128, 0.5, imageDefaults(256)), base);
  for (SwinSize *size : {&tiny, &small, &base}) {
    size->window = {8, 7, 7};
    size->isVersion2 = false;
  }
  add("swin3d_t", "volumes", volumeDefaults(96), tiny);
  add("swin3d_s", "volumes", volumeDefaults(96), small);
  add("swin3d_b", "volumes", volumeDefaults(128), base);
}
