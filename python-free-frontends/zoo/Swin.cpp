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

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

/// One number for each stage.
struct SwinSize {
  std::array<int64_t, 4> blocks, heads;
  /// (h, w) for images, (d, h, w) for volumes.
  std::vector<int64_t> window;
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
};

/// Self-attention among the tokens of a window, with a learned bias for each
/// distance and head.
class WindowAttention : public nn::Module {
public:
  WindowAttention(int64_t channels, int64_t heads, WindowOptions options)
      : heads(heads), options(std::move(options)),
        qkv(add<nn::Linear>("qkv", channels, 3 * channels, published())),
        proj(add<nn::Linear>("proj", channels, channels, published())) {
    registerVariable({"relative_position_bias_table",
                      {countDistances(this->options.window), heads},
                      sg::Role::Parameter,
                      sg::InitKind::Normal,
                      0.02});
  }

protected:
  Tensor forward(Tensor x) override {
    if (!x)
      return x;
    WindowGrid grid = layOutWindows(extentsOf(x), options.window, options.shift,
                                    options.adapts);
    Tensor windows = partitionWindows(nn::padTo(x, grid.padded), grid);
    Tensor projected = qkv(windows);
    nn::SelfAttentionOptions how;
    how.bias = bias(x.getTrace(), grid);
    how.dropout = options.dropout;
    Tensor y = proj(nn::selfAttention(projected, heads, how));
    return nn::cropTo(joinWindows(y, x.dim(0), grid), extentsOf(x));
  }

private:
  static Extents extentsOf(const Tensor &x) {
    return Extents(x.getType().getShape().drop_front().drop_back());
  }

  /// Returns the term added to the scores: the bias of distances (1,H,N,N), and
  /// where windows were shifted also a mask of elements that were not
  /// neighbours before, (windows,H,N,N).
  Tensor bias(nn::Trace &trace, const WindowGrid &grid) {
    int64_t tokens = grid.tokens();
    Tensor indices =
        nn::constant(trace, distanceIndices(options.window, tokens));
    Tensor chosen =
        nn::gather(read(trace, "relative_position_bias_table"), indices);
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
  nn::Linear &qkv, &proj;
};

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

class SwinBlock : public nn::Module {
public:
  SwinBlock(int64_t channels, int64_t heads, WindowOptions options,
            double depthProbability)
      : norm1(add<nn::LayerNorm>("norm1", channels, kEpsilon)),
        attention(
            add<WindowAttention>("attn", channels, heads, std::move(options))),
        norm2(add<nn::LayerNorm>("norm2", channels, kEpsilon)),
        mlp(add<nn::Perceptron>("mlp", channels, 4 * channels)),
        depth(depthProbability) {
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor y = x + drop(attention(norm1(x)));
    return y + drop(mlp(norm2(y)));
  }

private:
  /// Each call draws separate random numbers.
  Tensor drop(const Tensor &x) const {
    return nn::dropout(x, depth, nn::DropoutMode::Samples);
  }

  nn::LayerNorm &norm1;
  WindowAttention &attention;
  nn::LayerNorm &norm2;
  nn::Perceptron &mlp;
  double depth;
};

/// Four neighbours of an image, concatenated along the channels, normalized and
/// projected to twice the channels of one.
class PatchMerging : public nn::Module {
public:
  explicit PatchMerging(int64_t channels)
      : reduction(add<nn::Linear>(
            "reduction", 4 * channels, 2 * channels,
            nn::LinearInit{nn::Initializer::normal(0.02), std::nullopt})),
        norm(add<nn::LayerNorm>("norm", 4 * channels, kEpsilon)) {}

protected:
  Tensor forward(Tensor x) override {
    return reduction(norm(mergeNeighbours(x)));
  }

private:
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
    input("image", isVolume ? volumeExtents(options) : imageExtents(options));
    input("label", {*options.batch}, nn::DataType::I32, sg::BindingRole::Label);
    addPatches(isVolume, size, options);
    for (size_t stage = 0; stage < size.blocks.size(); ++stage)
      addStage(stage, size, options);
    int64_t width = *options.baseWidth << (size.blocks.size() - 1);
    norm = &add<nn::LayerNorm>("norm", width, kEpsilon);
    if (!isVolume)
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
  static llvm::SmallVector<int64_t> volumeExtents(const ModelOptions &options) {
    return {*options.batch, *options.frames, *options.height, *options.width,
            *options.channels};
  }

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
      features->append<PatchMerging>(width / 2);
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
                        *options.attentionDropout},
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

static ModelOptions swinDefaults(int64_t width, double stochasticDepth) {
  ModelOptions defaults = imageDefaults();
  defaults.patch = 4;
  defaults.baseWidth = width;
  defaults.attentionDropout = 0.0;
  defaults.stochasticDepth = stochasticDepth;
  return defaults;
}

static ModelOptions volumeDefaults(int64_t width) {
  ModelOptions defaults = swinDefaults(width, 0.1);
  defaults.batch = 1;
  defaults.frames = 16;
  defaults.views = std::nullopt;
  defaults.viewPooling = std::nullopt;
  defaults.classes = 400;
  return defaults;
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
                      size.heads[0]});
  };
  SwinSize tiny = {{2, 2, 6, 2}, {3, 6, 12, 24}, {7, 7}};
  SwinSize small = {{2, 2, 18, 2}, {3, 6, 12, 24}, {7, 7}};
  SwinSize base = {{2, 2, 18, 2}, {4, 8, 16, 32}, {7, 7}};
  add("swin_t", "images", swinDefaults(96, 0.2), tiny);
  add("swin_s", "images", swinDefaults(96, 0.3), small);
  add("swin_b", "images", swinDefaults(128, 0.5), base);
  for (SwinSize *size : {&tiny, &small, &base})
    size->window = {8, 7, 7};
  add("swin3d_t", "volumes", volumeDefaults(96), tiny);
  add("swin3d_s", "volumes", volumeDefaults(96), small);
  add("swin3d_b", "volumes", volumeDefaults(128), base);
}
