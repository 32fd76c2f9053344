//===- PoolModels.cpp - Pools and their gradients -------------------------===//

#include "Models.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

/// The positions in x, row-major and without the padding, of the window of the
/// result's element at index `at`.
template <typename OpTy>
static SmallVector<int64_t> windowOf(OpTy op, const Tensor &x,
                                     ArrayRef<int64_t> at) {
  SmallVector<int64_t> positions;
  forEachIndex(op.getWindow(), [&](ArrayRef<int64_t> tap) {
    int64_t h = at[1] * op.getStrides()[0] - op.getPadding()[0] + tap[0];
    int64_t w = at[2] * op.getStrides()[1] - op.getPadding()[2] + tap[1];
    if (h >= 0 && h < x.getDim(1) && w >= 0 && w < x.getDim(2))
      positions.push_back(x.position({at[0], h, w, at[3]}));
  });
  return positions;
}

/// The first maximum of a window; NaN is above all; -1 if it has no element.
static int64_t firstMaximum(const Tensor &x, ArrayRef<int64_t> window) {
  int64_t best = -1;
  for (int64_t i : window)
    if (best < 0 || (!std::isnan(x.real(best)) &&
                     (std::isnan(x.real(i)) || x.real(i) > x.real(best))))
      best = i;
  return best;
}

static void maxPool(sg::MaxPool2DOp op, Frame &, Operands operands,
                    Results results) {
  const Tensor &x = operands[0];
  forEachIndex(results[0].getShape(), [&](ArrayRef<int64_t> at) {
    int64_t best = firstMaximum(x, windowOf(op, x, at));
    results[0].real(at) =
        best < 0 ? -std::numeric_limits<double>::infinity() : x.real(best);
  });
}

static void maxPoolGrad(sg::MaxPool2DGradOp op, Frame &, Operands operands,
                        Results results) {
  const Tensor &x = operands[0], &dy = operands[1];
  forEachIndex(dy.getShape(), [&](ArrayRef<int64_t> at) {
    int64_t best = firstMaximum(x, windowOf(op, x, at));
    if (best >= 0)
      results[0].real(best) += dy.real(at);
  });
}

/// The number of a position of x, row-major, in the window of the result's
/// element at index `at`.
template <typename OpTy>
static int64_t numberIn(OpTy op, const Tensor &x, ArrayRef<int64_t> at,
                        int64_t position) {
  int64_t pixel = position / x.getDim(3);
  int64_t h = pixel / x.getDim(2) % x.getDim(1), w = pixel % x.getDim(2);
  int64_t row = h - at[1] * op.getStrides()[0] + op.getPadding()[0];
  int64_t column = w - at[2] * op.getStrides()[1] + op.getPadding()[2];
  return row * op.getWindow()[1] + column;
}

static void maxPoolArgmax(sg::MaxPool2DArgmaxOp op, Frame &, Operands operands,
                          Results results) {
  const Tensor &x = operands[0];
  int64_t i = 0; // elements in their order
  forEachIndex(results[0].getShape(), [&](ArrayRef<int64_t> at) {
    int64_t best = firstMaximum(x, windowOf(op, x, at));
    results[0].integer(i++) = numberIn(op, x, at, best);
  });
}

static void maxPoolScatter(sg::MaxPool2DScatterOp op, Frame &,
                           Operands operands, Results results) {
  const Tensor &argmax = operands[0], &dy = operands[1];
  Tensor &dx = results[0];
  int64_t i = 0;
  forEachIndex(dy.getShape(), [&](ArrayRef<int64_t> at) {
    int64_t number = argmax.integer(i++);
    for (int64_t position : windowOf(op, dx, at))
      if (numberIn(op, dx, at, position) == number)
        dx.real(position) += dy.real(at);
  });
}

/// The divisor of a window's sum. A window entirely in the padding has the sum
/// 0 and keeps it.
template <typename OpTy>
static double divisor(OpTy op, ArrayRef<int64_t> window) {
  if (op.getCountIncludePad())
    return op.getWindow()[0] * op.getWindow()[1];
  return std::max<size_t>(window.size(), 1);
}

static void avgPool(sg::AvgPool2DOp op, Frame &, Operands operands,
                    Results results) {
  const Tensor &x = operands[0];
  forEachIndex(results[0].getShape(), [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> window = windowOf(op, x, at);
    double sum = 0.0;
    for (int64_t i : window)
      sum += x.real(i);
    results[0].real(at) = sum / divisor(op, window);
  });
}

static void avgPoolGrad(sg::AvgPool2DGradOp op, Frame &, Operands operands,
                        Results results) {
  const Tensor &dy = operands[0];
  Tensor &dx = results[0];
  forEachIndex(dy.getShape(), [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> window = windowOf(op, dx, at);
    for (int64_t i : window)
      dx.real(i) += dy.real(at) / divisor(op, window);
  });
}

static void globalAvgPool(sg::GlobalAvgPoolOp op, Frame &, Operands operands,
                          Results results) {
  const Tensor &x = operands[0];
  Tensor &y = results[0];
  forEachIndex(x.getShape(), [&](ArrayRef<int64_t> at) {
    y.real({at[0], at[3]}) += x.real(at);
  });
  for (int64_t i = 0; i < y.size(); ++i)
    y.real(i) /= x.getDim(1) * x.getDim(2);
}

void reference::registerPoolModels(MLIRContext *context) {
  attach<sg::MaxPool2DOp, maxPool>(context);
  attach<sg::MaxPool2DGradOp, maxPoolGrad>(context);
  attach<sg::MaxPool2DArgmaxOp, maxPoolArgmax>(context);
  attach<sg::MaxPool2DScatterOp, maxPoolScatter>(context);
  attach<sg::AvgPool2DOp, avgPool>(context);
  attach<sg::AvgPool2DGradOp, avgPoolGrad>(context);
  attach<sg::GlobalAvgPoolOp, globalAvgPool>(context);
}
