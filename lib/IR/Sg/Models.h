//===- Models.h - Attaching interfaces to ops of sg -------------*- C++ -*-===//
//
// A family of ops is a file of lib/IR/Sg/Ops: types and rules, derivatives,
// decompositions, cost, code in kernels and rules of mixed precision.
//
// Costs are counted as in papers: a multiply-add is two operations, products
// with padding included, and any elementary function is one. Bytes are each
// distinct operand once and each result once. Composite ops count the
// operations of their decomposition. A kernel counts the code it runs: an op
// once in each pass over a row that needs it, but bytes once, since a row stays
// in a cache from pass to pass. A random number is Philox 4x32-10: ten rounds
// of two products, four exclusive ors and two additions, then a conversion and
// a product.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_IR_SG_MODELS_H
#define REPRISE_LIB_IR_SG_MODELS_H

#include "Emit.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Autocast.h"
#include "llvm/ADT/SetVector.h"

namespace reprise::sg {

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

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

/// A derivative dy -> dx of an op for its first operand: skipped if
/// there is no cotangent or the gradient is not needed.
template <typename OpTy,
          mlir::Value (*formula)(OpTy, VjpContext &, Emitter &, mlir::Value)>
mlir::LogicalResult unaryVjp(OpTy op, VjpContext &context) {
  mlir::Value dy = context.cotangent(op->getResult(0));
  if (!dy || !context.needsGradient(op->getOpOperand(0)))
    return mlir::success();
  Emitter e(context.builder, op.getLoc());
  context.addGradient(op->getOpOperand(0), formula(op, context, e, dy));
  return mlir::success();
}

template <typename OpTy,
          mlir::Value (*formula)(OpTy, VjpContext &, Emitter &, mlir::Value)>
void attachUnary(mlir::MLIRContext *context) {
  attachVjp<OpTy, unaryVjp<OpTy, formula>>(context);
}

/// The derivative of a linear op of one operand, from the cotangent alone.
template <typename OpTy, mlir::Value (*adjoint)(OpTy, Emitter &, mlir::Value)>
mlir::Value linearFormula(OpTy op, VjpContext &, Emitter &e, mlir::Value dy) {
  return adjoint(op, e, dy);
}

template <typename OpTy, mlir::Value (*adjoint)(OpTy, Emitter &, mlir::Value)>
void attachLinear(mlir::MLIRContext *context) {
  attachUnary<OpTy, linearFormula<OpTy, adjoint>>(context);
}

//===----------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Simplifications
//===----------------------------------------------------------------------===//

// Folds keep every bit and remove only ops that move or do nothing. x + 0 is
// not x (-0 + 0 is 0), x * 1 is x but is left to its author, sums are not
// regrouped, and a cast there and back rounds, unless it widens first.

/// The operand of an op of one operand, if its type is the result's.
template <typename OpTy> mlir::OpFoldResult foldIfSameType(OpTy op) {
  if (op->getOperand(0).getType() == op->getResult(0).getType())
    return op->getOperand(0);
  return {};
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Returns true if the elements, of a scalar, vector or tensor, are real.
inline bool isReal(mlir::Value value) {
  return mlir::isa<mlir::FloatType>(getElementTypeOrSelf(value.getType()));
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

inline constexpr uint64_t kRandomFlops = 82;

inline uint64_t elements(mlir::Value value) {
  return tensorOf(value).getNumElements();
}

inline uint64_t noFlops(mlir::Operation *) { return 0; }

/// `count` operations per element of the first result.
template <uint64_t count> uint64_t perResult(mlir::Operation *op) {
  return count * elements(op->getResult(0));
}

/// `count` operations per element of the first operand.
template <uint64_t count> uint64_t perOperand(mlir::Operation *op) {
  return count * elements(op->getOperand(0));
}

inline uint64_t noBytes(mlir::Operation *) { return 0; }

inline uint64_t operandsAndResults(mlir::Operation *op) {
  llvm::SmallSetVector<mlir::Value, 4> values(op->operand_begin(),
                                              op->operand_end());
  values.insert(op->result_begin(), op->result_end());
  uint64_t sum = 0;
  for (mlir::Value value : values)
    sum += byteSize(value.getType());
  return sum;
}

/// Elements outside the slice are not read.
inline uint64_t takenBytes(mlir::Operation *op) {
  return 2 * byteSize(op->getResult(0).getType());
}

/// Each part of the kernel, for queries, keys or a tile of a bias, computes the
/// scores itself.
uint64_t attentionGradKernelFlops(mlir::Operation *op);

using Count = uint64_t (*)(mlir::Operation *);

template <typename OpTy, KernelClass kernelClass, Count flops, Count bytes>
struct CostModel
    : CostOpInterface::ExternalModel<CostModel<OpTy, kernelClass, flops, bytes>,
                                     OpTy> {
  uint64_t getFlops(mlir::Operation *op) const { return flops(op); }
  uint64_t getBytes(mlir::Operation *op) const { return bytes(op); }
  KernelClass getKernelClass(mlir::Operation *) const { return kernelClass; }
};

template <KernelClass kernelClass, Count flops, Count bytes, typename... Ops>
void attachCost(mlir::MLIRContext *context) {
  (Ops::template attachInterface<CostModel<Ops, kernelClass, flops, bytes>>(
       *context),
   ...);
}

template <Count flops, typename... Ops>
void attachPointwiseCost(mlir::MLIRContext *context) {
  attachCost<KernelClass::Pointwise, flops, operandsAndResults, Ops...>(
      context);
}

template <Count flops, typename... Ops>
void attachReductionCost(mlir::MLIRContext *context) {
  attachCost<KernelClass::Reduction, flops, operandsAndResults, Ops...>(
      context);
}

template <Count flops, typename... Ops>
void attachLibraryCost(mlir::MLIRContext *context) {
  attachCost<KernelClass::Library, flops, operandsAndResults, Ops...>(context);
}

//===----------------------------------------------------------------------===//
// Mixed precision
//===----------------------------------------------------------------------===//

template <AutocastRule rule, typename OpTy>
struct AutocastModel
    : AutocastOpInterface::ExternalModel<AutocastModel<rule, OpTy>, OpTy> {
  AutocastRule getAutocastRule(mlir::Operation *) const { return rule; }
};

template <AutocastRule rule, typename... Ops>
void attachAutocast(mlir::MLIRContext *context) {
  (Ops::template attachInterface<AutocastModel<rule, Ops>>(*context), ...);
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// Attach the models of all interfaces to the ops of a family.
void registerActivationModels(mlir::MLIRContext *context);
void registerAttentionModels(mlir::MLIRContext *context);
void registerCollectiveModels(mlir::MLIRContext *context);
void registerConstantModels(mlir::MLIRContext *context);
void registerConvolutionModels(mlir::MLIRContext *context);
void registerElementwiseModels(mlir::MLIRContext *context);
void registerGatherModels(mlir::MLIRContext *context);
void registerHostMemoryModels(mlir::MLIRContext *context);
void registerLossModels(mlir::MLIRContext *context);
void registerMovementModels(mlir::MLIRContext *context);
void registerNormalizationModels(mlir::MLIRContext *context);
void registerPoolingModels(mlir::MLIRContext *context);
void registerProductModels(mlir::MLIRContext *context);
void registerRandomModels(mlir::MLIRContext *context);
void registerReductionModels(mlir::MLIRContext *context);
void registerStructureModels(mlir::MLIRContext *context);
void registerElementwiseCode(mlir::MLIRContext *context);

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_SG_MODELS_H
