//===- RematModels.cpp - Upstream dialects and the planner ----------------===//
//
// Models for facts that MLIR's own interfaces lack: the arithmetic of products,
// which operands linalg may overwrite, that tensor.empty has no content, which
// ops on tensors are views, and the ops between tensors and memory.
//
//===----------------------------------------------------------------------===//
#include "reprise/IR/Remat.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::remat;

namespace {

/// Iterations of the loops times the ops of a body: each of its ops but the
/// terminator is one operation, and so is a body that only yields.
template <typename OpTy>
struct StructuredModel
    : RematOpInterface::ExternalModel<StructuredModel<OpTy>, OpTy> {
  uint64_t getRematFlops(Operation *op) const {
    uint64_t flops = 1;
    for (int64_t range : cast<linalg::LinalgOp>(op).getStaticLoopRanges()) {
      if (ShapedType::isDynamic(range))
        return defaultFlops(op);
      flops = llvm::SaturatingMultiply<uint64_t>(flops, range);
    }
    uint64_t body = 0;
    for (Block &block : op->getRegion(0))
      body += block.getOperations().size() - 1;
    return llvm::SaturatingMultiply(flops, std::max<uint64_t>(body, 1));
  }

  /// An input may also be the destination if each element of one is read at the
  /// iteration that writes that element.
  SmallVector<InPlacePair> getRematInPlacePairs(Operation *op) const {
    auto structured = cast<linalg::LinalgOp>(op);
    bool isParallel =
        structured.getNumLoops() == structured.getNumParallelLoops();
    return destinationPairs(op, [&](OpOperand &destination, OpOperand &other) {
      return isParallel && structured.isDpsInput(&other) &&
             structured.getMatchingIndexingMap(&destination).isIdentity() &&
             structured.getMatchingIndexingMap(&other).isIdentity();
    });
  }
};

/// The content of an empty tensor exists from the op that writes it. Other
/// readers need the tensor's bytes.
struct EmptyModel
    : RematOpInterface::ExternalModel<EmptyModel, tensor::EmptyOp> {
  std::optional<uint64_t> getRematBytes(Operation *op, unsigned) const {
    return isOnlyDestination(op) ? 0 : bytesOf(op->getResult(0).getType());
  }
  uint64_t getRematFlops(Operation *) const { return 0; }
};

/// The result has the same elements in the same order, or a part of them.
template <typename OpTy>
struct ViewModel : RematOpInterface::ExternalModel<ViewModel<OpTy>, OpTy> {
  std::optional<unsigned> getRematViewSource(Operation *) const { return 0; }
  uint64_t getRematFlops(Operation *) const { return 0; }
};

/// A view if the elements are contiguous, else a copy.
template <typename OpTy>
struct ReshapeModel
    : RematOpInterface::ExternalModel<ReshapeModel<OpTy>, OpTy> {
  std::optional<unsigned> getRematViewSource(Operation *op) const {
    return isContiguous(op->getOperand(0)) ? std::optional(0u) : std::nullopt;
  }
  uint64_t getRematFlops(Operation *) const { return 0; }
};

/// The result is the memory that the op reads; the read keeps its order among
/// other effects.
struct ToTensorModel
    : RematOpInterface::ExternalModel<ToTensorModel,
                                      bufferization::ToTensorOp> {
  std::optional<uint64_t> getRematBytes(Operation *, unsigned) const {
    return 0;
  }
  uint64_t getRematFlops(Operation *) const { return 0; }
};

/// A copy of the tensor if memory is written that another op reads. It is one
/// place in memory: another one would not hold the elements stored in it.
struct ToBufferModel
    : RematOpInterface::ExternalModel<ToBufferModel,
                                      bufferization::ToBufferOp> {
  std::optional<uint64_t> getRematBytes(Operation *op, unsigned) const {
    return bytesOf(op->getOperand(0).getType());
  }
  uint64_t getRematFlops(Operation *) const { return 0; }
  Execution getRematExecution(Operation *) const { return Execution::InOrder; }
};

struct GetGlobalModel
    : RematOpInterface::ExternalModel<GetGlobalModel, memref::GetGlobalOp> {
  std::optional<uint64_t> getRematBytes(Operation *, unsigned) const {
    return 0;
  }
  uint64_t getRematFlops(Operation *) const { return 0; }
};

/// Two operations for each element of the result and each one contracted.
struct MatMulModel
    : RematOpInterface::ExternalModel<MatMulModel, tosa::MatMulOp> {
  uint64_t getRematFlops(Operation *op) const {
    auto lhs = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (!lhs || lhs.getRank() != 3 || lhs.isDynamicDim(2))
      return defaultFlops(op);
    return llvm::SaturatingMultiply<uint64_t>(defaultFlops(op),
                                              2 * lhs.getDimSize(2));
  }
};

/// Two operations for each element of the result and of one filter.
template <typename OpTy>
struct ConvolutionModel
    : RematOpInterface::ExternalModel<ConvolutionModel<OpTy>, OpTy> {
  uint64_t getRematFlops(Operation *op) const {
    auto filter = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
    if (!filter || !filter.hasStaticShape() || filter.getRank() == 0 ||
        filter.getDimSize(0) == 0)
      return defaultFlops(op);
    uint64_t window = 1;
    for (int64_t extent : filter.getShape().drop_front())
      window = llvm::SaturatingMultiply<uint64_t>(window, extent);
    return llvm::SaturatingMultiply(
        defaultFlops(op), llvm::SaturatingMultiply<uint64_t>(2, window));
  }
};

} // namespace

bool remat::isOnlyDestination(Operation *op) {
  return isa<tensor::EmptyOp>(op) && op->getNumOperands() == 0 &&
         llvm::all_of(op->getUses(), [&](OpOperand &use) {
           auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
           return user && user->getBlock() == op->getBlock() &&
                  user.isDpsInit(&use);
         });
}

bool remat::isReshape(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ReshapeOp>(op);
}

/// A caller's memory may have any strides, and so may a result written over it.
bool remat::isContiguous(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op ||
      isa<RegionBranchOpInterface, CallOpInterface, tensor::ExtractSliceOp>(op))
    return false;
  if (auto memory = dyn_cast<bufferization::ToTensorOp>(op)) {
    auto type = dyn_cast<MemRefType>(memory.getBuffer().getType());
    return type && type.getLayout().isIdentity();
  }
  if (isReshape(op))
    return true;
  if (std::optional<unsigned> viewed = viewSourceOf(op))
    return isContiguous(op->getOperand(*viewed));
  auto destinations = dyn_cast<DestinationStyleOpInterface>(op);
  return !destinations ||
         isContiguous(
             destinations.getTiedOpOperand(cast<OpResult>(tensor))->get());
}

template <typename... Ops> static void attachStructured(MLIRContext *context) {
  (Ops::template attachInterface<StructuredModel<Ops>>(*context), ...);
}

template <typename... Ops> static void attachViews(MLIRContext *context) {
  (Ops::template attachInterface<ViewModel<Ops>>(*context), ...);
}

template <typename... Ops> static void attachReshapes(MLIRContext *context) {
  (Ops::template attachInterface<ReshapeModel<Ops>>(*context), ...);
}

void remat::registerUpstreamModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachStructured<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<EmptyModel>(*context);
    attachViews<tensor::CastOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(
        context);
    attachReshapes<tensor::CollapseShapeOp, tensor::ReshapeOp>(context);
  });
  registry.addExtension(
      +[](MLIRContext *context, bufferization::BufferizationDialect *) {
        bufferization::ToTensorOp::attachInterface<ToTensorModel>(*context);
        bufferization::ToBufferOp::attachInterface<ToBufferModel>(*context);
      });
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    memref::GetGlobalOp::attachInterface<GetGlobalModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tosa::TosaDialect *) {
    attachViews<tosa::ReshapeOp>(context);
    tosa::MatMulOp::attachInterface<MatMulModel>(*context);
    tosa::Conv2DOp::attachInterface<ConvolutionModel<tosa::Conv2DOp>>(*context);
    tosa::Conv3DOp::attachInterface<ConvolutionModel<tosa::Conv3DOp>>(*context);
  });
}
