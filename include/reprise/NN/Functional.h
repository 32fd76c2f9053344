//===- Functional.h - Ops without variables ---------------------*- C++ -*-===//
//
// Images are (N,H,W,C), volumes (N,D,H,W,C). The trace reports shape
// mismatches; see Tensor.h.
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

/// An i1, true where x and y are equal; x where `mask` is true, else y.
Tensor equal(const Tensor &x, const Tensor &y);
Tensor select(const Tensor &mask, const Tensor &x, const Tensor &y);
/// x times a number.
Tensor scale(const Tensor &x, double factor);

/// x itself, marked: its value is kept for the backward pass regardless of
/// checkpointing and budget; or is not kept, but recomputed there by the layer
/// that computed x. The mark applies to readers of the returned tensor, not of
/// x; sg.keep and sg.recompute define it exactly.
Tensor keep(const Tensor &x);
Tensor recompute(const Tensor &x);

Tensor relu(const Tensor &x);
/// The lesser of relu(x) and 6.
Tensor relu6(const Tensor &x);
Tensor exp(const Tensor &x);
/// The lesser of x and a number.
Tensor minimum(const Tensor &x, double bound);
Tensor sigmoid(const Tensor &x);
Tensor tanh(const Tensor &x);
/// Uses the error function, or its approximation by tanh.
Tensor gelu(const Tensor &x, bool byTanh = false);
Tensor silu(const Tensor &x);
Tensor hardSigmoid(const Tensor &x);
Tensor hardSwish(const Tensor &x);
/// Along the last dimension.
Tensor softmax(const Tensor &x);
/// x divided by its 2-norm along the last dimension, or by 1e-12 if that is
/// more.
Tensor l2Normalize(const Tensor &x);

/// Geometry of a convolution; the padding is the same on opposite sides.
struct ConvGeometry {
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> padding = {0, 0};
  std::array<int64_t, 2> dilation = {1, 1};
  int64_t groups = 1;
};
struct ConvGeometry3d {
  std::array<int64_t, 3> stride = {1, 1, 1};
  std::array<int64_t, 3> padding = {0, 0, 0};
  std::array<int64_t, 3> dilation = {1, 1, 1};
  int64_t groups = 1;
};

/// `filter` is (O,KH,KW,C/groups).
Tensor conv2d(const Tensor &x, const Tensor &filter,
              const ConvGeometry &geometry = {});
/// `filter` is (O,KD,KH,KW,C/groups).
Tensor conv3d(const Tensor &x, const Tensor &filter,
              const ConvGeometry3d &geometry = {});

/// The rounding of the number of windows that fit an image.
enum class PoolRounding {
  Down,
  /// A last window may extend over the end, but begins within the image or its
  /// padding at the beginning: torch's `ceil_mode`.
  Up
};

/// Geometry of a pool: a square window.
struct PoolGeometry {
  int64_t window = 2;
  int64_t stride = 2;
  int64_t padding = 0;
  PoolRounding rounding = PoolRounding::Down;
};

Tensor maxPool2d(const Tensor &x, const PoolGeometry &geometry);
/// Padding counts as zeros, as in torch.
Tensor avgPool2d(const Tensor &x, const PoolGeometry &geometry);

/// Geometry of a pool of volumes.
struct PoolGeometry3d {
  std::array<int64_t, 3> window = {2, 2, 2};
  std::array<int64_t, 3> stride = {2, 2, 2};
  std::array<int64_t, 3> padding = {0, 0, 0};
};

/// Pools of the frames, then along the depth, if either has a window.
Tensor maxPool3d(const Tensor &x, const PoolGeometry3d &geometry);
/// Padding counts as zeros, as in torch.
Tensor avgPool3d(const Tensor &x, const PoolGeometry3d &geometry);

/// The mean over height and width: (N,C).
Tensor globalAvgPool(const Tensor &x);
/// Means of `extent` x `extent` windows that cover the image: window i of n
/// pixels begins at pixel i n / extent, rounded down, and ends before pixel
/// (i + 1) n / extent, rounded up. (N,extent,extent,C).
Tensor adaptiveAvgPool2d(const Tensor &x, int64_t extent);

/// x (...,I) times weight (O,I), transposed: (...,O).
Tensor linear(const Tensor &x, const Tensor &weight);

/// The operands of a product whose last two dimensions are swapped.
struct Transposed {
  bool a = false, b = false;
};
/// (...,M,K) times (...,K,N), with equal leading dimensions.
Tensor matmul(const Tensor &a, const Tensor &b, Transposed transposed = {});

/// Adds y to x, or multiplies x by it, repeated along dimensions that it lacks:
/// dimension k of y is dimension `dims[k]` of x; without `dims`, y has the last
/// dimensions of x.
Tensor addAlong(const Tensor &x, const Tensor &y, llvm::ArrayRef<int64_t> dims);
Tensor mulAlong(const Tensor &x, const Tensor &y, llvm::ArrayRef<int64_t> dims);
Tensor addTrailing(const Tensor &x, const Tensor &y);
Tensor mulTrailing(const Tensor &x, const Tensor &y);

/// Normalizes along the last dimension (C), then scales by `weight` (C) and
/// adds `bias` (C).
Tensor layerNorm(const Tensor &x, const Tensor &weight, const Tensor &bias,
                 double epsilon);

Tensor reshape(const Tensor &x, llvm::ArrayRef<int64_t> shape);
/// (N,...) to (N,M).
Tensor flatten(const Tensor &x);
Tensor concat(llvm::ArrayRef<Tensor> tensors, int64_t dim);
/// Dimension k of the result is dimension `order[k]` of x.
Tensor transpose(const Tensor &x, llvm::ArrayRef<int64_t> order);
/// Elements [begin, end) of a dimension.
Tensor slice(const Tensor &x, int64_t dim, int64_t begin, int64_t end);
/// Dimension k of x is dimension `dims[k]` of `shape`; it repeats along others.
Tensor broadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape,
                 llvm::ArrayRef<int64_t> dims);
/// Shifts cyclically, by less than each extent.
Tensor roll(const Tensor &x, llvm::ArrayRef<int64_t> shifts);
/// Pads x (N,...,C) with zeros at the end, or crops it, to `extents` for the
/// dimensions between the first and the last.
Tensor padTo(const Tensor &x, llvm::ArrayRef<int64_t> extents);
Tensor cropTo(const Tensor &x, llvm::ArrayRef<int64_t> extents);
/// Rows of a table (K,...) by index: (indices...,...).
Tensor gather(const Tensor &table, const Tensor &indices);
/// (N,...,C) to (N,C): the mean over the dimensions between.
Tensor meanOfTokens(const Tensor &x);
/// The same for the maximum, whose gradient equal elements share.
Tensor maxOfTokens(const Tensor &x);

/// A vector of constants, and a number repeated.
Tensor constant(Trace &trace, llvm::ArrayRef<int32_t> elements);
Tensor constant(Trace &trace, llvm::ArrayRef<float> elements);
Tensor splat(Trace &trace, llvm::ArrayRef<int64_t> shape, double value);

/// The unit of a dropout: each element, or each sample (first dimension).
enum class DropoutMode { Elements, Samples };

/// Zeros elements with a probability and scales the others. Each call draws
/// from a stream of its own, numbered in the order of calls.
Tensor dropout(const Tensor &x, double probability,
               DropoutMode mode = DropoutMode::Elements);

/// The mean over rows of the cross entropy of logits (N,K) with labels (N).
Tensor crossEntropy(const Tensor &logits, const Tensor &labels);

/// loss + weight * auxiliary while training, and loss in evaluation: scalars.
Tensor auxiliaryLoss(const Tensor &loss, const Tensor &auxiliary,
                     double weight);

} // namespace reprise::nn

#endif // REPRISE_NN_FUNCTIONAL_H
