//===- ReduceOverRanks.cpp - A step that several processes share ----------===//
//
// Input:   a flat, differentiated function, the step of one micro-batch, that
//          returns gradients and updates no parameter.
// Output:  the function for one of `ranks` processes, each of which runs it on
//          rows of its own. Loss, metrics and gradients are the means over the
//          ranks, with the bits of sg-accumulate-gradients on one process.
// Method:  these results are summed by all_reduces, in the order of the ranks,
//          and divided. Small ones share an all_reduce with those that are
//          computed next to them. A variable that the model writes goes
//          through the updates of all ranks, in their order: what an update
//          takes from a rank's batch is gathered, small values together. A
//          running average of many ranks is one op over their rows; other ops
//          that depend on the variable are repeated for each rank, on every
//          rank.
//
// Values that an earlier pass has joined are equal on all ranks; a variable
// that follows from these alone is updated once.
//
//   rank r:  statistics m ──► all_gather ──► m0, m1, ...
//            v ──► update(v, m0) ──► update(., m1) ──► ... ──► write
//
// Cost:    linear in the ops; the updates that are no running averages times
//          the ranks.
// Fails:   on a function that is not as above, if a rank's results depend on
//          what the other ranks write, and if the step, or a counter that is
//          written, is more than the place of draws.
//
//===----------------------------------------------------------------------===//

#include "RankReduction.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "reprise/Limits.h"

namespace reprise {
#define GEN_PASS_DEF_SGREDUCEOVERRANKS
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// The most values that are gathered together: a kernel puts them one after the
/// other, in time that grows with their number.
static constexpr unsigned kMostGathered = 32;

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

template <typename OpTy, typename... Args>
Value RankReduction::make(OpBuilder &builder, OriginAttr origin,
                          Args &&...args) {
  auto op =
      OpTy::create(builder, function.getLoc(), std::forward<Args>(args)...);
  if (isMarked && hasOrigin(op))
    setOrigin(op, origin);
  return op->getResult(0);
}

/// Returns the locals that are gathered together, in their order.
std::vector<SmallVector<Value>> RankReduction::gathersOf() {
  std::vector<SmallVector<Value>> gathers;
  llvm::MapVector<Type, SmallVector<Value>> open; // by element type
  llvm::DenseMap<Type, uint64_t> received;        // bytes of open ones
  for (auto &[value, rows] : locals) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Value> &gather = open[type.getElementType()];
    uint64_t bytes = byteSize(type) * ranks;
    uint64_t &sum = received[type.getElementType()];
    if (!gather.empty() &&
        (gather.size() == kMostGathered || sum + bytes > options.bucketBytes)) {
      gathers.push_back(std::exchange(gather, {}));
      sum = 0;
    }
    gather.push_back(value);
    sum += bytes;
  }
  for (auto &[type, gather] : open)
    gathers.push_back(gather);
  return gathers;
}

void RankReduction::gather(OpBuilder &builder, ArrayRef<Value> values) {
  OriginAttr origin =
      forwardOf(values.size() == 1 ? pathOf(values.front().getDefiningOp())
                                   : StringRef());
  auto elements = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  Value own = values.front();
  if (values.size() > 1) {
    SmallVector<Value> flat;
    for (Value value : values) {
      auto type = cast<RankedTensorType>(value.getType());
      flat.push_back(
          type.getRank() == 1
              ? value
              : make<ReshapeOp>(
                    builder, forwardOf(pathOf(value.getDefiningOp())),
                    type.clone(ArrayRef(type.getNumElements())), value));
    }
    own = make<ConcatOp>(builder, origin, flat, 0);
  }
  Value all = make<AllGatherOp>(builder, origin, own, ranks, sequence++);
  int64_t start = 0;
  for (Value value : values) {
    locals[value] = {all, start};
    start += elements(value);
  }
}

/// Returns the value that rank `rank` has.
Value RankReduction::rowOf(OpBuilder &builder, Value value, unsigned rank) {
  OriginAttr origin = forwardOf(pathOf(value.getDefiningOp()));
  auto [all, start] = locals[value];
  auto type = cast<RankedTensorType>(all.getType());
  auto own = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  starts[0] = rank;
  limits[0] = rank + 1;
  // Several values, and those of rank 1, are flat.
  if (type.getRank() == 2) {
    starts[1] = start;
    limits[1] = start + own.getNumElements();
  }
  Value row = make<SliceOp>(builder, origin, all, starts, limits, strides);
  return make<ReshapeOp>(builder, origin, own, row);
}

/// Returns the number that a splat repeats.
static std::optional<double> numberOf(Value value) {
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<APFloat>().convertToDouble();
  if (auto repeated = value.getDefiningOp<BroadcastOp>())
    return numberOf(repeated.getOperand());
  return std::nullopt;
}

/// Returns nothing if the write is of something else.
std::optional<RunningAverage> RankReduction::averageOf(WriteOp write) const {
  auto sum = write.getValue().getDefiningOp<AddOp>();
  if (!sum || !sum->hasOneUse() || !repeated.contains(sum))
    return std::nullopt;
  auto product = sum.getLhs().getDefiningOp<MulOp>();
  if (!product || !product->hasOneUse() || !repeated.contains(product))
    return std::nullopt;
  auto read = product.getLhs().getDefiningOp<ReadOp>();
  std::optional<double> keep = numberOf(product.getRhs());
  auto it = locals.find(sum.getRhs());
  bool isOwn = read && read.getVariableAttr() == write.getVariableAttr();
  // Another update would take the average between those of two ranks.
  auto reads = [&](Value value) {
    auto other = value.getDefiningOp<ReadOp>();
    return other && other.getVariableAttr() == write.getVariableAttr();
  };
  for (Operation *update : updates)
    isOwn &= update == product || llvm::none_of(update->getOperands(), reads);
  if (!isOwn || !keep || it == locals.end() ||
      cast<RankedTensorType>(it->first.getType()).getRank() != 1)
    return std::nullopt;
  return RunningAverage{write, product, sum, read, sum.getRhs(), *keep};
}

/// Removes the updates of running averages from the others.
SmallVector<RunningAverage> RankReduction::takeAverages() {
  SmallVector<RunningAverage> averages;
  if (ranks <= options.repeatedRanks)
    return averages;
  for (auto &[name, write] : writes)
    if (std::optional<RunningAverage> average = averageOf(write))
      averages.push_back(*average);
  for (RunningAverage &average : averages) {
    writes.erase(average.write.getVariableAttr().getAttr());
    updates.remove(average.sum);
    updates.remove(average.product);
  }
  return averages;
}

/// Updates a running average by the rows of all ranks, in their order.
void RankReduction::update(OpBuilder &builder, RunningAverage average) {
  auto [all, start] = locals[average.taken];
  Value next = make<RunningAverageOp>(builder, forwardOf(pathOf(average.sum)),
                                      average.read.getType(), average.read, all,
                                      builder.getI64IntegerAttr(start),
                                      builder.getF64FloatAttr(average.keep));
  average.write.getValueMutable().assign(next);
  average.write->moveBefore(body.getTerminator());
  average.sum->erase();
  average.product->erase();
}

/// Returns the values whose rows single updates take.
llvm::SetVector<Value> RankReduction::rowsToRepeat() {
  llvm::SetVector<Value> rows;
  auto take = [&](Value value) {
    if (locals.contains(value))
      rows.insert(value);
  };
  for (Operation *update : updates)
    llvm::for_each(update->getOperands(), take);
  for (auto &[name, write] : writes)
    take(write.getValue());
  return rows;
}

/// Applies the updates of all ranks, in their order.
void RankReduction::repeatUpdates(OpBuilder &builder) {
  llvm::MapVector<Value, SmallVector<Value>> rows;
  for (Value value : rowsToRepeat())
    for (unsigned r = 0; r < ranks; ++r)
      rows[value].push_back(rowOf(builder, value, r));
  llvm::MapVector<StringAttr, Value> now; // of written variables
  for (unsigned r = 0; r < ranks; ++r) {
    IRMapping mapping;
    for (auto &[value, all] : rows)
      mapping.map(value, all[r]);
    if (r > 0)
      for (auto read : body.getOps<ReadOp>())
        if (auto found = now.find(read.getVariableAttr().getAttr());
            found != now.end())
          mapping.map(read.getResult(), found->second);
    for (Operation *update : updates)
      if (r == 0 || repeated.contains(update))
        builder.clone(*update, mapping);
    for (auto &[name, write] : writes)
      if (Operation *from = write.getValue().getDefiningOp();
          r == 0 || !from || !updates.contains(from) || repeated.contains(from))
        now[name] = mapping.lookupOrDefault(write.getValue());
  }
  for (auto &[name, write] : writes) {
    write.getValueMutable().assign(now[name]);
    write->moveBefore(body.getTerminator());
  }
  for (Operation *update : llvm::reverse(updates))
    update->erase();
}

/// Returns the results that are reduced together. Gradients follow the order in
/// which they are computed; the loss and the metrics have buckets of their own,
/// since no variable is written before the loss is known.
std::vector<SmallVector<unsigned>> RankReduction::bucketsOf() {
  llvm::DenseMap<Operation *, unsigned> places;
  for (auto [place, op] : llvm::enumerate(body))
    places[&op] = place;
  Operation *terminator = body.getTerminator();
  SmallVector<unsigned> order(means);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return places.lookup(terminator->getOperand(a).getDefiningOp()) <
           places.lookup(terminator->getOperand(b).getDefiningOp());
  });
  struct Bucket {
    SmallVector<unsigned> results;
    uint64_t bytes = 0;
  };
  // By element type; of gradients, and of others.
  llvm::MapVector<std::pair<Type, unsigned>, Bucket> open;
  std::vector<SmallVector<unsigned>> buckets;
  auto close = [&](Bucket &bucket) {
    buckets.push_back(bucket.results);
    bucket = {};
  };
  for (unsigned k : order) {
    Type type = terminator->getOperand(k).getType();
    uint64_t bytes = byteSize(cast<RankedTensorType>(type));
    if (bytes >= std::min(options.bucketBytes, options.singleBytes)) {
      buckets.push_back({k});
      continue;
    }
    bool isGradient =
        roleOf(function.getResultAttrDict(k)) == BindingRole::Gradient;
    Bucket &bucket = open[{getElementTypeOrSelf(type), unsigned(isGradient)}];
    bucket.results.push_back(k);
    bucket.bytes += bytes;
    if (bucket.bytes >= options.bucketBytes ||
        bucket.results.size() == kMaxSummed)
      close(bucket);
  }
  for (auto &[key, bucket] : open)
    if (!bucket.results.empty())
      close(bucket);
  return buckets;
}

OriginAttr RankReduction::originOfResult(unsigned k) {
  auto binding = dyn_cast_if_present<BindingAttr>(
      function.getResultAttr(k, SgDialect::kBindingAttr));
  bool isGradient = binding && binding.getVariable();
  return forwardOf(isGradient ? binding.getVariable().getValue() : "");
}

/// Replaces some results by their means over the ranks.
void RankReduction::reduce(OpBuilder &builder, ArrayRef<unsigned> bucket) {
  Operation *terminator = body.getTerminator();
  SmallVector<Value> values;
  for (unsigned k : bucket)
    values.push_back(terminator->getOperand(k));
  OriginAttr origin =
      bucket.size() == 1 ? originOfResult(bucket.front()) : forwardOf("");
  Operation *sums =
      make<AllReduceOp>(builder, origin, values, ranks, sequence++)
          .getDefiningOp();
  for (auto [k, value, sum] : llvm::zip(bucket, values, sums->getResults())) {
    auto type = cast<RankedTensorType>(value.getType());
    Value count = createSplat(builder, value.getLoc(), type, double(ranks));
    terminator->setOperand(k,
                           make<DivOp>(builder, originOfResult(k), sum, count));
  }
}

void RankReduction::rewrite() {
  OpBuilder builder(body.getTerminator());
  for (ArrayRef<Value> values : gathersOf())
    gather(builder, values);
  SmallVector<RunningAverage> averages = takeAverages();
  repeatUpdates(builder);
  for (ArrayRef<unsigned> bucket : bucketsOf())
    reduce(builder, bucket);
  // Behind the sums: these need not wait for them.
  for (const RunningAverage &average : averages)
    update(builder, average);
}

namespace {
class ReduceOverRanks
    : public reprise::impl::SgReduceOverRanksBase<ReduceOverRanks> {
public:
  using SgReduceOverRanksBase::SgReduceOverRanksBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (ranks < 1 || ranks > kMaxRanks) {
      function.emitError() << "a step has 1 to " << kMaxRanks << " ranks, not "
                           << unsigned(ranks);
      return signalPassFailure();
    }
    if (ranks == 1 || function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "ranks share a function of one block";
      return signalPassFailure();
    }
    RankReduction reduction(function,
                            {ranks, bucketBytes, singleBytes, repeatedRanks});
    if (failed(reduction.look()))
      return signalPassFailure();
    reduction.rewrite();
  }
};
} // namespace
