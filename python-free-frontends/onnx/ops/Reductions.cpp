//===- Reductions.cpp - Sums and maxima over axes -------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

namespace {
/// The axes of a reduction, increasing; the number of elements of a sum.
struct Axes {
  Shape axes;
  int64_t count = 1;
  bool isIdentity = false;
};
} // namespace

static std::optional<Axes> axesOf(NodeImport &node) {
  bool given;
  auto listed = node.integersOf("axes", 1, given);
  if (!listed)
    return std::nullopt;
  const Shape &shape = node.in(0).shape;
  Axes result;
  result.isIdentity =
      listed->empty() && node.integer("noop_with_empty_axes", 0) != 0;
  if (listed->empty())
    for (size_t d = 0; d < shape.size(); ++d)
      listed->push_back(d);
  llvm::SmallVector<bool> isReduced(shape.size(), false);
  for (int64_t axis : *listed) {
    auto positive = node.axis(axis, shape.size());
    if (!positive)
      return std::nullopt;
    isReduced[*positive] = true;
  }
  for (size_t d = 0; d < shape.size(); ++d)
    if (isReduced[d]) {
      result.axes.push_back(d);
      result.count *= shape[d];
    }
  return result;
}

/// Imports a reduction. `make` gets x, the dimensions and the number of
/// elements of a result.
static bool
reduction(NodeImport &node,
          llvm::function_ref<Tensor(Tensor, const Shape &, int64_t)> make) {
  if (!onnx::isReal(node.in(0).type))
    return node.refuse("its input is " + nameOf(node.in(0).type) +
                       ", and only float is supported");
  std::optional<Axes> axes = axesOf(node);
  if (!axes)
    return false;
  if (axes->isIdentity || axes->axes.empty())
    return node.alias(0, node.in(0));
  bool keeps = node.integer("keepdims", 1) != 0;
  // A reduction of all pixels leaves (N,C) in either layout.
  Laid x = laid(node, 0);
  bool arePixels =
      axes->axes.front() == 2 && int64_t(axes->axes.size()) == x.rank - 2;
  if (x.isLast && !keeps && !arePixels)
    x = {node.plain(0), false, x.rank};
  if (!x.tensor)
    return false;
  Shape dims, kept(x.tensor.getType().getShape());
  for (int64_t axis : axes->axes) {
    dims.push_back(x.at(axis));
    kept[x.at(axis)] = 1;
  }
  llvm::sort(dims);
  Tensor y = make(x.tensor, dims, axes->count);
  if (!keeps)
    return node.set(0, y);
  return setLaid(node, x, nn::reshape(y, kept));
}

static Tensor sum(Tensor x, const Shape &dims) {
  return reduce<sg::ReduceSumOp>(x, dims);
}

static Tensor largest(Tensor x, const Shape &dims) {
  return reduce<sg::ReduceMaxOp>(x, dims);
}

bool onnx::importReduceSum(NodeImport &node) {
  return reduction(
      node, [](Tensor x, const Shape &dims, int64_t) { return sum(x, dims); });
}

bool onnx::importReduceMean(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t count) {
    Tensor total = sum(x, dims);
    return emit<sg::DivOp>({total, numberLike(total, count)});
  });
}

bool onnx::importReduceMax(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t) {
    return largest(x, dims);
  });
}

bool onnx::importReduceMin(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t) {
    return emit<sg::NegOp>(largest(emit<sg::NegOp>(x), dims));
  });
}

/// In halves, so that there are few ops.
Tensor onnx::productAlong(Tensor x, int64_t d) {
  while (x && x.dim(d) > 1) {
    int64_t n = x.dim(d), half = n / 2;
    Tensor y = nn::slice(x, d, 0, half) * nn::slice(x, d, half, 2 * half);
    x = n % 2 ? nn::concat({y, nn::slice(x, d, n - 1, n)}, d) : y;
  }
  return x;
}

bool onnx::importReduceProd(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t) {
    Shape rest;
    for (int64_t d = 0; x && d < x.getType().getRank(); ++d)
      if (!llvm::is_contained(dims, d))
        rest.push_back(x.dim(d));
    for (int64_t d : dims)
      x = productAlong(x, d);
    return nn::reshape(x, rest);
  });
}

bool onnx::importReduceL1(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t) {
    return sum(emit<sg::AbsOp>(x), dims);
  });
}

bool onnx::importReduceL2(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t) {
    return emit<sg::SqrtOp>(sum(x * x, dims));
  });
}

bool onnx::importReduceSumSquare(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t) {
    return sum(x * x, dims);
  });
}

bool onnx::importReduceLogSum(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t) {
    return emit<sg::LogOp>(sum(x, dims));
  });
}

/// Subtracts the maximum before the exponential.
bool onnx::importReduceLogSumExp(NodeImport &node) {
  return reduction(node, [](Tensor x, const Shape &dims, int64_t) {
    Shape others;
    for (int64_t d = 0; d < x.getType().getRank(); ++d)
      if (!llvm::is_contained(dims, d))
        others.push_back(d);
    Tensor top = largest(x, dims);
    Tensor shifted = x - nn::broadcast(top, x.getType().getShape(), others);
    return top + emit<sg::LogOp>(sum(nn::exp(shifted), dims));
  });
}
