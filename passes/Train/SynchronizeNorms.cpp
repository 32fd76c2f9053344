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
//          (Chan et al. 1979), added in the order of the ranks: one gather of
//          both moments. The gradient's sums over the batch, dbeta and dgamma,
//          are added over the ranks for the gradient of the operand; those of
//          the parameters stay a rank's own, which are reduced with the others:
//
//            dx = (gamma * rstd) * ((dy - dbeta / (R M)) - xhat * (dgamma / (R
//            M)))
//
//          The backward pass and its clones read the joined statistics, so that
//          nothing is gathered a second time.
// Cost:    linear in the normalizations, times the ranks.
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
  /// The values `begin` to `end` of row `row` of a matrix.
  Value cut(Value rows, int64_t row, int64_t begin, int64_t end) {
    int64_t starts[] = {row, begin}, limits[] = {row + 1, end}, by[] = {1, 1};
    Value part = make<SliceOp>(rows, starts, limits, by);
    int64_t count[] = {end - begin};
    return make<ReshapeOp>(tensorOf(rows).clone(count), part);
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
  Synchronization(func::FuncOp function, uint64_t ranks)
      : function(function), ranks(ranks) {}

  /// Finds the normalizations. Changes no IR.
  LogicalResult look();
  void rewrite();

private:
  void joinStatistics(BatchNormTrainingOp op);
  void joinGradient(BatchNormGradOp op);
  Value sum(Emit &e, llvm::function_ref<Value(unsigned rank)> of) const;

  func::FuncOp function;
  const uint64_t ranks;
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

/// Adds in the order of the ranks.
Value Synchronization::sum(Emit &e,
                           llvm::function_ref<Value(unsigned rank)> of) const {
  Value all = of(0);
  for (unsigned r = 1; r < ranks; ++r)
    all = e.add(all, of(r));
  return all;
}

void Synchronization::joinStatistics(BatchNormTrainingOp op) {
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Emit e(builder, op);
  int64_t channels = tensorOf(op.getMean()).getNumElements();
  Value own = e.join(op.getMean(), op.getVariance());
  Value rows = e.make<AllGatherOp>(own, ranks, sequence++);
  SmallVector<Value> means, variances;
  for (unsigned r = 0; r < ranks; ++r) {
    means.push_back(e.cut(rows, r, 0, channels));
    variances.push_back(e.cut(rows, r, channels, 2 * channels));
  }
  double count = double(ranks);
  Value mean = e.divBy(sum(e, [&](unsigned r) { return means[r]; }), count);
  Value within =
      e.divBy(sum(e, [&](unsigned r) { return variances[r]; }), count);
  Value between = e.divBy(sum(e,
                              [&](unsigned r) {
                                Value away = e.sub(means[r], mean);
                                return e.mul(away, away);
                              }),
                          count);
  Value variance = e.add(within, between);
  Value epsilon = createSplat(builder, e.loc, tensorOf(variance),
                              op.getEpsilon().convertToDouble());
  Value rstd = e.make<RsqrtOp>(e.add(variance, epsilon));
  Value y =
      e.make<NormalizeOp>(op.getX(), mean, rstd, op.getGamma(), op.getBeta());
  Operation *joined = own.getDefiningOp();
  op.getY().replaceAllUsesWith(y);
  op.getMean().replaceAllUsesExcept(mean, joined);
  op.getVariance().replaceAllUsesExcept(variance, joined);
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
  Value sums = e.make<AllReduceOp>(ValueRange(own), ranks, sequence++);
  int64_t row[] = {1, 2 * channels};
  Value rows = e.make<ReshapeOp>(tensorOf(sums).clone(row), sums);
  Value x = e.as(op.getX(), element), dy = e.as(op.getDy(), element);
  double count =
      double(ranks) * double(tensorOf(x).getNumElements() / channels);
  Value meanDy = e.divBy(e.cut(rows, 0, 0, channels), count);
  Value meanProduct = e.divBy(e.cut(rows, 0, channels, 2 * channels), count);
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
    Synchronization synchronization(function, ranks);
    if (failed(synchronization.look()))
      return signalPassFailure();
    synchronization.rewrite();
  }
};
} // namespace
