//===- Collective.cpp - Ops of several processes --------------------------===//

#include "../Models.h"
#include "reprise/IR/Kernel.h"
#include "reprise/Limits.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult AllGatherOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto x = tensorOf(adaptor.getX());
  SmallVector<int64_t> shape = {int64_t(adaptor.getRanks())};
  llvm::append_range(shape, x.getShape());
  types.push_back(x.clone(shape));
  return success();
}

template <typename OpTy> static LogicalResult verifyCollective(OpTy op) {
  auto ranks = int64_t(op.getRanks()), sequence = int64_t(op.getSequence());
  if (ranks < 2 || ranks > int64_t(kMaxRanks))
    return op.emitOpError() << "is of " << ranks << " ranks; 2 to " << kMaxRanks
                            << " are possible";
  if (sequence < 0)
    return op.emitOpError()
           << "has sequence number " << sequence << "; they count from 0";
  return success();
}

LogicalResult AllReduceOp::verify() { return verifyCollective(*this); }
LogicalResult AllGatherOp::verify() { return verifyCollective(*this); }

/// Additions of the ranks' elements; this rank makes its share of them.
static uint64_t allReduceFlops(Operation *op) {
  uint64_t ranks = cast<AllReduceOp>(op).getRanks();
  return (ranks - 1) * elements(op->getResult(0)) / ranks;
}

namespace {
template <typename OpTy>
struct CollectiveModel
    : LibraryOpInterface::ExternalModel<CollectiveModel<OpTy>, OpTy> {
  StringRef getLibraryFunction(Operation *op) const {
    return op->getName().stripDialect();
  }
  SmallVector<int64_t> getLibraryParameters(Operation *op) const {
    auto collective = cast<OpTy>(op);
    return {int64_t(collective.getRanks()), int64_t(collective.getSequence())};
  }
};
} // namespace

void sg::registerCollectiveModels(MLIRContext *context) {
  AllReduceOp::attachInterface<CollectiveModel<AllReduceOp>>(*context);
  AllGatherOp::attachInterface<CollectiveModel<AllGatherOp>>(*context);
  attachLibraryCost<allReduceFlops, AllReduceOp>(context);
  attachLibraryCost<noFlops, AllGatherOp>(context);
}
