//===- MViT.cpp - Multiscale vision transformers of clips -----------------===//
//
// Fan et al. 2021 (arXiv 2104.11227) and, version 2, Li et al. 2022 (arXiv
// 2112.01526), as in torchvision: tokens of volumes and one of the class, whose
// queries, keys and values are pooled by convolutions before attention. Modules
// and variables have torchvision's names. Each layer is a block "blocks.0";
// patches, positions and the head are inline.
//
// Extents are rounded up where strides do not divide them, and a table of
// relative positions has a row for each distance along its axis: torchvision
// needs patches that divide the clip, and stretches tables of other sizes in
// each step.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Classifier.h"
#include "Family.h"
#include "reprise/NN/Trace.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace reprise;
using namespace reprise::zoo;
using nn::Tensor;

namespace {

constexpr double kEpsilon = 1e-6;

/// Frames, height and width of a grid of tokens; or of strides, filters.
using Grid = std::array<int64_t, 3>;

int64_t countTokens(const Grid &grid) { return grid[0] * grid[1] * grid[2]; }

Grid dividedBy(const Grid &grid, const Grid &strides) {
  Grid result;
  for (size_t d = 0; d < result.size(); ++d)
    result[d] = llvm::divideCeil(grid[d], strides[d]);
  return result;
}

/// A block of the network.
struct MultiscaleShape {
  int64_t in, out, heads;
  Grid grid; // of the input's tokens
  Grid strideQ, strideKV;
  bool poolsQ;
  /// Version 2: attention has a bias of relative positions and adds its
  /// queries, and the projection to more channels precedes attention.
  bool isVersion2;
  double depthProbability;

  int64_t attended() const { return isVersion2 ? out : in; }
  int64_t headWidth() const { return attended() / heads; }
  Grid gridQ() const { return dividedBy(grid, strideQ); }
  Grid gridKV() const { return dividedBy(grid, strideKV); }
};

//===----------------------------------------------------------------------===//
// Pools of tokens
//===----------------------------------------------------------------------===//

/// Applies `pool` to volumes (B,D,H,W,C) of tokens (B,1+DHW,C) and keeps the
/// class token, which is the first.
Tensor poolTokens(const Tensor &x, const Grid &grid,
                  llvm::function_ref<Tensor(const Tensor &)> pool) {
  if (!x)
    return x;
  int64_t batch = x.dim(0), channels = x.dim(2);
  Tensor volumes = nn::reshape(nn::slice(x, 1, 1, x.dim(1)),
                               {batch, grid[0], grid[1], grid[2], channels});
  Tensor pooled = pool(volumes);
  if (!pooled)
    return pooled;
  int64_t tokens = pooled.dim(1) * pooled.dim(2) * pooled.dim(3);
  return nn::concat(
      {nn::slice(x, 1, 0, 1), nn::reshape(pooled, {batch, tokens, channels})},
      1);
}

/// A convolution of each channel of a head, `pool`, and a normalization of all
/// tokens, `norm_act`; the heads share both.
class HeadPool : public nn::Module {
public:
  HeadPool(int64_t channels, const Grid &grid, const Grid &stride)
      : grid(grid) {
    constexpr Grid kernel = {3, 3, 3};
    nn::Conv3dOptions options = conv3dOptions(kernel, stride);
    options.geometry.groups = channels;
    options.init = {nn::LinearInit::uniform(countTokens(kernel)).weight,
                    std::nullopt};
    pool = &add<nn::Conv3d>("pool", channels, channels, options);
    norm = &add<nn::Sequential>("norm_act");
    norm->append<nn::LayerNorm>(channels, kEpsilon);
  }

protected:
  /// `x` has heads side by side in the first dimension.
  Tensor forward(Tensor x) override {
    return (*norm)(poolTokens(
        x, grid, [&](const Tensor &volumes) { return (*pool)(volumes); }));
  }

private:
  Grid grid;
  nn::Conv3d *pool;
  nn::Sequential *norm;
};

/// Maxima of the windows of an input that attention's sum is added to.
Tensor poolSkipped(const Tensor &x, const MultiscaleShape &shape) {
  if (countTokens(shape.strideQ) == 1)
    return x;
  nn::PoolGeometry3d geometry;
  for (size_t d = 0; d < 3; ++d) {
    int64_t stride = geometry.stride[d] = shape.strideQ[d];
    geometry.window[d] = stride > 1 ? stride + 1 : 1;
    geometry.padding[d] = geometry.window[d] / 2;
  }
  return poolTokens(x, shape.grid, [&](const Tensor &volumes) {
    return nn::maxPool3d(volumes, geometry);
  });
}

//===----------------------------------------------------------------------===//
// Relative positions
//===----------------------------------------------------------------------===//

/// The row of a table for each pair of a query's and a key's position along an
/// axis: their distance in steps of the finer of both.
std::vector<int32_t> distancesAlong(int64_t queries, int64_t keys) {
  double queryStep = std::max(double(keys) / double(queries), 1.0);
  double keyStep = std::max(double(queries) / double(keys), 1.0);
  std::vector<int32_t> rows;
  for (int64_t q = 0; q < queries; ++q)
    for (int64_t k = 0; k < keys; ++k)
      rows.push_back(
          int32_t(double(q) * queryStep - double(k + 1 - keys) * keyStep));
  return rows;
}

/// Returns (1+DHW,extent): 1 where a key has that position along the axis, else
/// 0, also for the class token.
Tensor positionsAlong(nn::Trace &trace, const Grid &grid, size_t axis) {
  std::vector<int32_t> own = {-1}, positions;
  int64_t within = 1;
  for (size_t d = axis + 1; d < grid.size(); ++d)
    within *= grid[d];
  for (int64_t token = 0; token < countTokens(grid); ++token)
    own.push_back(int32_t(token / within % grid[axis]));
  for (int64_t position = 0; position < grid[axis]; ++position)
    positions.push_back(int32_t(position));
  llvm::SmallVector<int64_t> shape = {int64_t(own.size()), grid[axis]};
  Tensor isThere =
      nn::equal(nn::broadcast(nn::constant(trace, own), shape, {0}),
                nn::broadcast(nn::constant(trace, positions), shape, {1}));
  return nn::select(isThere, nn::splat(trace, shape, 1.0),
                    nn::splat(trace, shape, 0.0));
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Attention of pooled queries to pooled keys and values.
///
/// The bias of a query and a key is the sum of q . R over the axes, where R is
/// the row of the axis's table for their distance. These products with all
/// positions of an axis stand beside q, and ones at a key's own positions
/// beside k, so that the product of both is the biased score: no tensor has the
/// bias of all pairs.
class MultiscaleAttention : public nn::Module {
public:
  explicit MultiscaleAttention(const MultiscaleShape &shape)
      : shape(shape), gridQ(shape.gridQ()), gridKV(shape.gridKV()) {
    int64_t width = shape.headWidth(), channels = shape.attended();
    for (size_t axis : kTables)
      if (shape.isVersion2)
        registerVariable(
            published().weight.variable(tableName(axis), {rows(axis), width}));
    qkv = &add<nn::Linear>("qkv", shape.in, 3 * channels, published());
    project = &add<nn::Sequential>("project");
    project->append<nn::Linear>(channels, channels, published());
    if (shape.poolsQ)
      poolQ = &add<HeadPool>("pool_q", width, shape.grid, shape.strideQ);
    poolK = &add<HeadPool>("pool_k", width, shape.grid, shape.strideKV);
    poolV = &add<HeadPool>("pool_v", width, shape.grid, shape.strideKV);
  }

  static nn::LinearInit published() {
    return {nn::Initializer::normal(0.02), nn::Initializer::zeros()};
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor projected = (*qkv)(x);
    if (!projected)
      return projected;
    Tensor q = pooled(projected, 0, poolQ);
    Tensor k = pooled(projected, 1, poolK);
    Tensor v = pooled(projected, 2, poolV);
    Tensor y = shape.isVersion2 ? biased(q, k, v) : nn::attention(q, k, v);
    if (!y)
      return y;
    return (*project)(nn::reshape(nn::transpose(y, {0, 2, 1, 3}),
                                  {y.dim(0), y.dim(2), shape.attended()}));
  }

private:
  /// The axes of a grid, in the order of the tables.
  static constexpr std::array<size_t, 3> kTables = {1, 2, 0};

  static std::string tableName(size_t axis) {
    return std::string("rel_pos_") + "thw"[axis];
  }
  int64_t rows(size_t axis) const {
    return 2 * std::max(gridQ[axis], gridKV[axis]) - 1;
  }

  /// The queries, keys or values of (B,N,3*H*D), pooled: (B,H,N',D).
  Tensor pooled(const Tensor &x, int64_t part, HeadPool *pool) {
    int64_t batch = x.dim(0), tokens = x.dim(1), width = shape.headWidth();
    Tensor parts = nn::reshape(x, {batch, tokens, 3, shape.heads, width});
    Tensor chosen = nn::reshape(nn::slice(parts, 2, part, part + 1),
                                {batch, tokens, shape.heads, width});
    Tensor heads = nn::transpose(chosen, {0, 2, 1, 3});
    if (!pool)
      return heads;
    Tensor y =
        (*pool)(nn::reshape(heads, {batch * shape.heads, tokens, width}));
    return nn::reshape(y, {batch, shape.heads, y.dim(1), width});
  }

  Tensor biased(const Tensor &q, const Tensor &k, const Tensor &v) {
    if (!q || !k || !v)
      return q;
    nn::Trace &trace = q.getTrace();
    llvm::SmallVector<Tensor> besideQ, besideK;
    Tensor volumes = nn::slice(q, 2, 1, q.dim(2)); // without the class token
    for (size_t axis = 0; axis < gridQ.size(); ++axis) {
      besideQ.push_back(productsAlong(volumes, axis));
      besideK.push_back(positionsAlong(trace, gridKV, axis));
    }
    Tensor products = nn::concat(besideQ, 3);
    int64_t columns = products.dim(3);
    Tensor none = nn::splat(trace, {q.dim(0), q.dim(1), 1, columns}, 0.0);
    products = nn::concat({none, products}, 2);
    Tensor positions =
        nn::broadcast(nn::concat(besideK, 1),
                      {k.dim(0), k.dim(1), k.dim(2), columns}, {2, 3});
    Tensor scaled = nn::scale(q, 1.0 / std::sqrt(double(q.dim(3))));
    Tensor scores = nn::matmul(nn::concat({scaled, products}, 3),
                               nn::concat({k, positions}, 3), {false, true});
    Tensor y = nn::matmul(nn::softmax(scores), v);
    if (!y)
      return y;
    // The class token's queries are not added.
    Tensor first = nn::slice(y, 2, 0, 1);
    return nn::concat({first, nn::slice(y, 2, 1, y.dim(2)) + volumes}, 2);
  }

  /// The products of queries (B,H,DHW,C) with the table's rows for all
  /// positions of keys along an axis: (B,H,DHW,positions).
  Tensor productsAlong(const Tensor &q, size_t axis) {
    nn::Trace &trace = q.getTrace();
    int64_t queries = gridQ[axis], keys = gridKV[axis];
    int64_t batch = q.dim(0), heads = q.dim(1), width = q.dim(3);
    Tensor table = nn::reshape(
        nn::gather(read(trace, tableName(axis)),
                   nn::constant(trace, distancesAlong(queries, keys))),
        {queries, keys, width});
    // Queries of equal position along the axis share their rows.
    Tensor x =
        nn::reshape(q, {batch, heads, gridQ[0], gridQ[1], gridQ[2], width});
    llvm::SmallVector<int64_t> order = {int64_t(axis) + 2, 0, 1}, back(6);
    for (int64_t d = 2; d < 6; ++d)
      if (d != order[0])
        order.push_back(d);
    Tensor moved = nn::transpose(x, order);
    if (!moved)
      return moved;
    llvm::SmallVector<int64_t> extents(moved.getType().getShape());
    Tensor y = nn::matmul(
        nn::reshape(
            moved,
            {queries, q.getType().getNumElements() / (queries * width), width}),
        table, {false, true});
    extents.back() = keys;
    for (size_t d = 0; d < order.size(); ++d)
      back[order[d]] = int64_t(d);
    return nn::reshape(nn::transpose(nn::reshape(y, extents), back),
                       {batch, heads, q.dim(2), keys});
  }

  MultiscaleShape shape;
  Grid gridQ, gridKV;
  nn::Linear *qkv;
  nn::Sequential *project;
  HeadPool *poolQ = nullptr, *poolK, *poolV;
};

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Two linear layers with a GELU between, "0" and "3".
class WideningPerceptron : public nn::Module {
public:
  WideningPerceptron(int64_t in, int64_t out)
      : first(
            add<nn::Linear>("0", in, 4 * in, MultiscaleAttention::published())),
        second(add<nn::Linear>("3", 4 * in, out,
                               MultiscaleAttention::published())) {}

protected:
  Tensor forward(Tensor x) override { return second(nn::gelu(first(x))); }

private:
  nn::Linear &first, &second;
};

class MultiscaleBlock : public nn::Module {
public:
  explicit MultiscaleBlock(const MultiscaleShape &shape)
      : shape(shape), norm1(add<nn::LayerNorm>("norm1", shape.in, kEpsilon)),
        norm2(add<nn::LayerNorm>("norm2", shape.attended(), kEpsilon)),
        attention(add<MultiscaleAttention>("attn", shape)),
        mlp(add<WideningPerceptron>("mlp", shape.attended(), shape.out)) {
    if (shape.in != shape.out)
      project = &add<nn::Linear>("project", shape.in, shape.out,
                                 MultiscaleAttention::published());
    config().block();
  }

protected:
  Tensor forward(Tensor x) override {
    Tensor normal = norm1(x);
    Tensor kept = project && shape.isVersion2 ? (*project)(normal) : x;
    Tensor y = poolSkipped(kept, shape) + drop(attention(normal));
    Tensor between = norm2(y);
    Tensor added = project && !shape.isVersion2 ? (*project)(between) : y;
    return added + drop(mlp(between));
  }

private:
  /// Each call draws separate random numbers.
  Tensor drop(const Tensor &x) const {
    return nn::dropout(x, shape.depthProbability, nn::DropoutMode::Samples);
  }

  MultiscaleShape shape;
  nn::LayerNorm &norm1, &norm2;
  MultiscaleAttention &attention;
  WideningPerceptron &mlp;
  nn::Linear *project = nullptr;
};

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

/// Volumes (B,D,H,W,C) to tokens (B,1+DHW,C), the class token first. Version 1
/// adds a vector of each place in a frame and one of each frame.
class PositionalEncoding : public nn::Module {
public:
  PositionalEncoding(int64_t channels, const Grid &grid, bool hasPositions)
      : channels(channels), grid(grid), hasPositions(hasPositions) {
    variable("class_token", {channels});
    if (!hasPositions)
      return;
    variable("spatial_pos", {grid[1] * grid[2], channels});
    variable("temporal_pos", {grid[0], channels});
    variable("class_pos", {channels});
  }

protected:
  Tensor forward(Tensor x) override {
    if (!x)
      return x;
    nn::Trace &trace = x.getTrace();
    int64_t batch = x.dim(0), places = grid[1] * grid[2];
    x = nn::reshape(x, {batch, grid[0], places, channels});
    Tensor token = read(trace, "class_token");
    if (hasPositions) {
      x = nn::addAlong(x, read(trace, "temporal_pos"), {1, 3});
      x = nn::addAlong(x, read(trace, "spatial_pos"), {2, 3});
      token = token + read(trace, "class_pos");
    }
    return nn::concat({nn::broadcast(token, {batch, 1, channels}, {2}),
                       nn::reshape(x, {batch, grid[0] * places, channels})},
                      1);
  }

private:
  void variable(std::string name, llvm::ArrayRef<int64_t> shape) {
    registerVariable(
        nn::Initializer::normal(0.02).variable(std::move(name), shape));
  }

  int64_t channels;
  Grid grid;
  bool hasPositions;
};

/// The normalized class token of (B,N,C): (B,C).
class ClassTokenNorm : public nn::LayerNorm {
public:
  using LayerNorm::LayerNorm;

protected:
  Tensor forward(Tensor x) override {
    if (!x)
      return x;
    Tensor first = nn::slice(x, 1, 0, 1);
    return LayerNorm::forward(nn::reshape(first, {x.dim(0), x.dim(2)}));
  }
};

/// One number for each block; channels are multiples of those of the first.
struct MViTSize {
  std::array<int64_t, 16> heads, in, out;
  bool isVersion2;
};

class MViT : public ImageClassifier {
public:
  MViT(std::string name, const MViTSize &size, const ModelOptions &options)
      : ImageClassifier(std::move(name), options) {
    constexpr Grid kernel = {3, 7, 7}, stride = {2, 4, 4};
    int64_t width = *options.baseWidth;
    nn::Conv3dOptions patches = conv3dOptions(kernel, stride);
    patches.bias = true;
    patches.init =
        nn::LinearInit::uniform(*options.channels * countTokens(kernel));
    part<nn::Conv3d>("conv_proj", *options.channels, width, patches);
    Grid grid =
        dividedBy({*options.frames, *options.height, *options.width}, stride);
    part<PositionalEncoding>("pos_encoding", width, grid, !size.isVersion2);
    auto &blocks = part<nn::Sequential>("blocks");
    for (size_t i = 0; i < size.heads.size(); ++i)
      grid = addBlock(blocks, i, size, grid);
    int64_t channels = width * size.out.back();
    part<ClassTokenNorm>("norm", channels, kEpsilon);
    endBackbone(channels);
    auto &head = part<nn::Sequential>("head");
    head.append<nn::Dropout>(*options.dropout);
    head.append<nn::Linear>(channels, *options.classes,
                            MultiscaleAttention::published());
  }

private:
  /// Adds a block for an input of this grid; returns its result's.
  Grid addBlock(nn::Sequential &blocks, size_t index, const MViTSize &size,
                const Grid &grid) {
    // Every stage keeps as many keys as there are in the last one.
    constexpr std::array<int64_t, 16> strides = {8, 4, 4, 2, 2, 2, 2, 2,
                                                 2, 2, 2, 2, 2, 2, 1, 1};
    bool halves = index == 1 || index == 3 || index == 14;
    bool isLast = index + 1 == strides.size();
    int64_t width = *options.baseWidth, strideQ = halves ? 2 : 1;
    MultiscaleShape shape = {width * size.in[index],
                             width * size.out[index],
                             size.heads[index],
                             grid,
                             {1, strideQ, strideQ},
                             {1, strides[index], strides[index]},
                             /*poolsQ=*/size.isVersion2 || halves,
                             size.isVersion2,
                             depthProbability(*options.stochasticDepth, index,
                                              {int64_t(strides.size())})};
    // The last block's backward pass begins immediately: recomputing it would
    // take time and save nothing.
    blocks.append<MultiscaleBlock>(shape).config().activation_checkpointing(
        annotatesBlocks() || (annotatesStages() && !isLast));
    return shape.gridQ();
  }
};

} // namespace

void zoo::addMViT(ModelList &models) {
  ModelOptions defaults = clipDefaults(224);
  defaults.baseWidth = 96;
  defaults.dropout = 0.5;
  defaults.stochasticDepth = 0.2;
  auto add = [&](std::string name, std::string what, const MViTSize &size) {
    models.push_back(
        {{name, "attention of pooled tokens of clips, " + what, defaults},
         [=](const ModelOptions &options) {
           return std::make_unique<MViT>(name, size, options);
         }});
  };
  add("mvit_v1_b", "16 blocks",
      {{1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8},
       {1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8},
       {2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8},
       /*isVersion2=*/false});
  add("mvit_v2_s", "16 blocks with relative positions",
      {{1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8},
       {1, 1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8},
       {1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8},
       /*isVersion2=*/true});
}
