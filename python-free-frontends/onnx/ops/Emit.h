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

/// A number repeated to the type of x.
inline nn::Tensor numberLike(const nn::Tensor &x, double value) {
  return x ? x.getTrace().splat(x.getType(), value) : x;
}

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
/// of the result's rank exists in it only.
std::optional<Unified> unify(NodeImport &node, llvm::ArrayRef<size_t> inputs);

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
