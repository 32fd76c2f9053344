//===- Emit.h - Tensors of several ops' functions ---------------*- C++ -*-===//
#ifndef REPRISE_ONNX_EMIT_H
#define REPRISE_ONNX_EMIT_H

#include "../Importer.h"

namespace reprise::onnx {

/// An op of one operand, or of operands of one type, which the result has.
template <typename OpTy> nn::Tensor emit(llvm::ArrayRef<nn::Tensor> operands) {
  for (const nn::Tensor &operand : operands)
    if (!operand)
      return operand;
  return operands.front().getTrace().createAs<OpTy>(operands.front().getType(),
                                                    operands);
}

/// A number repeated to the type of x; integers end at their type's limits.
nn::Tensor numberLike(const nn::Tensor &x, double value);

inline nn::Tensor plus(const nn::Tensor &x, double value) {
  return x ? x + numberLike(x, value) : x;
}

/// The lesser, or the greater, of x and a number.
nn::Tensor atMost(const nn::Tensor &x, double bound);
nn::Tensor atLeast(const nn::Tensor &x, double bound);

/// A boolean, true where the relation holds.
nn::Tensor compare(sg::ComparePredicate predicate, const nn::Tensor &x,
                   const nn::Tensor &y);

/// The sum, or the maximum, over dimensions in increasing order.
template <typename OpTy>
nn::Tensor reduce(const nn::Tensor &x, llvm::ArrayRef<int64_t> dims) {
  if (!x)
    return x;
  typename OpTy::Properties properties;
  properties.dims = x.getTrace().getBuilder().getDenseI64ArrayAttr(dims);
  return x.getTrace().create<OpTy>(x, properties).front();
}

/// The product along dimension d, whose extent becomes 1.
nn::Tensor productAlong(nn::Tensor x, int64_t d);

/// sg's type of a file's elements; null if it has none.
mlir::Type elementOf(mlir::Builder &builder, TensorElement type);
/// x in another element type, or in that of `like`.
nn::Tensor castTo(const nn::Tensor &x, mlir::Type element);
inline nn::Tensor castLike(const nn::Tensor &x, const nn::Tensor &like) {
  return like ? castTo(x, like.getType().getElementType()) : like;
}

/// The position along dimension d in the shape of `like`, as i64 or `element`.
nn::Tensor iota(const nn::Tensor &like, int64_t d, mlir::Type element = {});
/// x, which lacks dimension `dropped` of `like`, repeated along it.
nn::Tensor repeatAlong(const nn::Tensor &x, const nn::Tensor &like,
                       int64_t dropped);
/// Indices of `extent` elements, negative ones counted from the end.
nn::Tensor wrapped(const nn::Tensor &index, int64_t extent);

/// x rounded down, and to the nearest integer, which is the even one of two.
nn::Tensor floorOf(nn::Tensor x);
nn::Tensor rounded(nn::Tensor x);

/// Elements order[0], order[1], ... of dimension d.
nn::Tensor takeAlong(const nn::Tensor &x, int64_t d,
                     llvm::ArrayRef<int64_t> order);

/// ln softmax(x) along the last dimension.
nn::Tensor logSoftmax(nn::Tensor x);
/// Imports an op of one operand of floats.
bool unary(NodeImport &node, llvm::function_ref<nn::Tensor(nn::Tensor)> make);
/// Applies `make`, along the last dimension, to dimension `axis` of x.
nn::Tensor along(nn::Tensor x, int64_t axis,
                 llvm::function_ref<nn::Tensor(nn::Tensor)> make);
/// Imports an op along its axis, as `make` does it along the last dimension.
bool alongAxis(NodeImport &node,
               llvm::function_ref<nn::Tensor(nn::Tensor)> make);
/// Refuses inputs that are not floating-point.
bool areReal(NodeImport &node);

/// Elements starts[k], starts[k] + steps[k], ... below limits[k].
nn::Tensor strided(const nn::Tensor &x, llvm::ArrayRef<int64_t> starts,
                   llvm::ArrayRef<int64_t> limits,
                   llvm::ArrayRef<int64_t> steps);

/// Adds elements of `value` around x.
nn::Tensor pad(const nn::Tensor &x, llvm::ArrayRef<int64_t> low,
               llvm::ArrayRef<int64_t> high, double value);

/// Operands broadcast to one shape, in one layout.
struct Unified {
  llvm::SmallVector<nn::Tensor> operands;
  bool isLast = false;
};
/// Returns nothing after a refusal. The layout is channels-last if an operand
/// of the result's rank exists in it only. Element types are equal, except that
/// of a first operand of booleans, unless they may be mixed.
enum class Mixed { Refused, Allowed };
std::optional<Unified> unify(NodeImport &node, llvm::ArrayRef<size_t> inputs,
                             Mixed types = Mixed::Refused);

/// Sets output 0 in the layout of the operands.
inline bool setUnified(NodeImport &node, const Unified &unified,
                       const nn::Tensor &result) {
  return unified.isLast ? node.setLast(0, result) : node.set(0, result);
}

/// A value in the layout that it has, and the position of an axis in it.
struct Laid {
  nn::Tensor tensor;
  bool isLast;
  int64_t rank;

  int64_t at(int64_t axis) const {
    if (!isLast || axis == 0)
      return axis;
    return axis == 1 ? rank - 1 : axis - 1;
  }
};
inline Laid laid(NodeImport &node, size_t k) {
  Value &value = node.in(k);
  bool isLast = value.prefersLast();
  return {isLast ? node.last(k) : node.plain(k), isLast, value.rank()};
}
inline bool setLaid(NodeImport &node, const Laid &laid,
                    const nn::Tensor &result) {
  return laid.isLast ? node.setLast(0, result) : node.set(0, result);
}

} // namespace reprise::onnx

#endif // REPRISE_ONNX_EMIT_H
