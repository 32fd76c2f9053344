//===- TransformerLayers.cpp - Random layers of transformers --------------===//

#include "TransformerLayers.h"
#include "Layers.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::random_graphs;

static RankedTensorType typeOf(Value x) {
  return cast<RankedTensorType>(x.getType());
}

static Value as(OpBuilder &b, Value x, Type element) {
  RankedTensorType type = typeOf(x).clone(element);
  if (x.getType() == type)
    return x;
  return sg::CastOp::create(b, b.getUnknownLoc(), type, x);
}

Value TransformerLayers::layerNorm(Value x, StringRef path) {
  int64_t width = typeOf(x).getShape().back();
  Value gamma = state.parameter(b, path, {width});
  Value beta = state.parameter(b, path, {width});
  return sg::LayerNormOp::create(b, b.getUnknownLoc(), x, gamma, beta,
                                 b.getF64FloatAttr(1e-2))
      .getY();
}

Value TransformerLayers::activation(Value x) {
  Location loc = b.getUnknownLoc();
  switch (random.below(5)) {
  case 0:
    return sg::SiluOp::create(b, loc, x);
  case 1:
    return sg::HardSigmoidOp::create(b, loc, x);
  case 2:
    return sg::HardSwishOp::create(b, loc, x);
  default:
    return sg::GeluOp::create(b, loc, x.getType(), x, random.oneIn(2));
  }
}

Value TransformerLayers::dropped(Value x, bool samples) {
  Value seed = state.counter(b, "rng.seed", sg::Role::Seed);
  Value step = state.counter(b, "rng.step", sg::Role::Counter);
  double probability = random.pick<double>({0.125, 0.3});
  return sg::DropoutOp::create(b, b.getUnknownLoc(), x.getType(), x, seed, step,
                               b.getF64FloatAttr(probability),
                               b.getI64IntegerAttr(state.nextStream()),
                               samples ? b.getUnitAttr() : UnitAttr());
}

/// x and what is left of an activation of it.
Value TransformerLayers::dropSamples(Value x) {
  Value branch = dropped(activation(x), /*samples=*/true);
  return sg::AddOp::create(b, b.getUnknownLoc(), x, branch);
}

Value TransformerLayers::roll(Value x) {
  SmallVector<int64_t> shifts;
  for (int64_t extent : typeOf(x).getShape())
    shifts.push_back(random.oneIn(2) ? 0 : random.below(extent));
  if (random.oneIn(2))
    for (auto [shift, extent] : llvm::zip(shifts, typeOf(x).getShape()))
      shift = shift == 0 ? 0 : shift - extent;
  return sg::RollOp::create(b, b.getUnknownLoc(), x, shifts);
}

/// Rows of a learned table (rows,width) at constant indices, as `shape` and in
/// the element type of `like`.
Value TransformerLayers::lookUp(Value like, ArrayRef<int64_t> shape,
                                int64_t rows, int64_t width, StringRef path,
                                ArrayRef<int32_t> indices) {
  Location loc = b.getUnknownLoc();
  auto type = RankedTensorType::get(shape, b.getI32Type());
  Value constant =
      sg::ConstantOp::create(b, loc, DenseElementsAttr::get(type, indices));
  Value table = as(b, state.parameter(b, path, {rows, width}),
                   typeOf(like).getElementType());
  return sg::GatherOp::create(b, loc, table, constant);
}

/// Adds to each position a row of a table, at times none.
Value TransformerLayers::embed(Value x, StringRef path) {
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  int64_t rows = random.between(1, 9);
  SmallVector<int32_t> indices;
  for (int64_t i = typeOf(x).getNumElements() / shape.back(); i > 0; --i)
    indices.push_back(random.between(-1, rows));
  Value chosen =
      lookUp(x, shape.drop_back(), rows, shape.back(), path, indices);
  return sg::AddOp::create(b, b.getUnknownLoc(), x, chosen);
}

/// tokens (N,T,C) by a learned matrix (C,C), as (N,heads,T,C/heads) for two
/// heads where they divide.
Value TransformerLayers::project(Value tokens, StringRef path) {
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(tokens).getShape();
  int64_t batch = shape[0], count = shape[1], width = shape[2];
  int64_t heads = width % 2 == 0 ? 2 : 1;
  Type element = typeOf(tokens).getElementType();
  auto typed = [&](ArrayRef<int64_t> extents) {
    return RankedTensorType::get(extents, element);
  };
  Value rows =
      sg::ReshapeOp::create(b, loc, typed({batch * count, width}), tokens);
  Value weight = as(b, state.parameter(b, path, {width, width}), element);
  Value product = sg::MatMulOp::create(b, loc, rows, weight, false, true);
  Value parts = sg::ReshapeOp::create(
      b, loc, typed({batch, count, heads, width / heads}), product);
  return sg::TransposeOp::create(b, loc, parts, ArrayRef<int64_t>{0, 2, 1, 3});
}

/// scores (N,heads,T,T) and a learned number for each distance and head.
Value TransformerLayers::addDistances(Value scores, StringRef path) {
  Location loc = b.getUnknownLoc();
  int64_t heads = typeOf(scores).getDimSize(1),
          count = typeOf(scores).getDimSize(2);
  SmallVector<int32_t> indices;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < count; ++j)
      indices.push_back(i - j + count - 1);
  Value chosen =
      lookUp(scores, {count, count}, 2 * count - 1, heads, path, indices);
  Value byHead =
      sg::TransposeOp::create(b, loc, chosen, ArrayRef<int64_t>{2, 0, 1});
  return sg::AddOp::create(
      b, loc, scores, sg::broadcastTrailing(b, loc, byHead, typeOf(scores)));
}

/// Attention of the positions of an image to one another, in heads.
Value TransformerLayers::attend(Value x, StringRef path) {
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  int64_t batch = shape[0], count = shape[1] * shape[2], width = shape[3];
  Type element = typeOf(x).getElementType();
  Value tokens = sg::ReshapeOp::create(
      b, loc, RankedTensorType::get({batch, count, width}, element), x);
  // Small numbers keep what is near a maximum from depending on rounding.
  Value q = sg::TanhOp::create(b, loc, project(tokens, path));
  Value k = project(tokens, path), v = project(tokens, path);
  Value scores = sg::MatMulOp::create(b, loc, q, k, false, true);
  if (random.oneIn(2))
    scores = addDistances(scores, path);
  Value weights = sg::SoftmaxOp::create(b, loc, scores);
  if (random.oneIn(3))
    weights = dropped(weights, /*samples=*/false);
  Value mixed = sg::MatMulOp::create(b, loc, weights, v, false, false);
  Value turned =
      sg::TransposeOp::create(b, loc, mixed, ArrayRef<int64_t>{0, 2, 1, 3});
  return sg::ReshapeOp::create(b, loc, x.getType(), turned);
}

/// The same by one op, with a bias for every, every other, or each sample, and
/// with weights dropped.
Value TransformerLayers::attendAtOnce(Value x, StringRef path) {
  Location loc = b.getUnknownLoc();
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  int64_t batch = shape[0], count = shape[1] * shape[2], width = shape[3];
  int64_t heads = width % 2 == 0 ? 2 : 1;
  Type element = typeOf(x).getElementType();
  auto typed = [&](ArrayRef<int64_t> extents) {
    return RankedTensorType::get(extents, element);
  };
  Value rows = sg::ReshapeOp::create(b, loc, typed({batch * count, width}), x);
  Value weight = as(b, state.parameter(b, path, {3 * width, width}), element);
  Value product = sg::MatMulOp::create(b, loc, rows, weight, false, true);
  Value qkv = sg::ReshapeOp::create(
      b, loc, typed({batch, count, 3, heads, width / heads}),
      sg::TanhOp::create(b, loc, product));
  Value bias;
  if (random.oneIn(2)) {
    SmallVector<int64_t> divisors;
    for (int64_t d = 1; d <= batch; ++d)
      if (batch % d == 0)
        divisors.push_back(d);
    bias = state.parameter(
        b, path,
        {divisors[random.below(divisors.size())], heads, count, count});
  }
  double scale = random.pick<double>({1.0, 0.5, -0.75});
  Value seed, step;
  FloatAttr probability;
  IntegerAttr stream;
  // No draw of its own, which would make all later graphs of a seed others.
  if (scale == 0.5) {
    seed = state.counter(b, "rng.seed", sg::Role::Seed);
    step = state.counter(b, "rng.step", sg::Role::Counter);
    probability = b.getF64FloatAttr(0.3);
    stream = b.getI64IntegerAttr(state.nextStream());
  }
  Value mixed =
      sg::AttentionOp::create(b, loc, qkv, bias, seed, step,
                              b.getF64FloatAttr(scale), probability, stream)
          .getResult();
  return sg::ReshapeOp::create(b, loc, x.getType(), mixed);
}

Value TransformerLayers::any(Value x, StringRef path) {
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  bool attends = shape.size() == 4 && shape[1] * shape[2] <= 25;
  switch (random.below(attends ? 7 : 5)) {
  case 0:
    return layerNorm(x, path);
  case 1:
    return activation(x);
  case 2:
    return dropSamples(x);
  case 3:
    return roll(x);
  case 4:
    return embed(x, path);
  default:
    return random.oneIn(2) ? attend(x, path) : attendAtOnce(x, path);
  }
}
