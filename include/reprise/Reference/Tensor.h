//===- Tensor.h - A dense tensor of doubles or integers ---------*- C++ -*-===//
//
// The tensors of the reference evaluator: elements in row-major order, floating
// point of every width as double, integers as int64_t in the range of their
// type (an i1 is 0 or 1), sign-extended where the type is unsigned. A complex
// number is two reals.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_REFERENCE_TENSOR_H
#define REPRISE_REFERENCE_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <complex>
#include <cstdint>
#include <vector>

namespace reprise::reference {

/// `value` rounded to the nearest number, ties to even, of a float type.
double roundTo(mlir::Type element, double value);

/// `value` wrapped around to the range of an integer type.
int64_t wrapTo(mlir::Type element, int64_t value);

class Tensor {
public:
  Tensor() = default;

  /// Zeros of a statically shaped type.
  explicit Tensor(mlir::RankedTensorType type);

  /// Copies of `value`, which must suit the element type.
  static Tensor splat(mlir::RankedTensorType type, double value);

  /// The elements of an attribute; fails on forms without accessible elements.
  static llvm::FailureOr<Tensor> fromAttribute(mlir::ElementsAttr attribute);

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getDim(int64_t d) const { return type.getDimSize(d); }
  int64_t getRank() const { return type.getRank(); }
  int64_t size() const { return type.getNumElements(); }
  bool isReal() const { return llvm::isa<mlir::FloatType>(getElementType()); }
  bool isComplex() const {
    return llvm::isa<mlir::ComplexType>(getElementType());
  }

  /// The row-major position of an index.
  int64_t position(llvm::ArrayRef<int64_t> index) const;

  /// Elements by row-major position; the tensor must be of that kind.
  double &real(int64_t i) { return reals[i]; }
  double real(int64_t i) const { return reals[i]; }
  int64_t &integer(int64_t i) { return integers[i]; }
  int64_t integer(int64_t i) const { return integers[i]; }
  double &real(llvm::ArrayRef<int64_t> index) { return reals[position(index)]; }
  double real(llvm::ArrayRef<int64_t> index) const {
    return reals[position(index)];
  }

  std::complex<double> complex(int64_t i) const {
    return {reals[2 * i], reals[2 * i + 1]};
  }
  void setComplex(int64_t i, std::complex<double> value) {
    reals[2 * i] = value.real();
    reals[2 * i + 1] = value.imag();
  }

  /// Sets real number i; those of a complex tensor are real and imaginary
  /// parts in turn.
  void setWord(int64_t i, double value) { reals[i] = value; }

  /// A real or integer element as a number.
  double number(int64_t i) const {
    return isReal() ? reals[i] : static_cast<double>(integers[i]);
  }

  llvm::ArrayRef<double> getReals() const { return reals; }
  llvm::ArrayRef<int64_t> getIntegers() const { return integers; }

  /// Sets element `to` to element `from` of `source`, which has the same
  /// element type.
  void copyElement(int64_t to, const Tensor &source, int64_t from);

  /// The same elements in another shape.
  Tensor reshaped(mlir::RankedTensorType to) const;

  /// Rounds every element to the element type.
  void roundToStorage();

private:
  mlir::RankedTensorType type;
  std::vector<double> reals;
  std::vector<int64_t> integers;
};

/// Calls `visit` with each index of a shape, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

} // namespace reprise::reference

#endif // REPRISE_REFERENCE_TENSOR_H
