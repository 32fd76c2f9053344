//===- Functional.h - Ops without variables -----------------------*- C++
//-*-===//
//
// Images are (N,H,W,C). A misfit is reported by the trace; see Tensor.h.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_NN_FUNCTIONAL_H
#define REPRISE_NN_FUNCTIONAL_H

#include "reprise/NN/Tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace reprise::nn {

/// Element by element, on tensors of equal type.
Tensor operator+(const Tensor &lhs, const Tensor &rhs);
Tensor operator-(const Tensor &lhs, const Tensor &rhs);
Tensor operator*(const Tensor &lhs, const Tensor &rhs);

Tensor relu(const Tensor &x);
Tensor sigmoid(const Tensor &x);
Tensor tanh(const Tensor &x);
/// Along the last dimension.
Tensor softmax(const Tensor &x);

/// Geometry of a convolution; the padding is the same on opposite sides.
struct ConvGeometry {
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> padding = {0, 0};
  std::array<int64_t, 2> dilation = {1, 1};
  int64_t groups = 1;
};

/// `filter` is (O,KH,KW,C/groups).
Tensor conv2d(const Tensor &x, const Tensor &filter,
              const ConvGeometry &geometry = {});

/// Geometry of a pool: a square window.
struct PoolGeometry {
  int64_t window = 2;
  int64_t stride = 2;
  int64_t padding = 0;
};

Tensor maxPool2d(const Tensor &x, const PoolGeometry &geometry);
/// Padding counts as zeros, as in torch.
Tensor avgPool2d(const Tensor &x, const PoolGeometry &geometry);
/// The mean over height and width: (N,C).
Tensor globalAvgPool(const Tensor &x);

/// x (...,I) times weight (O,I), transposed: (...,O).
Tensor linear(const Tensor &x, const Tensor &weight);
/// Adds a vector (C) to each row of x (...,C).
Tensor addBias(const Tensor &x, const Tensor &bias);

Tensor reshape(const Tensor &x, llvm::ArrayRef<int64_t> shape);
/// (N,...) to (N,M).
Tensor flatten(const Tensor &x);
Tensor concat(llvm::ArrayRef<Tensor> tensors, int64_t dim);

/// Zeros elements with a probability and scales the others. Each call draws
/// from a stream of its own, numbered in the order of calls.
Tensor dropout(const Tensor &x, double probability);

/// The mean over rows of the cross entropy of logits (N,K) with labels (N).
Tensor crossEntropy(const Tensor &logits, const Tensor &labels);

} // namespace reprise::nn

#endif // REPRISE_NN_FUNCTIONAL_H
