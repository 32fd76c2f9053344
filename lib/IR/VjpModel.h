//===- VjpModel.h - Attaching vector-Jacobian products ----------*- C++ -*-===//
#ifndef REPRISE_LIB_IR_VJPMODEL_H
#define REPRISE_LIB_IR_VJPMODEL_H

#include "Emit.h"

namespace reprise::sg {

/// A vector-Jacobian product is a function of the op and the context.
template <typename OpTy, mlir::LogicalResult (*function)(OpTy, VjpContext &)>
struct VjpModel
    : VjpOpInterface::ExternalModel<VjpModel<OpTy, function>, OpTy> {
  mlir::LogicalResult buildVjp(mlir::Operation *op, VjpContext &context) const {
    return function(mlir::cast<OpTy>(op), context);
  }
};

template <typename OpTy, mlir::LogicalResult (*function)(OpTy, VjpContext &)>
void attachVjp(mlir::MLIRContext *context) {
  OpTy::template attachInterface<VjpModel<OpTy, function>>(*context);
}

/// The gradients of a norm that `spares_x`, whose result has a cotangent.
mlir::LogicalResult sparedNormVjp(BatchNormTrainingOp op, VjpContext &context);

/// The parts of registerVjpModels.
void registerPrimitiveVjps(mlir::MLIRContext *context);
void registerShapeVjps(mlir::MLIRContext *context);
void registerNnVjps(mlir::MLIRContext *context);
void registerTransformerVjps(mlir::MLIRContext *context);

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_VJPMODEL_H
