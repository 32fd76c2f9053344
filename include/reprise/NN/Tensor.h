//===- Tensor.h - A value while a network is traced -------------*- C++ -*-===//
//
// A handle to an SSA value. It also represents a missing result: after a
// mistake in a model (shapes that don't fit, a module outside the graph) the
// trace reports it once, and every op on the missing tensor is skipped.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_NN_TENSOR_H
#define REPRISE_NN_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace reprise::nn {

class Trace;

class Tensor {
public:
  Tensor(Trace &trace, mlir::Value value) : trace(&trace), handle(value) {}

  /// False after a mistake in the model.
  explicit operator bool() const { return static_cast<bool>(handle); }

  Trace &getTrace() const { return *trace; }
  mlir::Value getValue() const { return handle; }

  /// The type; the tensor must exist.
  mlir::RankedTensorType getType() const {
    return llvm::cast<mlir::RankedTensorType>(handle.getType());
  }

  /// The extent of a dimension; 1 if it does not exist, so that a model may
  /// compute with extents after a mistake has been reported.
  int64_t dim(int64_t index) const {
    if (!handle || index < 0 || index >= getType().getRank())
      return 1;
    return getType().getDimSize(index);
  }

private:
  Trace *trace;
  mlir::Value handle;
};

using Tensors = llvm::SmallVector<Tensor, 2>;

} // namespace reprise::nn

#endif // REPRISE_NN_TENSOR_H
