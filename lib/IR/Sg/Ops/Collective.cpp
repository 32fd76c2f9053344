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
  llvm::append_range(types, adaptor.getX().getTypes());
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

RankedTensorType sg::shardOf(RankedTensorType whole, uint64_t ranks) {
  int64_t shard = llvm::divideCeil(uint64_t(whole.getNumElements()),
                                   std::max(ranks, uint64_t(1)));
  return whole.clone(ArrayRef(shard));
}

LogicalResult ReduceScatterOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  types.push_back(shardOf(tensorOf(adaptor.getX()), adaptor.getRanks()));
  return success();
}

LogicalResult TakeShardOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(shardOf(tensorOf(adaptor.getX()), adaptor.getRanks()));
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

LogicalResult AllReduceOp::verify() {
  if (getX().empty() || getX().size() > kMaxSummed)
    return emitOpError() << "sums " << getX().size() << " tensors; 1 to "
                         << kMaxSummed << " are possible";
  for (Value x : getX().drop_front())
    if (getElementTypeOrSelf(x) != getElementTypeOrSelf(getX().front()))
      return emitOpError() << "sums " << getX().front().getType() << " and "
                           << x.getType() << "; one element type is possible";
  return verifyCollective(*this);
}
LogicalResult AllGatherOp::verify() { return verifyCollective(*this); }
LogicalResult ReduceScatterOp::verify() { return verifyCollective(*this); }
LogicalResult TakeShardOp::verify() { return verifyCollective(*this); }

LogicalResult GatherShardsOp::verify() {
  if (failed(verifyCollective(*this)))
    return failure();
  RankedTensorType shard = shardOf(tensorOf(getResult()), getRanks());
  if (shard != getX().getType())
    return emitOpError() << "gathers shards of " << getX().getType()
                         << ", but those of its result are " << shard;
  return success();
}

/// Additions of the ranks' elements; this rank makes its share of them.
template <typename OpTy> static uint64_t sumFlops(Operation *op) {
  uint64_t ranks = cast<OpTy>(op).getRanks(), count = 0;
  for (Value x : op->getOperands())
    count += elements(x);
  return (ranks - 1) * count / ranks;
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
  ReduceScatterOp::attachInterface<CollectiveModel<ReduceScatterOp>>(*context);
  TakeShardOp::attachInterface<CollectiveModel<TakeShardOp>>(*context);
  GatherShardsOp::attachInterface<CollectiveModel<GatherShardsOp>>(*context);
  attachLibraryCost<sumFlops<AllReduceOp>, AllReduceOp>(context);
  attachLibraryCost<sumFlops<ReduceScatterOp>, ReduceScatterOp>(context);
  attachLibraryCost<noFlops, AllGatherOp, TakeShardOp, GatherShardsOp>(context);
}
