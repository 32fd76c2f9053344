//===- Matrices.cpp - Products, norms and activations along an axis -------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool onnx::importGemm(NodeImport &node) {
  if (!areReal(node))
    return false;
  if (node.in(0).rank() != 2 || node.in(1).rank() != 2)
    return node.refuse("its factors are no matrices");
  Tensor a = node.plain(0), b = node.plain(1);
  if (!a || !b)
    return false;
  nn::Transposed transposed{node.integer("transA", 0) != 0,
                            node.integer("transB", 0) != 0};
  Tensor y = nn::matmul(a, b, transposed);
  if (double alpha = node.number("alpha", 1.0); alpha != 1.0)
    y = nn::scale(y, alpha);
  if (!y || !node.has(2))
    return node.set(0, y);
  Tensor c = node.plain(2);
  if (!c)
    return false;
  int64_t rank = c.getType().getRank();
  if (rank > 2)
    return node.refuse("its addend has rank " + std::to_string(rank));
  if (double beta = node.number("beta", 1.0); beta != 1.0)
    c = nn::scale(c, beta);
  Shape dims = rank == 2 ? Shape{0, 1} : rank == 1 ? Shape{1} : Shape{};
  return node.set(0, y + nn::broadcast(c, y.getType().getShape(), dims));
}

/// x with its leading dimensions broadcast to `leading`.
static Tensor repeatLeading(Tensor x, const Shape &leading) {
  if (!x)
    return x;
  llvm::ArrayRef<int64_t> from = x.getType().getShape();
  Shape to = leading, padded(leading.size() + 2 - from.size(), 1), dims;
  to.insert(to.end(), from.end() - 2, from.end());
  padded.insert(padded.end(), from.begin(), from.end());
  for (size_t d = 0; d < to.size(); ++d)
    dims.push_back(d);
  Tensor same = padded.size() == from.size() ? x : nn::reshape(x, padded);
  return padded == to ? same : nn::broadcast(same, to, dims);
}

/// The leading dimensions of a product; nothing if they do not broadcast.
static std::optional<Shape> leadingOf(Tensor a, Tensor b) {
  llvm::ArrayRef<int64_t> x = a.getType().getShape().drop_back(2);
  llvm::ArrayRef<int64_t> y = b.getType().getShape().drop_back(2);
  Shape leading(std::max(x.size(), y.size()), 1);
  for (llvm::ArrayRef<int64_t> shape : {x, y})
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t &extent = leading[leading.size() - shape.size() + d];
      if (extent != 1 && shape[d] != 1 && extent != shape[d])
        return std::nullopt;
      extent = extent == 1 ? shape[d] : extent;
    }
  return leading;
}

/// The product of factors of rank 2 or more; nothing if they do not fit.
static std::optional<Tensor> product(Tensor a, Tensor b) {
  llvm::ArrayRef<int64_t> shape = a.getType().getShape();
  if (shape.back() != b.dim(b.getType().getRank() - 2))
    return std::nullopt;
  // One matrix for all rows is one product of matrices.
  if (b.getType().getRank() == 2 && shape.size() > 2) {
    Shape result(shape);
    result.back() = b.dim(1);
    int64_t rows = a.getType().getNumElements() / shape.back();
    return nn::reshape(nn::matmul(nn::reshape(a, {rows, shape.back()}), b),
                       result);
  }
  std::optional<Shape> leading = leadingOf(a, b);
  if (!leading)
    return std::nullopt;
  return nn::matmul(repeatLeading(a, *leading), repeatLeading(b, *leading));
}

bool onnx::importMatMul(NodeImport &node) {
  if (!areReal(node))
    return false;
  Tensor a = node.plain(0), b = node.plain(1);
  if (!a || !b)
    return false;
  int64_t left = a.getType().getRank(), right = b.getType().getRank();
  if (left == 0 || right == 0)
    return node.refuse("a factor is a scalar");
  if (left == 1)
    a = nn::reshape(a, {1, a.dim(0)});
  if (right == 1)
    b = nn::reshape(b, {b.dim(0), 1});
  std::optional<Tensor> y = product(a, b);
  if (!y || !*y)
    return node.refuse("factors " + textOf(node.in(0).shape) + " and " +
                       textOf(node.in(1).shape) + " do not fit");
  Shape shape(y->getType().getShape());
  if (right == 1)
    shape.pop_back();
  if (left == 1)
    shape.erase(shape.end() - (right == 1 ? 1 : 2));
  bool isSame = left > 1 && right > 1;
  return node.set(0, isSame ? *y : nn::reshape(*y, shape));
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

/// (x - max) - ln sum e^(x - max).
Tensor onnx::logSoftmax(Tensor x) {
  if (!x)
    return x;
  llvm::ArrayRef<int64_t> shape = x.getType().getShape();
  Shape dims;
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    dims.push_back(d);
  int64_t last = shape.size() - 1;
  Tensor top = reduce<sg::ReduceMaxOp>(x, {last});
  Tensor shifted = x - nn::broadcast(top, shape, dims);
  Tensor sum = reduce<sg::ReduceSumOp>(nn::exp(shifted), {last});
  return shifted - nn::broadcast(emit<sg::LogOp>(sum), shape, dims);
}

Tensor onnx::along(Tensor x, int64_t axis,
                   llvm::function_ref<Tensor(Tensor)> make) {
  int64_t rank = x.getType().getRank();
  Shape order, back(rank);
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  for (int64_t k = 0; k < rank; ++k)
    back[order[k]] = k;
  return permute(make(permute(x, order)), back);
}

/// Before opset 13, the axis is the first of all those that count as one.
bool onnx::alongAxis(NodeImport &node,
                     llvm::function_ref<Tensor(Tensor)> make) {
  if (!areReal(node))
    return false;
  const Shape &shape = node.in(0).shape;
  int64_t rank = shape.size();
  auto axis =
      node.axis(node.integer("axis", node.opset < 13 ? 1 : -1),
                // A vector may have axis 1 there: then its rows are scalars.
                std::max<int64_t>(rank, 1));
  if (!axis)
    return false;
  if (rank == 0)
    return node.refuse("its input is a scalar");
  int64_t columns = 1;
  for (int64_t d = *axis; d < rank; ++d)
    columns *= shape[d];
  if (node.opset < 13 && columns != shape[*axis]) {
    Tensor x = node.plain(0);
    if (!x)
      return false;
    int64_t rows = x.getType().getNumElements() / columns;
    return node.set(0,
                    nn::reshape(make(nn::reshape(x, {rows, columns})), shape));
  }
  Laid x = laid(node, 0);
  return x.tensor && setLaid(node, x, along(x.tensor, x.at(*axis), make));
}

bool onnx::importSoftmax(NodeImport &node) {
  return alongAxis(node, [](Tensor x) { return nn::softmax(x); });
}

bool onnx::importLogSoftmax(NodeImport &node) {
  return alongAxis(node, logSoftmax);
}

bool onnx::importGelu(NodeImport &node) {
  if (!areReal(node))
    return false;
  std::string formula = node.text("approximate", "none");
  if (formula != "none" && formula != "tanh")
    return node.refuse("the approximation '" + formula + "' is unknown");
  Laid x = laid(node, 0);
  return x.tensor && setLaid(node, x, nn::gelu(x.tensor, formula == "tanh"));
}

/// The probability: an attribute before opset 12, then a constant input.
static std::optional<double> dropoutRatio(NodeImport &node) {
  if (node.opset < 12)
    return node.number("ratio", 0.5f);
  return node.has(1) ? node.requiredNumber(1) : 0.5;
}

bool onnx::importDropout(NodeImport &node) {
  std::optional<double> ratio = dropoutRatio(node);
  if (!ratio)
    return false;
  if (!(*ratio >= 0 && *ratio < 1))
    return node.refuse("its ratio is not in [0, 1)");
  if (node.importer.options.loss == Loss::None) {
    std::optional<double> trains = node.has(2) ? node.requiredNumber(2) : 0.0;
    if (!trains)
      return false;
    if (*trains != 0 && *ratio != 0 && !node.importer.mayTrain())
      return false;
    Elements mask{TensorElement::Bool, node.in(0).shape, {}, {}};
    if (node.hasOutput(1)) {
      if (*countOf(mask.shape) > kMostComputed)
        return node.refuse("its mask is too large");
      mask.integers.assign(*countOf(mask.shape), 1);
    }
    return (!node.hasOutput(1) || node.set(1, std::move(mask))) &&
           node.alias(0, node.in(0));
  }
  if (node.hasOutput(1))
    return node.refuse("its mask (output 1) is not supported in training");
  Laid x = laid(node, 0);
  return x.tensor && setLaid(node, x, nn::dropout(x.tensor, *ratio));
}
