//===- Vjp.h - The context of a vector-Jacobian product ---------*- C++ -*-===//
#ifndef REPRISE_IR_VJP_H
#define REPRISE_IR_VJP_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace reprise {

/// The interface between an op's derivative and the pass that differentiates.
/// Building a derivative costs memory only through `forward`, which keeps a
/// value.
class VjpContext {
public:
  explicit VjpContext(mlir::OpBuilder &builder) : builder(builder) {}
  virtual ~VjpContext() = default;

  /// A forward value (an operand or a result of the op), as the backward pass
  /// sees it. Calling this keeps the value until then.
  virtual mlir::Value forward(mlir::Value value) = 0;

  /// The cotangent of a result, of the result's type; null if it is zero.
  virtual mlir::Value cotangent(mlir::OpResult result) = 0;

  /// Returns true if the gradient of this operand is needed.
  virtual bool needsGradient(mlir::OpOperand &operand) = 0;

  /// Adds `gradient` to the gradient of an operand; it has the operand's type.
  virtual void addGradient(mlir::OpOperand &operand, mlir::Value gradient) = 0;

  /// Inserts into the backward pass, with the op's location.
  mlir::OpBuilder &builder;
};

} // namespace reprise

#endif // REPRISE_IR_VJP_H
