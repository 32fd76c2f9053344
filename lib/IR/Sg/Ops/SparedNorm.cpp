//===- SparedNorm.cpp - Derivatives of norms that do not read x -----------===//
//
// Input:   a batch norm of x = r W^T, marked `spares_x`.
// Output:  the gradients of r, W, gamma and beta, without x: x is linear in r,
//          and so sums over x are sums over r that W is multiplied by.
// Method:  with n rows, m(.) means over rows, and sums about the mean of r
//            C = r^T r - n m(r) m(r)^T,  G = dy^T r - n m(dy) m(r)^T,
//          insert x - m(x) = (r - m(r)) W^T into the gradients of the norm,
//            dx = k (dy - m(dy) - xhat dgamma / n),  k = gamma rstd,
//            dgamma = rstd sum (W G along rows),  b = k rstd dgamma / n,
//          and these into those of the product, dW = dx^T r and dr = dx W:
//            dW = k G - b (W C)
//            dr = dy (k W) - r (W^T b W) - m(dy) (k W) + m(r) (W^T b W).
//          The gradients of the norm are Ioffe's and Szegedy's (2015,
//          arXiv 1502.03167).
// Cost:    two products of r and a matrix of its columns, and two of weights,
//          in place of a kernel that computes dx and of reading x twice.
// Fails:   if x is no such product.
//
//===----------------------------------------------------------------------===//
#include "../Models.h"
#include "reprise/IR/SparedNorms.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static bool areAll(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t v) { return v == value; });
}

Conv2DOp sg::pointConvolutionBehind(Value x, Operation *reader) {
  while (isa_and_present<KeepOp, RecomputeOp>(x.getDefiningOp()))
    x = x.getDefiningOp()->getOperand(0);
  auto convolution = x.getDefiningOp<Conv2DOp>();
  if (!convolution || convolution->getBlock() != reader->getBlock() ||
      !tensorOf(x).getElementType().isF32() ||
      !tensorOf(convolution.getX()).getElementType().isF32())
    return nullptr;
  ArrayRef<int64_t> filter = tensorOf(convolution.getFilter()).getShape();
  bool isOfPoints = filter[1] == 1 && filter[2] == 1 &&
                    convolution.getGroups() == 1 &&
                    areAll(convolution.getStrides(), 1) &&
                    areAll(convolution.getPadding(), 0);
  return isOfPoints ? convolution : nullptr;
}

namespace {
/// The formulas above, part by part. Matrices have as many columns as r.
class SparedNorm {
public:
  SparedNorm(BatchNormTrainingOp norm, Conv2DOp convolution, Value dy,
             VjpContext &context)
      : e(context.builder, norm.getLoc()), convolution(convolution), dy(dy),
        r(context.forward(convolution.getX())),
        filter(context.forward(convolution.getFilter())) {
    Value gamma = context.forward(norm.getGamma()),
          rstd = context.forward(norm.getRstd());
    weights = matrix(filter);
    // This must be the first reader of r: if r is recomputed, the recomputation
    // waits for the gradients that its first reader also reads.
    Value ofDy = filterGradient(dy, tensorOf(weights).getDimSize(0));
    dbeta = e.sumToLast(dy);
    sumR = e.sumToLast(r);
    meanDy = mean(dbeta);
    meanR = mean(sumR);
    sums = aboutMean(ofDy, dbeta);
    Value product = e.mul(weights, sums);
    Value projected = e.make<ReduceSumOp>(product, ArrayRef<int64_t>{1});
    dgamma = e.mul(rstd, projected);
    slope = e.mul(gamma, rstd);
    Value scaled = e.mul(slope, rstd);
    share = e.mul(scaled, mean(dgamma));
  }

  Value gradientOfFilter() {
    Value variances = aboutMean(filterGradient(r, columns()), sumR);
    Value shared = e.make<MatMulOp>(weights, variances, false, false);
    Value first = timesRows(sums, slope), second = timesRows(shared, share);
    return e.make<ReshapeOp>(filter.getType(), e.sub(first, second));
  }

  Value gradientOfInput() {
    Value sloped = timesRows(weights, slope);
    Value shared = e.neg(timesRows(weights, share));
    Value back = e.make<MatMulOp>(weights, shared, true, false);
    Value offset = e.add(rowTimes(meanDy, sloped), rowTimes(meanR, back));
    Value ofDy = inputGradient(dy, sloped), ofR = inputGradient(r, back);
    Value sum = e.add(ofDy, ofR);
    return e.sub(sum, e.trailing(offset, sum));
  }

  Value dgamma, dbeta;

private:
  int64_t columns() { return tensorOf(r).getShape().back(); }

  Value mean(Value sum) {
    int64_t rows = tensorOf(r).getNumElements() / columns();
    return e.div(sum, e.splat(sum, static_cast<double>(rows)));
  }
  /// (O,1,1,I) as (O,I).
  Value matrix(Value value) {
    auto type = tensorOf(value);
    return e.make<ReshapeOp>(type.clone({type.getDimSize(0), columns()}),
                             value);
  }
  /// A matrix with each row multiplied by its own factor.
  Value timesRows(Value value, Value factors) {
    return e.mul(value, e.leading(factors, value));
  }
  /// The product of a row and a matrix.
  Value rowTimes(Value row, Value value) {
    return e.make<ReduceSumOp>(timesRows(value, row), ArrayRef<int64_t>{0});
  }
  /// left^T r.
  Value filterGradient(Value left, int64_t height) {
    auto type = tensorOf(filter).clone({height, 1, 1, columns()});
    return matrix(e.make<Conv2DFilterGradOp>(
        type, r, left, convolution.getStrides(), convolution.getPadding(),
        convolution.getDilation(), convolution.getGroups()));
  }
  /// left^T r corrected for the means, where `sum` are the sums of left.
  Value aboutMean(Value product, Value sum) {
    Value means = e.trailing(meanR, product);
    return e.sub(product, timesRows(means, sum));
  }
  /// left times a matrix.
  Value inputGradient(Value left, Value by) {
    auto type = tensorOf(by);
    Value reshaped = e.make<ReshapeOp>(
        type.clone({type.getDimSize(0), 1, 1, columns()}), by);
    return e.make<Conv2DInputGradOp>(
        r.getType(), left, reshaped, convolution.getStrides(),
        convolution.getPadding(), convolution.getDilation(),
        convolution.getGroups());
  }

  Emitter e;
  Conv2DOp convolution;
  Value dy, r, filter;
  Value weights, sumR, meanDy, meanR; // W, sums and means over rows
  Value sums;                         // G
  Value slope, share;                 // k, b
};
} // namespace

LogicalResult sg::sparedNormVjp(BatchNormTrainingOp op, VjpContext &context) {
  Conv2DOp convolution = pointConvolutionBehind(op.getX(), op);
  if (!convolution)
    return op.emitError() << "spares x, which is not a convolution of single "
                             "points in f32 in the same block";
  Value dy = context.cotangent(cast<OpResult>(op.getY()));
  SparedNorm norm(op, convolution, dy, context);
  if (context.needsGradient(convolution.getFilterMutable()))
    context.addGradient(convolution.getFilterMutable(),
                        norm.gradientOfFilter());
  if (context.needsGradient(convolution.getXMutable()))
    context.addGradient(convolution.getXMutable(), norm.gradientOfInput());
  if (context.needsGradient(op.getGammaMutable()))
    context.addGradient(op.getGammaMutable(), norm.dgamma);
  if (context.needsGradient(op.getBetaMutable()))
    context.addGradient(op.getBetaMutable(), norm.dbeta);
  return success();
}
