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
/// Elementwise ops on complex numbers.
Result evaluateComplex(mlir::Operation *op, Operands operands,
                       mlir::RankedTensorType type);
/// Elements converted from complex numbers or to them.
Result convertComplex(const Tensor &from, mlir::RankedTensorType type);
Result evaluateMakeComplex(stablehlo::ComplexOp op, Operands operands);
/// The op real or imag.
Result evaluatePart(mlir::Operation *op, Operands operands);
Result evaluateBitcast(stablehlo::BitcastConvertOp op, Operands operands);
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
Result evaluateMatrixProduct(stablehlo::DotOp op, Operands operands);
Result evaluateConvolution(stablehlo::ConvolutionOp op, Operands operands);

Results evaluateReduce(stablehlo::ReduceOp op, Operands operands, Body body);
Results evaluateReduceWindow(stablehlo::ReduceWindowOp op, Operands operands,
                             Body body);
Result evaluateSelectAndScatter(stablehlo::SelectAndScatterOp op,
                                Operands operands, Body body);
Result evaluateGather(stablehlo::GatherOp op, Operands operands);
Results evaluateScatter(stablehlo::ScatterOp op, Operands operands, Body body);

Results evaluateSort(stablehlo::SortOp op, Operands operands, Body body);
Results evaluateTopK(chlo::TopKOp op, Operands operands);

Results evaluateTraining(stablehlo::BatchNormTrainingOp op, Operands operands);
Results evaluateInference(stablehlo::BatchNormInferenceOp op,
                          Operands operands);
Results evaluateGradient(stablehlo::BatchNormGradOp op, Operands operands);

Results evaluateRandomBits(stablehlo::RngBitGeneratorOp op, Operands operands);

/// Compares the operands of a call of check.eq, check.expect_eq,
/// check.expect_close or check.expect_almost_eq.
Results evaluateCheck(stablehlo::CustomCallOp op, Operands operands);

/// The place of a number in the total order: -NaN, -infinity, ..., -0, 0, ...,
/// infinity, NaN. In the weak order both zeros are one, and all NaNs are the
/// largest.
int64_t placeInOrder(double value, bool isWeak = false);

/// The bits of a number of an element type, which has at most 64.
uint64_t bitsOf(mlir::Type element, const Tensor &tensor, int64_t i);

/// The type of a result, which is ranked and static.
mlir::RankedTensorType typeOf(mlir::OpResult result);

/// The positions to add per step of each dimension, in row-major order.
llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape);

/// Fails with "has operands that do not fit" at the op.
llvm::LogicalResult misfit(mlir::Operation *op);

} // namespace reprise::reference::hlo

#endif // REPRISE_LIB_REFERENCE_STABLEHLO_MODELS_H
