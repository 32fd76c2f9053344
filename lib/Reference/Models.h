//===- Models.h - Attaching reference models to ops -------------*- C++ -*-===//
#ifndef REPRISE_LIB_REFERENCE_MODELS_H
#define REPRISE_LIB_REFERENCE_MODELS_H

#include "reprise/IR/Sg.h"
#include "reprise/Reference/Evaluator.h"
#include <type_traits>

namespace reprise::reference {

using Operands = llvm::ArrayRef<Tensor>;
using Results = llvm::MutableArrayRef<Tensor>;

/// The model that computes an op with `compute(op, frame, operands, results)`,
/// which returns void if it cannot fail.
template <typename OpTy, auto compute>
struct Model final
    : ReferenceOpInterface::ExternalModel<Model<OpTy, compute>, OpTy> {
  llvm::LogicalResult evaluate(mlir::Operation *op, Frame &frame,
                               Operands operands, Results results) const {
    using Returned = decltype(compute(OpTy(), frame, operands, results));
    if constexpr (std::is_void_v<Returned>) {
      compute(llvm::cast<OpTy>(op), frame, operands, results);
      return llvm::success();
    } else {
      return compute(llvm::cast<OpTy>(op), frame, operands, results);
    }
  }
};

template <typename OpTy, auto compute> void attach(mlir::MLIRContext *context) {
  OpTy::template attachInterface<Model<OpTy, compute>>(*context);
}

void registerStructureModels(mlir::MLIRContext *context);
void registerPointwiseModels(mlir::MLIRContext *context);
void registerShapeModels(mlir::MLIRContext *context);
void registerProductModels(mlir::MLIRContext *context);
void registerPoolModels(mlir::MLIRContext *context);
void registerNormalizationModels(mlir::MLIRContext *context);
void registerLossModels(mlir::MLIRContext *context);
void registerActivationModels(mlir::MLIRContext *context);
void registerTransformerModels(mlir::MLIRContext *context);

} // namespace reprise::reference

#endif // REPRISE_LIB_REFERENCE_MODELS_H
