//===- RematModels.cpp - Upstream dialects and the planner ----------------===//
//
// Only what MLIR's own interfaces don't say: the arithmetic of products, that
// tensor.empty has no content, which ops on tensors are views.
//
//===----------------------------------------------------------------------===//
#include "reprise/IR/Remat.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::remat;

namespace {

/// Iterations of the loops times what a body computes: each of its ops but the
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

  /// Destinations that are also operands are read at the element that is
  /// written, if they are: bufferization asks for identities, too.
  SmallVector<InPlacePair> getRematInPlacePairs(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    bool isParallel = linalgOp.getNumLoops() == linalgOp.getNumParallelLoops();
    auto isElementwise = [&](OpOperand &operand) {
      return isParallel &&
             linalgOp.getMatchingIndexingMap(&operand).isIdentity();
    };
    SmallVector<InPlacePair> pairs;
    for (OpResult result : op->getResults()) {
      OpOperand *tied = linalgOp.getTiedOpOperand(result);
      if (isReadThroughOneOperand(*tied, [&](OpOperand &other) {
            return other.get() == tied->get() && isElementwise(*tied) &&
                   isElementwise(other);
          }))
        pairs.push_back({result.getResultNumber(), tied->getOperandNumber()});
    }
    return pairs;
  }
};

/// What is in an empty tensor exists with the op that writes it.
struct EmptyModel
    : RematOpInterface::ExternalModel<EmptyModel, tensor::EmptyOp> {
  std::optional<uint64_t> getRematBytes(Operation *, unsigned) const {
    return 0;
  }
  uint64_t getRematFlops(Operation *) const { return 0; }
};

/// The same elements in the same order, or the same type in other words.
template <typename OpTy>
struct ViewModel : RematOpInterface::ExternalModel<ViewModel<OpTy>, OpTy> {
  std::optional<unsigned> getRematViewSource(Operation *) const { return 0; }
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

template <typename... Ops> static void attachStructured(MLIRContext *context) {
  (Ops::template attachInterface<StructuredModel<Ops>>(*context), ...);
}

template <typename... Ops> static void attachViews(MLIRContext *context) {
  (Ops::template attachInterface<ViewModel<Ops>>(*context), ...);
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
    attachViews<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
        context);
  });
  registry.addExtension(+[](MLIRContext *context, tosa::TosaDialect *) {
    attachViews<tosa::ReshapeOp>(context);
    tosa::MatMulOp::attachInterface<MatMulModel>(*context);
    tosa::Conv2DOp::attachInterface<ConvolutionModel<tosa::Conv2DOp>>(*context);
    tosa::Conv3DOp::attachInterface<ConvolutionModel<tosa::Conv3DOp>>(*context);
  });
}
