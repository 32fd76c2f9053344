//===- DecomposeModel.h - Attaching decompositions --------------*- C++ -*-===//
#ifndef REPRISE_LIB_IR_DECOMPOSEMODEL_H
#define REPRISE_LIB_IR_DECOMPOSEMODEL_H

#include "Emit.h"

namespace reprise::sg {

/// A decomposition is a function of the op and an emitter; it returns a value
/// for each result.
template <typename OpTy,
          llvm::SmallVector<mlir::Value> (*function)(OpTy, Emitter &)>
struct DecomposeModel
    : DecomposeOpInterface::ExternalModel<DecomposeModel<OpTy, function>,
                                          OpTy> {
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  decompose(mlir::Operation *op, mlir::OpBuilder &builder) const {
    Emitter e(builder, op->getLoc());
    return function(mlir::cast<OpTy>(op), e);
  }
};

template <typename OpTy,
          llvm::SmallVector<mlir::Value> (*function)(OpTy, Emitter &)>
void attachDecomposition(mlir::MLIRContext *context) {
  OpTy::template attachInterface<DecomposeModel<OpTy, function>>(*context);
}

/// A part of registerDecomposeModels.
void registerTransformerDecompositions(mlir::MLIRContext *context);

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_DECOMPOSEMODEL_H
