//===- ProductModels.cpp - Matrix products and convolutions ---------------===//
//
// A convolution and its two gradients are sums over the same triples of
// elements (of the image, of the filter, of the result); they differ in which
// of the three they add to.
//
//===----------------------------------------------------------------------===//

#include "Models.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

/// Adds a bias (N) if there is a third operand.
template <typename OpTy>
static void matmul(OpTy op, Frame &, Operands operands, Results results) {
  const Tensor &a = operands[0], &b = operands[1];
  Tensor &c = results[0];
  int64_t rank = c.getRank();
  int64_t depth = a.getDim(rank - (op.getTransposeA() ? 2 : 1));
  forEachIndex(c.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> atA(index), atB(index);
    int64_t row = index[rank - 2], column = index[rank - 1];
    double sum = 0.0;
    for (int64_t k = 0; k < depth; ++k) {
      atA[rank - 2] = op.getTransposeA() ? k : row;
      atA[rank - 1] = op.getTransposeA() ? row : k;
      atB[rank - 2] = op.getTransposeB() ? column : k;
      atB[rank - 1] = op.getTransposeB() ? k : column;
      sum += a.real(atA) * b.real(atB);
    }
    c.real(index) = operands.size() > 2 ? sum + operands[2].real(column) : sum;
  });
}

/// Calls `visit` with the positions (in x, in filter, in y) of every product of
/// the convolution y = x * filter, except those with the padding.
template <typename OpTy>
static void
forEachProduct(OpTy op, const Tensor &x, const Tensor &filter, const Tensor &y,
               llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
  ArrayRef<int64_t> strides = op.getStrides(), padding = op.getPadding(),
                    dilation = op.getDilation();
  size_t last = strides.size() + 1; // the channels
  int64_t groupInputs = filter.getDim(last);
  int64_t groupOutputs = filter.getDim(0) / op.getGroups();
  SmallVector<int64_t> atX(last + 1), atFilter(last + 1);
  forEachIndex(y.getShape(), [&](ArrayRef<int64_t> at) {
    int64_t output = at[last], group = output / groupOutputs;
    forEachIndex(filter.getShape().drop_front(), [&](ArrayRef<int64_t> tap) {
      atX[0] = at[0];
      atFilter[0] = output;
      for (size_t d = 0; d < strides.size(); ++d) {
        int64_t i =
            at[d + 1] * strides[d] - padding[2 * d] + tap[d] * dilation[d];
        if (i < 0 || i >= x.getDim(d + 1))
          return;
        atX[d + 1] = i;
        atFilter[d + 1] = tap[d];
      }
      atX[last] = group * groupInputs + tap[last - 1];
      atFilter[last] = tap[last - 1];
      visit(x.position(atX), filter.position(atFilter), y.position(at));
    });
  });
}

template <typename OpTy>
static void conv(OpTy op, Frame &, Operands operands, Results results) {
  const Tensor &x = operands[0], &filter = operands[1];
  Tensor &y = results[0];
  forEachProduct(op, x, filter, y, [&](int64_t xi, int64_t fi, int64_t yi) {
    y.real(yi) += x.real(xi) * filter.real(fi);
  });
}

template <typename OpTy>
static void convInputGrad(OpTy op, Frame &, Operands operands,
                          Results results) {
  const Tensor &dy = operands[0], &filter = operands[1];
  Tensor &dx = results[0];
  forEachProduct(op, dx, filter, dy, [&](int64_t xi, int64_t fi, int64_t yi) {
    dx.real(xi) += dy.real(yi) * filter.real(fi);
  });
}

static void conv2dInputGradAdd(sg::Conv2DInputGradAddOp op, Frame &frame,
                               Operands operands, Results results) {
  convInputGrad(op, frame, operands, results);
  Tensor &sum = results[0];
  for (int64_t i = 0; i < sum.size(); ++i)
    sum.real(i) += operands[2].real(i);
}

template <typename OpTy>
static void convFilterGrad(OpTy op, Frame &, Operands operands,
                           Results results) {
  const Tensor &x = operands[0], &dy = operands[1];
  Tensor &dfilter = results[0];
  forEachProduct(op, x, dfilter, dy, [&](int64_t xi, int64_t fi, int64_t yi) {
    dfilter.real(fi) += x.real(xi) * dy.real(yi);
  });
}

void reference::registerProductModels(MLIRContext *context) {
  attach<sg::MatMulOp, matmul<sg::MatMulOp>>(context);
  attach<sg::MatMulBiasOp, matmul<sg::MatMulBiasOp>>(context);
  attach<sg::Conv2DOp, conv<sg::Conv2DOp>>(context);
  attach<sg::Conv2DInputGradOp, convInputGrad<sg::Conv2DInputGradOp>>(context);
  attach<sg::Conv2DInputGradAddOp, conv2dInputGradAdd>(context);
  attach<sg::Conv2DFilterGradOp, convFilterGrad<sg::Conv2DFilterGradOp>>(
      context);
  attach<sg::Conv3DOp, conv<sg::Conv3DOp>>(context);
  attach<sg::Conv3DInputGradOp, convInputGrad<sg::Conv3DInputGradOp>>(context);
  attach<sg::Conv3DFilterGradOp, convFilterGrad<sg::Conv3DFilterGradOp>>(
      context);
}
