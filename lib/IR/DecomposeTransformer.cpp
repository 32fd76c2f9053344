//===- DecomposeTransformer.cpp - Transformers' layers as primitives ------===//
//
// bf16 and f16 are computed in f32 and rounded once, at the end.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
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
// Activations
//===----------------------------------------------------------------------===//

template <typename OpTy> static Values decompose(OpTy op, Emitter &e) {
  Value x = widened(e, op.getOperand());
  return {e.as(activation(op, e, x), op.getOperand())};
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
  attach<LayerNormOp, LayerNormGradOp, GeluOp, SiluOp, HardSigmoidOp,
         HardSwishOp, GatherGradOp>(context);
}
