//===- Norms.cpp - Normalizations -----------------------------------------===//

#include "Emit.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

/// The dimensions of a rank that are not listed.
static Shape othersOf(int64_t rank, llvm::ArrayRef<int64_t> dims) {
  Shape others;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(dims, d))
      others.push_back(d);
  return others;
}

/// The mean of x over dimensions.
static Tensor meanOf(Tensor x, llvm::ArrayRef<int64_t> dims) {
  double count = 1;
  for (int64_t d : dims)
    count *= x ? x.dim(d) : 1;
  Tensor sum = reduce<sg::ReduceSumOp>(x, dims);
  return emit<sg::DivOp>({sum, numberLike(sum, count)});
}

namespace {
/// The mean over dimensions and 1 / sqrt(variance + epsilon), and what is left
/// of x after the mean.
struct Moments {
  Tensor mean, inverse, centred;
};
} // namespace

static Moments momentsOf(Tensor x, llvm::ArrayRef<int64_t> dims,
                         double epsilon) {
  if (!x)
    return {x, x, x};
  Shape others = othersOf(x.getType().getRank(), dims);
  Tensor mean = meanOf(x, dims);
  Tensor centred = x - nn::broadcast(mean, x.getType().getShape(), others);
  Tensor variance = meanOf(centred * centred, dims);
  return {mean, emit<sg::RsqrtOp>(plus(variance, epsilon)), centred};
}

/// (x - mean) / sqrt(variance + epsilon) over dimensions.
static Tensor standardized(Tensor x, llvm::ArrayRef<int64_t> dims,
                           double epsilon) {
  Moments moments = momentsOf(x, dims, epsilon);
  return nn::mulAlong(moments.centred, moments.inverse,
                      othersOf(x ? x.getType().getRank() : 0, dims));
}

//===----------------------------------------------------------------------===//
// Along the last dimensions
//===----------------------------------------------------------------------===//

/// A weight of the normalized dimensions as a vector; zeros without input k.
static std::optional<Tensor> vectorOf(NodeImport &node, size_t k,
                                      int64_t columns) {
  if (!node.has(k))
    return nn::splat(node.trace(), {columns}, 0.0);
  Tensor vector = node.plain(k);
  if (!vector)
    return std::nullopt;
  if (vector.getType().getNumElements() != columns) {
    node.refuse("its input " + std::to_string(k) + " has the shape " +
                textOf(node.in(k).shape) + ", but " + std::to_string(columns) +
                " elements are normalized");
    return std::nullopt;
  }
  return vector.getType().getRank() == 1 ? vector
                                         : nn::reshape(vector, {columns});
}

/// Returns the first normalized dimension and the elements from it on; refuses
/// types that are not real.
static std::optional<std::pair<int64_t, int64_t>> trailingOf(NodeImport &node) {
  const Shape &shape = node.in(0).shape;
  if (!areReal(node))
    return std::nullopt;
  auto axis = node.axis(node.integer("axis", -1), shape.size());
  if (!axis)
    return std::nullopt;
  int64_t columns = 1;
  for (size_t d = *axis; d < shape.size(); ++d)
    columns *= shape[d];
  return std::pair(*axis, columns);
}

bool onnx::importLayerNormalization(NodeImport &node) {
  const Shape &shape = node.in(0).shape;
  auto found = trailingOf(node);
  if (!found)
    return false;
  auto [axis, columns] = *found;
  Tensor x = node.plain(0);
  auto weight = vectorOf(node, 1, columns), bias = vectorOf(node, 2, columns);
  if (!x || !weight || !bias)
    return false;
  bool isLast = axis + 1 == int64_t(shape.size());
  if (!isLast)
    x = nn::reshape(x, {x.getType().getNumElements() / columns, columns});
  double epsilon = node.number("epsilon", 1e-5f);
  Tensor y = nn::layerNorm(x, *weight, *bias, epsilon);
  if (node.hasOutput(1) || node.hasOutput(2)) {
    Shape kept = shape;
    std::fill(kept.begin() + axis, kept.end(), 1);
    Moments moments = momentsOf(x, {x.getType().getRank() - 1}, epsilon);
    if (!node.set(1, nn::reshape(moments.mean, kept)) ||
        !node.set(2, nn::reshape(moments.inverse, kept)))
      return false;
  }
  return node.set(0, isLast ? y : nn::reshape(y, shape));
}

/// x / sqrt(mean x^2 + epsilon), times a weight.
bool onnx::importRMSNormalization(NodeImport &node) {
  auto found = trailingOf(node);
  if (!found)
    return false;
  int64_t columns = found->second;
  Tensor x = node.plain(0);
  auto weight = vectorOf(node, 1, columns);
  if (!x || !weight)
    return false;
  x = nn::reshape(x, {x.getType().getNumElements() / columns, columns});
  Tensor square = meanOf(x * x, {1});
  Tensor inverse =
      emit<sg::RsqrtOp>(plus(square, node.number("epsilon", 1e-5f)));
  Tensor y = nn::mulTrailing(nn::mulAlong(x, inverse, {0}), *weight);
  return node.set(0, nn::reshape(y, node.in(0).shape));
}

/// x / |x|, of the norm 1 or 2.
bool onnx::importLpNormalization(NodeImport &node) {
  int64_t p = node.integer("p", 2);
  auto axis = node.axis(node.integer("axis", -1), node.in(0).rank());
  if (!axis || (p != 1 && p != 2))
    return axis ? node.refuse("its norm is " + std::to_string(p)) : false;
  Laid x = laid(node, 0);
  if (!x.tensor || !areReal(node))
    return false;
  int64_t d = x.at(*axis);
  Tensor size = reduce<sg::ReduceSumOp>(
      p == 1 ? emit<sg::AbsOp>(x.tensor) : x.tensor * x.tensor, {d});
  Tensor norm = p == 1 ? size : emit<sg::SqrtOp>(size);
  return setLaid(node, x,
                 emit<sg::DivOp>({x.tensor, repeatAlong(norm, x.tensor, d)}));
}

//===----------------------------------------------------------------------===//
// Over the pixels
//===----------------------------------------------------------------------===//

/// y times a weight and plus a bias of each channel, inputs 1 and 2.
static bool setScaled(NodeImport &node, const Laid &x, Tensor y) {
  for (size_t k = 1; k < 3; ++k)
    if (node.in(k).shape != Shape{node.in(0).shape[1]})
      return node.refuse("its input " + std::to_string(k) +
                         " does not have one number a channel");
  Tensor weight = node.plain(1), bias = node.plain(2);
  int64_t d = x.at(1);
  return setLaid(node, x,
                 nn::addAlong(nn::mulAlong(y, weight, {d}), bias, {d}));
}

bool onnx::importInstanceNormalization(NodeImport &node) {
  if (!areReal(node))
    return false;
  Laid x = laid(node, 0);
  if (!x.tensor || x.rank < 3)
    return node.refuse("its input has the rank " + std::to_string(x.rank));
  Shape dims;
  for (int64_t axis = 2; axis < x.rank; ++axis)
    dims.push_back(x.at(axis));
  llvm::sort(dims);
  return setScaled(node, x,
                   standardized(x.tensor, dims, node.number("epsilon", 1e-5f)));
}

/// Its first version (opset 18) has weights a group, later ones a channel.
bool onnx::importGroupNormalization(NodeImport &node) {
  if (!areReal(node))
    return false;
  const Shape shape = node.in(0).shape;
  int64_t groups = node.integer("num_groups", 1);
  if (shape.size() < 2 || groups < 1 || shape[1] % groups)
    return node.refuse(std::to_string(groups) + " groups do not divide " +
                       textOf(shape));
  Tensor x = node.plain(0);
  if (!x)
    return false;
  int64_t rest = *countOf(shape) / (shape[0] * groups);
  Tensor y = standardized(nn::reshape(x, {shape[0], groups, rest}), {2},
                          node.number("epsilon", 1e-5f));
  bool isOfGroups = node.opset < 21;
  for (size_t k = 1; k < 3; ++k)
    if (node.in(k).shape != Shape{isOfGroups ? groups : shape[1]})
      return node.refuse("its input " + std::to_string(k) + " has the shape " +
                         textOf(node.in(k).shape));
  if (!isOfGroups)
    y = nn::reshape(y, shape);
  y = nn::addAlong(nn::mulAlong(y, node.plain(1), {1}), node.plain(2), {1});
  return node.set(0, isOfGroups ? nn::reshape(y, shape) : y);
}

bool onnx::importMeanVarianceNormalization(NodeImport &node) {
  Laid x = laid(node, 0);
  if (!x.tensor || !areReal(node))
    return false;
  Shape dims;
  for (int64_t listed : node.integers("axes").value_or(Shape{0, 2, 3})) {
    auto axis = node.axis(listed, x.rank);
    if (!axis)
      return false;
    dims.push_back(x.at(*axis));
  }
  llvm::sort(dims);
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  return setLaid(node, x, standardized(x.tensor, dims, 1e-9));
}

/// x / (bias + alpha / size * sum)^beta, for the sum of the squares of `size`
/// channels around an element's.
bool onnx::importLRN(NodeImport &node) {
  int64_t size = node.integer("size", 0);
  Laid x = laid(node, 0);
  if (!x.tensor || !areReal(node))
    return false;
  if (size < 1 || size > 256 || x.rank < 2)
    return node.refuse("its size is " + std::to_string(size) +
                       " and its rank " + std::to_string(x.rank));
  int64_t d = x.at(1), channels = x.tensor.dim(d);
  Shape low(x.rank, 0), high(x.rank, 0);
  low[d] = (size - 1) / 2;
  high[d] = size - 1 - low[d];
  Tensor padded = pad(x.tensor * x.tensor, low, high, 0.0);
  Tensor sum = nn::slice(padded, d, 0, channels);
  for (int64_t k = 1; k < size; ++k)
    sum = sum + nn::slice(padded, d, k, k + channels);
  double alpha = node.number("alpha", 1e-4f), beta = node.number("beta", 0.75);
  Tensor base =
      plus(nn::scale(sum, alpha / double(size)), node.number("bias", 1.0));
  Tensor factor = nn::exp(nn::scale(emit<sg::LogOp>(base), -beta));
  return setLaid(node, x, x.tensor * factor);
}
