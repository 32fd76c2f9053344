//===- Models.h - Values of StableHLO ops -----------------------*- C++ -*-===//
//
// One function for each family. Each takes an op and the values of its
// operands, and returns the result or fails with an error at the op.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_REFERENCE_STABLEHLO_MODELS_H
#define REPRISE_LIB_REFERENCE_STABLEHLO_MODELS_H

#include "reprise/Reference/Tensor.h"
#include "reprise/StableHlo/StableHlo.h"

namespace reprise::reference::hlo {

using Operands = llvm::ArrayRef<const Tensor *>;
using Result = llvm::FailureOr<Tensor>;
using Results = llvm::FailureOr<llvm::SmallVector<Tensor>>;
/// Runs a region's block on values of its arguments.
using Body =
    llvm::function_ref<Results(mlir::Region &, llvm::ArrayRef<Tensor>)>;

/// True for ops that `evaluateElementwise` takes.
bool isElementwise(mlir::Operation *op);
Result evaluateElementwise(mlir::Operation *op, Operands operands);
Result evaluateIota(stablehlo::IotaOp op);

Result evaluateBroadcast(stablehlo::BroadcastInDimOp op, Operands operands);
Result evaluateReshape(stablehlo::ReshapeOp op, Operands operands);
Result evaluateTranspose(stablehlo::TransposeOp op, Operands operands);
Result evaluateReverse(stablehlo::ReverseOp op, Operands operands);
Result evaluateSlice(stablehlo::SliceOp op, Operands operands);
Result evaluatePad(stablehlo::PadOp op, Operands operands);
Result evaluateConcatenate(stablehlo::ConcatenateOp op, Operands operands);
Result evaluateDynamicSlice(stablehlo::DynamicSliceOp op, Operands operands);
Result evaluateDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op,
                                  Operands operands);

Result evaluateDot(stablehlo::DotGeneralOp op, Operands operands);
Result evaluateConvolution(stablehlo::ConvolutionOp op, Operands operands);

Results evaluateReduce(stablehlo::ReduceOp op, Operands operands, Body body);
Results evaluateReduceWindow(stablehlo::ReduceWindowOp op, Operands operands,
                             Body body);
Result evaluateSelectAndScatter(stablehlo::SelectAndScatterOp op,
                                Operands operands, Body body);
Result evaluateGather(stablehlo::GatherOp op, Operands operands);
Results evaluateScatter(stablehlo::ScatterOp op, Operands operands, Body body);

/// The type of a result, which is ranked and static.
mlir::RankedTensorType typeOf(mlir::OpResult result);

/// The positions to add per step of each dimension, in row-major order.
llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape);

/// Fails with "has operands that do not fit" at the op.
llvm::LogicalResult misfit(mlir::Operation *op);

} // namespace reprise::reference::hlo

#endif // REPRISE_LIB_REFERENCE_STABLEHLO_MODELS_H
