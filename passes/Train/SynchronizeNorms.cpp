//===- SynchronizeNorms.cpp - Batch normalization over all ranks ----------===//
//
// Input:   a flat, differentiated function, the step of one of `ranks`
//          processes, before its gradients are reduced.
// Output:  the same with batch normalization by the statistics of the batches
//          of all ranks.
// Method:  ranks have equally many elements M of a channel. With the mean m_r
//          and the biased variance v_r of rank r,
//
//            mean = (m_0 + m_1 + ...) / R
//            variance = (v_0 + v_1 + ...) / R + (d_0^2 + d_1^2 + ...) / R,
//            d_r = m_r - mean
//
//          (Chan et al. 1979): one gather of both moments, whose rows every
//          rank adds, or, if the rows of all ranks are large, a sum over the
//          ranks of both moments and one of the squares d_r^2. The gradient's
//          sums over the batch, dbeta and dgamma, are added over the ranks for
//          the gradient of the operand; those of the parameters stay a rank's
//          own, which are reduced with the others:
//
//            dx = (gamma * rstd) * ((dy - dbeta / (R M)) - xhat * (dgamma / (R
//            M)))
//
//          The backward pass and its clones read the joined statistics, so that
//          nothing is gathered a second time.
// Cost:    linear in the normalizations, whatever the number of ranks.
// Fails:   without a batch normalization; if a clone computes statistics.
//
//===----------------------------------------------------------------------===//

#include "FlattenOrigins.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Origin.h"
#include "reprise/Limits.h"
#include "reprise/Passes/Train.h"

namespace reprise {
#define GEN_PASS_DEF_SGSYNCHRONIZENORMS
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// Emits ops with the origin of one op.
class Emit {
public:
  Emit(OpBuilder &builder, Operation *source)
      : builder(builder), loc(source->getLoc()), origin(originOf(source)) {}

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    auto op = OpTy::create(builder, loc, std::forward<Args>(args)...);
    if (origin && hasOrigin(op))
      setOrigin(op, origin);
    return op->getResult(0);
  }
  Value add(Value a, Value b) { return make<AddOp>(a, b); }
  Value sub(Value a, Value b) { return make<SubOp>(a, b); }
  Value mul(Value a, Value b) { return make<MulOp>(a, b); }
  Value divBy(Value a, double divisor) {
    return make<DivOp>(a, createSplat(builder, loc, tensorOf(a), divisor));
  }
  /// `value`, of a channel each, for every element of `like`.
  Value spread(Value value, Value like) {
    RankedTensorType type = tensorOf(like);
    int64_t last = type.getRank() - 1;
    auto to = type.clone(getElementTypeOrSelf(value.getType()));
    return make<BroadcastOp>(to, value, ArrayRef<int64_t>(last));
  }
  Value as(Value value, Type element) {
    RankedTensorType type = tensorOf(value);
    return type.getElementType() == element
               ? value
               : make<CastOp>(type.clone(element), value);
  }
  /// Adds the rows of a matrix.
  Value addRows(Value rows) {
    return make<ReduceSumOp>(rows, ArrayRef<int64_t>{0});
  }
  /// The elements `begin` to `end` of the last dimension.
  Value cut(Value value, int64_t begin, int64_t end) {
    SmallVector<int64_t> limits(tensorOf(value).getShape()),
        starts(limits.size(), 0), by(limits.size(), 1);
    starts.back() = begin;
    limits.back() = end;
    return make<SliceOp>(value, starts, limits, by);
  }
  /// One vector behind the other.
  Value join(Value a, Value b) {
    return make<ConcatOp>(ValueRange{a, b}, /*dimension=*/0);
  }

  OpBuilder &builder;
  Location loc;
  OriginAttr origin;
};

class Synchronization {
public:
  Synchronization(func::FuncOp function, uint64_t ranks, uint64_t gatheredBytes)
      : function(function), ranks(ranks), gatheredBytes(gatheredBytes) {}

  /// Finds the normalizations. Changes no IR.
  LogicalResult look();
  void rewrite();

private:
  void joinStatistics(BatchNormTrainingOp op);
  void joinGradient(BatchNormGradOp op);
  Value addOverRanks(Emit &e, Value own) {
    return e.make<AllReduceOp>(ValueRange(own), ranks, sequence++);
  }

  func::FuncOp function;
  const uint64_t ranks, gatheredBytes;
  int64_t sequence = 0; // of the next collective
  SmallVector<BatchNormTrainingOp> norms;
  SmallVector<BatchNormGradOp> gradients;
};

} // namespace

LogicalResult Synchronization::look() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (auto collective = dyn_cast<CollectiveOpInterface>(op))
      sequence = std::max(sequence, collective.getSequenceNumber() + 1);
    if (auto norm = dyn_cast<BatchNormTrainingOp>(op)) {
      if (phaseOf(norm) == Phase::Recompute)
        return norm.emitOpError() << "computes its statistics again; those of "
                                     "all ranks are computed once";
      norms.push_back(norm);
    } else if (auto gradient = dyn_cast<BatchNormGradOp>(op)) {
      gradients.push_back(gradient);
    }
  }
  if (norms.empty())
    return function.emitError()
           << "the step has no batch normalization in training whose "
              "statistics ranks could join";
  return success();
}

void Synchronization::joinStatistics(BatchNormTrainingOp op) {
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Emit e(builder, op);
  RankedTensorType type = tensorOf(op.getMean());
  int64_t channels = type.getNumElements();
  double count = double(ranks);
  llvm::SmallPtrSet<Operation *, 2> readers; // of a rank's own statistics
  Value own = e.join(op.getMean(), op.getVariance());
  readers.insert(own.getDefiningOp());
  Value rows;
  if (2 * byteSize(type) * ranks <= gatheredBytes)
    rows = e.make<AllGatherOp>(own, ranks, sequence++);
  Value means = e.divBy(rows ? e.addRows(rows) : addOverRanks(e, own), count);
  Value mean = e.cut(means, 0, channels);
  Value within = e.cut(means, channels, 2 * channels);
  Value squares;
  if (rows) {
    Value all = e.cut(rows, 0, channels);
    Value away = e.sub(all, e.spread(mean, all));
    squares = e.addRows(e.mul(away, away));
  } else {
    Value away = e.sub(op.getMean(), mean);
    readers.insert(away.getDefiningOp());
    squares = addOverRanks(e, e.mul(away, away));
  }
  Value between = e.divBy(squares, count);
  Value variance = e.add(within, between);
  Value epsilon = createSplat(builder, e.loc, tensorOf(variance),
                              op.getEpsilon().convertToDouble());
  Value rstd = e.make<RsqrtOp>(e.add(variance, epsilon));
  Value y =
      e.make<NormalizeOp>(op.getX(), mean, rstd, op.getGamma(), op.getBeta());
  op.getY().replaceAllUsesWith(y);
  op.getMean().replaceAllUsesExcept(mean, readers);
  op.getVariance().replaceAllUsesExcept(variance, readers);
  op.getRstd().replaceAllUsesWith(rstd);
}

/// The order of operations is that of sg.batch_norm_grad.
void Synchronization::joinGradient(BatchNormGradOp op) {
  if (op.getDx().use_empty())
    return;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Emit e(builder, op);
  Type element = getElementTypeOrSelf(op.getGamma().getType());
  int64_t channels = tensorOf(op.getGamma()).getNumElements();
  Value own = e.join(op.getDbeta(), op.getDgamma());
  Value sums = addOverRanks(e, own);
  Value x = e.as(op.getX(), element), dy = e.as(op.getDy(), element);
  double count =
      double(ranks) * double(tensorOf(x).getNumElements() / channels);
  Value meanDy = e.divBy(e.cut(sums, 0, channels), count);
  Value meanProduct = e.divBy(e.cut(sums, channels, 2 * channels), count);
  Value centered = e.sub(x, e.spread(op.getMean(), x));
  Value xhat = e.mul(centered, e.spread(op.getRstd(), x));
  Value slope = e.mul(op.getGamma(), op.getRstd());
  Value shifted = e.sub(dy, e.spread(meanDy, x));
  Value projected = e.mul(xhat, e.spread(meanProduct, x));
  Value dx = e.mul(e.spread(slope, x), e.sub(shifted, projected));
  op.getDx().replaceAllUsesWith(
      e.as(dx, getElementTypeOrSelf(op.getX().getType())));
}

void Synchronization::rewrite() {
  llvm::for_each(norms, [&](auto op) { joinStatistics(op); });
  llvm::for_each(gradients, [&](auto op) { joinGradient(op); });
}

namespace {
class SynchronizeNorms
    : public reprise::impl::SgSynchronizeNormsBase<SynchronizeNorms> {
public:
  using SgSynchronizeNormsBase::SgSynchronizeNormsBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (ranks < 2 || ranks > kMaxRanks || !function.getBody().hasOneBlock()) {
      function.emitError() << "statistics are joined by 2 to " << kMaxRanks
                           << " ranks in a function of one block, not by "
                           << unsigned(ranks);
      return signalPassFailure();
    }
    Synchronization synchronization(function, ranks, gatheredBytes);
    if (failed(synchronization.look()))
      return signalPassFailure();
    synchronization.rewrite();
  }
};
} // namespace
