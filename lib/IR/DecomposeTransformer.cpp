//===- DecomposeTransformer.cpp - Transformers' layers as primitives ------===//
//
// bf16 and f16 are computed in f32 and rounded once, at the end.
//
//===----------------------------------------------------------------------===//

#include "DecomposeModel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Layer normalization
//===----------------------------------------------------------------------===//

static Value sumOfRows(Emitter &e, Value x) {
  return e.make<ReduceSumOp>(x, ArrayRef<int64_t>{tensorOf(x).getRank() - 1});
}

/// Two passes over x: the difference of two large sums would lose the variance.
static Values decompose(LayerNormOp op, Emitter &e) {
  Value gamma = op.getGamma();
  Value x = e.as(op.getX(), gamma);
  Value sum = sumOfRows(e, x);
  Value count = e.splat(sum, tensorOf(x).getShape().back());
  Value mean = e.div(sum, count);
  Value centered = e.sub(x, e.leading(mean, x));
  Value squares = sumOfRows(e, e.mul(centered, centered));
  Value variance = e.div(squares, count);
  Value epsilon = e.splat(variance, op.getEpsilon().convertToDouble());
  Value rstd = e.make<RsqrtOp>(e.add(variance, epsilon));
  Value xhat = e.mul(centered, e.leading(rstd, x));
  Value scaled = e.mul(xhat, e.trailing(gamma, x));
  Value y = e.add(scaled, e.trailing(op.getBeta(), x));
  return {e.as(y, op.getX()), mean, rstd};
}

/// dx = rstd * ((g - sum g / C) - xhat * (sum(g * xhat) / C)), g = dy * gamma.
static Values decompose(LayerNormGradOp op, Emitter &e) {
  Value gamma = op.getGamma();
  Value x = e.as(op.getX(), gamma), dy = e.as(op.getDy(), gamma);
  Value centered = e.sub(x, e.leading(op.getMean(), x));
  Value rstd = e.leading(op.getRstd(), x);
  Value xhat = e.mul(centered, rstd);
  Value dbeta = e.sumToLast(dy);
  Value dgamma = e.sumToLast(e.mul(dy, xhat));
  Value scaled = e.mul(dy, e.trailing(gamma, x));
  Value sum = sumOfRows(e, scaled);
  Value dot = sumOfRows(e, e.mul(scaled, xhat));
  Value count = e.splat(sum, tensorOf(x).getShape().back());
  Value meanScaled = e.div(sum, count);
  Value meanProduct = e.div(dot, count);
  Value shifted = e.sub(scaled, e.leading(meanScaled, x));
  Value projected = e.mul(xhat, e.leading(meanProduct, x));
  Value rest = e.sub(shifted, projected);
  Value dx = e.mul(rstd, rest);
  return {e.as(dx, op.getX()), dgamma, dbeta};
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Part `which` of P in (B,N,P,H,D), with the heads separated: (B,H,N,D).
static Value headsOf(Emitter &e, Value parts, int64_t which) {
  auto type = tensorOf(parts);
  SmallVector<int64_t> starts(5, 0), limits(type.getShape()), strides(5, 1);
  starts[2] = which;
  limits[2] = which + 1;
  Value one = e.make<SliceOp>(parts, starts, limits, strides);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + 2);
  Value flat = e.make<ReshapeOp>(type.clone(shape), one);
  return e.make<TransposeOp>(flat, ArrayRef<int64_t>{0, 2, 1, 3});
}

/// (B,H,N,D) as part of (B,N,3,H,D): (B,N,1,H,D).
static Value asPart(Emitter &e, Value heads) {
  Value turned = e.make<TransposeOp>(heads, ArrayRef<int64_t>{0, 2, 1, 3});
  SmallVector<int64_t> shape(tensorOf(turned).getShape());
  shape.insert(shape.begin() + 2, 1);
  return e.make<ReshapeOp>(tensorOf(turned).clone(shape), turned);
}

/// A product of matrices with elements of `element`.
static Value product(Emitter &e, Value a, Value b, bool transposeA,
                     bool transposeB, Type element) {
  auto type = tensorOf(a);
  SmallVector<int64_t> shape(type.getShape());
  shape[2] = type.getDimSize(transposeA ? 3 : 2);
  shape[3] = tensorOf(b).getDimSize(transposeB ? 2 : 3);
  return e.make<MatMulOp>(RankedTensorType::get(shape, element), a, b,
                          transposeA, transposeB);
}

/// scale (q . k) + bias, in the type of lse.
static Value scoresOf(Emitter &e, Value q, Value k, double scale, Value bias,
                      Type wide) {
  Value scores = e.scale(product(e, q, k, false, true, wide), scale);
  if (!bias)
    return scores;
  auto type = tensorOf(scores), given = tensorOf(bias);
  int64_t rows = given.getDimSize(0);
  SmallVector<int64_t> apart(given.getShape());
  apart.insert(apart.begin(), type.getDimSize(0) / rows);
  Value split = e.make<ReshapeOp>(type.clone(apart), scores);
  Value repeated = e.make<BroadcastOp>(type.clone(apart), bias,
                                       ArrayRef<int64_t>{1, 2, 3, 4});
  return e.make<ReshapeOp>(type, e.add(split, repeated));
}

/// Drops elements of a tensor (B,H,N,N) as the attention does, if it has
/// dropout.
template <typename OpTy> static Value dropped(OpTy op, Emitter &e, Value x) {
  if (!op.getSeed())
    return x;
  return e.make<DropoutOp>(x.getType(), x, op.getSeed(), op.getStep(),
                           *op.getProbability(), *op.getStream(),
                           /*per_sample=*/false);
}

static Values decompose(AttentionOp op, Emitter &e) {
  Value qkv = op.getQkv();
  Type wide = tensorOf(op.getLse()).getElementType();
  Value q = headsOf(e, qkv, 0), k = headsOf(e, qkv, 1), v = headsOf(e, qkv, 2);
  Value scores =
      scoresOf(e, q, k, op.getScale().convertToDouble(), op.getBias(), wide);
  Value weights = e.as(dropped(op, e, e.make<SoftmaxOp>(scores)), qkv);
  Value mixed =
      product(e, weights, v, false, false, tensorOf(qkv).getElementType());
  Value y = e.make<TransposeOp>(mixed, ArrayRef<int64_t>{0, 2, 1, 3});
  constexpr int64_t last[] = {3};
  Value top = e.make<ReduceMaxOp>(scores, ArrayRef<int64_t>(last));
  Value shifted = e.sub(scores, e.leading(top, scores));
  Value sum = e.make<ReduceSumOp>(e.exp(shifted), ArrayRef<int64_t>(last));
  Value lse = e.add(e.make<LogOp>(sum), top);
  return {y, lse};
}

/// dbias: the sum of (B,H,N,N) over samples of the same row of (P,H,N,N).
static Value sumOfRow(Emitter &e, Value scores, Value bias) {
  auto type = tensorOf(scores), wanted = tensorOf(bias);
  SmallVector<int64_t> apart(wanted.getShape());
  apart.insert(apart.begin(), type.getDimSize(0) / wanted.getDimSize(0));
  Value split = e.make<ReshapeOp>(type.clone(apart), scores);
  return e.make<ReduceSumOp>(split, ArrayRef<int64_t>{0});
}

static Values decompose(AttentionGradOp op, Emitter &e) {
  Value qkv = op.getQkv(), lse = op.getLse(), bias = op.getBias();
  Type narrow = tensorOf(qkv).getElementType(),
       wide = tensorOf(lse).getElementType();
  double scale = op.getScale().convertToDouble();
  Value q = headsOf(e, qkv, 0), k = headsOf(e, qkv, 1), v = headsOf(e, qkv, 2);
  Value dy = e.make<TransposeOp>(op.getDy(), ArrayRef<int64_t>{0, 2, 1, 3});
  Value y = e.make<TransposeOp>(op.getY(), ArrayRef<int64_t>{0, 2, 1, 3});
  Value scores = scoresOf(e, q, k, scale, bias, wide);
  Value p = e.exp(e.sub(scores, e.leading(lse, scores)));
  Value wideY = e.as(y, lse), wideDy = e.as(dy, lse);
  Value delta = e.make<ReduceSumOp>(e.mul(wideY, wideDy), ArrayRef<int64_t>{3});
  Value kept = dropped(op, e, p);
  Value dv = product(e, e.as(kept, qkv), dy, true, false, narrow);
  Value dp = dropped(op, e, product(e, dy, v, false, true, wide));
  Value ds = e.mul(p, e.sub(dp, e.leading(delta, dp)));
  Value scaled = e.as(e.scale(ds, scale), qkv);
  Value dq = product(e, scaled, k, false, false, narrow);
  Value dk = product(e, scaled, q, true, false, narrow);
  SmallVector<Value> parts;
  for (Value part : {dq, dk, dv})
    parts.push_back(asPart(e, part));
  Values results = {e.make<ConcatOp>(ValueRange(parts), 2)};
  if (bias)
    results.push_back(sumOfRow(e, ds, bias));
  return results;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// dtable[k,...] = sum over n of dy[n,...] where indices[n] is k, else 0.
static Values decompose(GatherGradOp op, Emitter &e) {
  auto table = tensorOf(op.getResult());
  int64_t rows = table.getDimSize(0);
  int64_t count = tensorOf(op.getIndices()).getNumElements();
  int64_t width = table.getNumElements() / rows;
  Type counter = tensorOf(op.getIndices()).getElementType();
  auto typed = [&](Type element) {
    return RankedTensorType::get({rows, width, count}, element);
  };
  Value indices = e.make<ReshapeOp>(RankedTensorType::get({count}, counter),
                                    op.getIndices());
  Value rowNumber = e.make<IotaOp>(typed(counter), 0);
  Value wanted =
      e.make<BroadcastOp>(typed(counter), indices, ArrayRef<int64_t>{2});
  Value mask = e.compare(ComparePredicate::EQ, rowNumber, wanted);
  Value flat = e.make<ReshapeOp>(
      RankedTensorType::get({count, width}, table.getElementType()),
      op.getDy());
  Value turned = e.make<TransposeOp>(flat, ArrayRef<int64_t>{1, 0});
  Value repeated = e.make<BroadcastOp>(typed(table.getElementType()), turned,
                                       ArrayRef<int64_t>{1, 2});
  Value picked = e.select(mask, repeated, e.zeros(repeated));
  Value sum = e.make<ReduceSumOp>(picked, ArrayRef<int64_t>{2});
  return {e.make<ReshapeOp>(table, sum)};
}

template <typename... Ops> static void attach(MLIRContext *context) {
  (attachDecomposition<Ops, decompose>(context), ...);
}

void sg::registerTransformerDecompositions(MLIRContext *context) {
  attach<AttentionOp, AttentionGradOp, LayerNormOp, LayerNormGradOp,
         GatherGradOp>(context);
}
