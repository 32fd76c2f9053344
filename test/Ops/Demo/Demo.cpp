//===- Demo.cpp - Ops of another dialect, as an example -------------------===//
//
// All that an op must say of itself so that it is differentiated, recomputed,
// fused, priced, compiled and checked: its reference, derivative, cost, and how
// it runs in a kernel, or a decomposition.
//
//===----------------------------------------------------------------------===//

#include "Demo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"
#include "reprise/Reference/Evaluator.h"

#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::demo;
using reference::Frame;
using reference::ReferenceOpInterface;
using reference::Tensor;

#include "Demo/DemoDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Demo/DemoOps.cpp.inc"

void DemoDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Demo/DemoOps.cpp.inc"
      >();
  registerModels();
}

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// A number as a scalar or a vector.
static Value number(OpBuilder &b, Location loc, Type type, double value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, loc, attr);
}

namespace {

struct SoftsignElement
    : PointwiseOpInterface::ExternalModel<SoftsignElement, SoftsignOp> {
  Value emitElement(Operation *op, OpBuilder &b, ValueRange x) const {
    Location loc = op->getLoc();
    Value size = math::AbsFOp::create(b, loc, x[0]);
    Value one = number(b, loc, x[0].getType(), 1.0);
    Value scale = arith::AddFOp::create(b, loc, one, size);
    return arith::DivFOp::create(b, loc, x[0], scale);
  }
};

struct NormReduction
    : ReductionOpInterface::ExternalModel<NormReduction, NormOp> {
  ArrayRef<int64_t> getReducedDims(Operation *op) const {
    return cast<NormOp>(op).getDims();
  }
  Value createOver(Operation *, OpBuilder &b, Location loc, Value operand,
                   ArrayRef<int64_t> dims) const {
    RankedTensorType type = tensorOf(operand);
    SmallVector<int64_t> kept;
    for (auto [d, extent] : llvm::enumerate(type.getShape()))
      if (!llvm::is_contained(dims, int64_t(d)))
        kept.push_back(extent);
    return NormOp::create(b, loc, type.clone(kept), operand, dims);
  }
  bool losesDigits(Operation *) const { return true; }
  double getIdentity(Operation *, Type) const { return 0.0; }
  Value combine(Operation *, OpBuilder &b, Location loc, Value x,
                Value y) const {
    Value xx = arith::MulFOp::create(b, loc, x, x);
    Value yy = arith::MulFOp::create(b, loc, y, y);
    Value sum = arith::AddFOp::create(b, loc, xx, yy);
    return math::SqrtOp::create(b, loc, sum);
  }
};

struct MirrorElement
    : KernelOpInterface::ExternalModel<MirrorElement, MirrorOp> {
  /// Neighbours are read in reverse: not as a vector.
  OperandLanes getOperandLanes(Operation *op, unsigned, unsigned dim) const {
    bool isLast = dim + 1 == tensorOf(op->getResult(0)).getRank();
    return isLast ? OperandLanes::apart() : OperandLanes::along(dim);
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const {
    Value operand = op->getOperand(0);
    int64_t extent = tensorOf(operand).getShape().back();
    SmallVector<Value> at(index.at);
    Value last = e.constant(extent - 1);
    at.back() = arith::SubIOp::create(e.builder, e.loc, last, at.back());
    return e.evaluateMoved(
        operand, e.moved(index, operand.getType(), at, index.lane), index);
  }
};

struct DampedNormDecomposition
    : DecomposeOpInterface::ExternalModel<DampedNormDecomposition,
                                          DampedNormOp> {
  FailureOr<SmallVector<Value>> decompose(Operation *op, OpBuilder &b) const {
    Type type = op->getResult(0).getType();
    int64_t last = tensorOf(op->getOperand(0)).getRank() - 1;
    Value norm = NormOp::create(b, op->getLoc(), type, op->getOperand(0),
                                ArrayRef<int64_t>{last});
    Value damped = SoftsignOp::create(b, op->getLoc(), type, norm);
    return SmallVector<Value>{damped};
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Calls of a library
//===----------------------------------------------------------------------===//

namespace {

struct DenseCall : LibraryOpInterface::ExternalModel<DenseCall, DenseOp> {
  StringRef getLibraryFunction(Operation *) const { return "matmul"; }
  /// Neither operand is transposed.
  SmallVector<int64_t> getLibraryParameters(Operation *) const {
    return {0, 0};
  }
  SmallVector<LibraryEpilogue> getLibraryEpilogues(Operation *) const {
    return {LibraryEpilogue::Bias, LibraryEpilogue::Relu};
  }
};

struct RmsNormCall : LibraryOpInterface::ExternalModel<RmsNormCall, RmsNormOp> {
  StringRef getLibraryFunction(Operation *) const { return "rms_norm"; }
  SmallVector<int64_t> getLibraryParameters(Operation *) const { return {}; }
  SmallVector<double> getLibraryFloats(Operation *op) const {
    return {cast<RmsNormOp>(op).getEpsilon().convertToDouble()};
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

namespace {

/// d/dx x / (1 + |x|) = 1 / (1 + |x|)^2.
struct SoftsignVjp : VjpOpInterface::ExternalModel<SoftsignVjp, SoftsignOp> {
  LogicalResult buildVjp(Operation *op, VjpContext &context) const {
    Value dy = context.cotangent(op->getResult(0));
    if (!dy || !context.needsGradient(op->getOpOperand(0)))
      return success();
    OpBuilder &b = context.builder;
    Location loc = op->getLoc();
    Value x = context.forward(op->getOperand(0));
    Value size = sg::AbsOp::create(b, loc, x);
    Value one = sg::createSplat(b, loc, tensorOf(x), 1.0);
    Value scale = sg::AddOp::create(b, loc, one, size);
    Value part = sg::DivOp::create(b, loc, dy, scale);
    context.addGradient(op->getOpOperand(0),
                        sg::DivOp::create(b, loc, part, scale));
    return success();
  }
};

/// d/dx |x| = x / |x|, of the last dimension.
struct NormVjp : VjpOpInterface::ExternalModel<NormVjp, NormOp> {
  LogicalResult buildVjp(Operation *op, VjpContext &context) const {
    Value dy = context.cotangent(op->getResult(0));
    if (!dy || !context.needsGradient(op->getOpOperand(0)))
      return success();
    OpBuilder &b = context.builder;
    Location loc = op->getLoc();
    Value x = context.forward(op->getOperand(0));
    Value norm = context.forward(op->getResult(0));
    Value scale = sg::DivOp::create(b, loc, dy, norm);
    Value spread = sg::broadcastLeading(b, loc, scale, tensorOf(x));
    context.addGradient(op->getOpOperand(0),
                        sg::MulOp::create(b, loc, spread, x));
    return success();
  }
};

struct MirrorVjp : VjpOpInterface::ExternalModel<MirrorVjp, MirrorOp> {
  LogicalResult buildVjp(Operation *op, VjpContext &context) const {
    Value dy = context.cotangent(op->getResult(0));
    if (dy && context.needsGradient(op->getOpOperand(0)))
      context.addGradient(
          op->getOpOperand(0),
          MirrorOp::create(context.builder, op->getLoc(), dy.getType(), dy));
    return success();
  }
};

/// Of relu(x w + b); keeps the result, which says where relu let through.
struct DenseVjp : VjpOpInterface::ExternalModel<DenseVjp, DenseOp> {
  LogicalResult buildVjp(Operation *op, VjpContext &context) const {
    Value dy = context.cotangent(op->getResult(0));
    if (!dy)
      return success();
    OpBuilder &b = context.builder;
    Location loc = op->getLoc();
    Value y = context.forward(op->getResult(0));
    Value dz = sg::ReluGradOp::create(b, loc, y, dy);
    if (context.needsGradient(op->getOpOperand(0)))
      context.addGradient(
          op->getOpOperand(0),
          sg::MatMulOp::create(b, loc, dz, context.forward(op->getOperand(1)),
                               /*transpose_a=*/false, /*transpose_b=*/true));
    if (context.needsGradient(op->getOpOperand(1)))
      context.addGradient(
          op->getOpOperand(1),
          sg::MatMulOp::create(b, loc, context.forward(op->getOperand(0)), dz,
                               /*transpose_a=*/true, /*transpose_b=*/false));
    if (context.needsGradient(op->getOpOperand(2)))
      context.addGradient(op->getOpOperand(2), sg::sumToLast(b, loc, dz));
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Costs and meanings
//===----------------------------------------------------------------------===//

namespace {

/// The operand and the result once, and so many operations an element read.
template <typename OpTy, KernelClass kind, uint64_t flops>
struct Cost : CostOpInterface::ExternalModel<Cost<OpTy, kind, flops>, OpTy> {
  uint64_t getFlops(Operation *op) const {
    return flops * tensorOf(op->getOperand(0)).getNumElements();
  }
  uint64_t getBytes(Operation *op) const {
    return sg::byteSize(op->getOperand(0).getType()) +
           sg::byteSize(op->getResult(0).getType());
  }
  KernelClass getKernelClass(Operation *) const { return kind; }
};

double softsign(double x) { return x / (1 + std::fabs(x)); }

struct SoftsignMeaning
    : ReferenceOpInterface::ExternalModel<SoftsignMeaning, SoftsignOp> {
  LogicalResult evaluate(Operation *, Frame &, ArrayRef<Tensor> operands,
                         MutableArrayRef<Tensor> results) const {
    for (int64_t i = 0; i < operands[0].size(); ++i)
      results[0].real(i) = softsign(operands[0].real(i));
    return success();
  }
};

/// Of rows, the last dimension.
double rowNorm(const Tensor &x, int64_t row) {
  int64_t columns = x.getShape().back();
  double sum = 0;
  for (int64_t i = row * columns; i < (row + 1) * columns; ++i)
    sum += x.real(i) * x.real(i);
  return std::sqrt(sum);
}

struct NormMeaning : ReferenceOpInterface::ExternalModel<NormMeaning, NormOp> {
  LogicalResult evaluate(Operation *, Frame &, ArrayRef<Tensor> operands,
                         MutableArrayRef<Tensor> results) const {
    for (int64_t row = 0; row < results[0].size(); ++row)
      results[0].real(row) = rowNorm(operands[0], row);
    return success();
  }
};

struct DampedNormMeaning
    : ReferenceOpInterface::ExternalModel<DampedNormMeaning, DampedNormOp> {
  LogicalResult evaluate(Operation *, Frame &, ArrayRef<Tensor> operands,
                         MutableArrayRef<Tensor> results) const {
    for (int64_t row = 0; row < results[0].size(); ++row)
      results[0].real(row) = softsign(rowNorm(operands[0], row));
    return success();
  }
};

/// A product, and an addition and a comparison an element of the result.
struct DenseCost : CostOpInterface::ExternalModel<DenseCost, DenseOp> {
  uint64_t getFlops(Operation *op) const {
    uint64_t inner = tensorOf(op->getOperand(0)).getShape().back();
    return (2 * inner + 2) * tensorOf(op->getResult(0)).getNumElements();
  }
  uint64_t getBytes(Operation *op) const {
    uint64_t bytes = sg::byteSize(op->getResult(0).getType());
    for (Value operand : op->getOperands())
      bytes += sg::byteSize(operand.getType());
    return bytes;
  }
  KernelClass getKernelClass(Operation *) const { return KernelClass::Library; }
};

struct DenseMeaning
    : ReferenceOpInterface::ExternalModel<DenseMeaning, DenseOp> {
  LogicalResult evaluate(Operation *, Frame &, ArrayRef<Tensor> operands,
                         MutableArrayRef<Tensor> results) const {
    const Tensor &x = operands[0], &w = operands[1];
    int64_t inner = x.getShape().back(), columns = w.getShape().back();
    for (int64_t i = 0; i < results[0].size(); ++i) {
      double sum = operands[2].real(i % columns);
      for (int64_t k = 0; k < inner; ++k)
        sum +=
            x.real(i / columns * inner + k) * w.real(k * columns + i % columns);
      results[0].real(i) = sum < 0 ? 0 : sum;
    }
    return success();
  }
};

struct MirrorMeaning
    : ReferenceOpInterface::ExternalModel<MirrorMeaning, MirrorOp> {
  LogicalResult evaluate(Operation *, Frame &, ArrayRef<Tensor> operands,
                         MutableArrayRef<Tensor> results) const {
    int64_t columns = operands[0].getShape().back();
    for (int64_t i = 0; i < operands[0].size(); ++i)
      results[0].real(i / columns * columns + columns - 1 - i % columns) =
          operands[0].real(i);
    return success();
  }
};

} // namespace

void DemoDialect::registerModels() {
  MLIRContext &context = *getContext();
  SoftsignOp::attachInterface<SoftsignElement, SoftsignVjp, SoftsignMeaning,
                              Cost<SoftsignOp, KernelClass::Pointwise, 3>>(
      context);
  NormOp::attachInterface<NormReduction, NormVjp, NormMeaning,
                          Cost<NormOp, KernelClass::Reduction, 2>>(context);
  DampedNormOp::attachInterface<DampedNormDecomposition, DampedNormMeaning,
                                Cost<DampedNormOp, KernelClass::Reduction, 2>>(
      context);
  DenseOp::attachInterface<DenseCall, DenseVjp, DenseMeaning, DenseCost>(
      context);
  RmsNormOp::attachInterface<RmsNormCall,
                             Cost<RmsNormOp, KernelClass::Library, 4>>(context);
  MirrorOp::attachInterface<MirrorElement, MirrorVjp, MirrorMeaning,
                            Cost<MirrorOp, KernelClass::Pointwise, 0>>(context);
}
