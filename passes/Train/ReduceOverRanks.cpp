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
//          takes from a rank's batch is gathered, small values together, and
//          the ops that depend on the variable are repeated for each rank, on
//          every rank.
//
// Values that an earlier pass has joined are equal on all ranks; a variable
// that follows from these alone is updated once.
//
//   rank r:  statistics m ──► all_gather ──► m0, m1, ...
//            v ──► update(v, m0) ──► update(., m1) ──► ... ──► write
//
// Cost:    linear in the ops; the updates times the ranks.
// Fails:   on a function that is not as above, if a rank's results depend on
//          what the other ranks write, and if the step, or a counter that is
//          written, is more than the place of draws.
//
//===----------------------------------------------------------------------===//

#include "FlattenOrigins.h"
#include "OwnStreams.h"
#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Origin.h"
#include "reprise/Limits.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace reprise {
#define GEN_PASS_DEF_SGREDUCEOVERRANKS
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// The most values that are gathered together: a kernel puts them one after the
/// other, in time that grows with their number.
constexpr unsigned kMostGathered = 32;

class RankReduction {
public:
  RankReduction(func::FuncOp function, const SgReduceOverRanksOptions &options)
      : function(function), body(function.getBody().front()),
        ranks(options.ranks), options(options),
        isMarked(saysOrigins(function)) {}

  /// Checks the function and collects its facts. Changes no IR.
  LogicalResult look();
  void rewrite();

private:
  LogicalResult lookAtWrites();
  LogicalResult lookAtUpdates();
  LogicalResult lookAtUses(Operation *update);
  LogicalResult lookAtOperand(Operation *reader, Value value);
  LogicalResult lookAtCourses();
  LogicalResult lookAtResults();
  LogicalResult lookAtStep();
  bool isJoinedBy(Operation &op) const;
  bool areRows(RankedTensorType type) const;
  bool isLocal(Value value) const;
  bool isCounter(Value value) const;
  bool isPlacedByCounter(Operation *op) const;

  template <typename OpTy, typename... Args>
  Value make(OpBuilder &builder, OriginAttr origin, Args &&...args);
  std::vector<SmallVector<Value>> gathersOf();
  void gather(OpBuilder &builder, ArrayRef<Value> values);
  void repeatUpdates(OpBuilder &builder);
  std::vector<SmallVector<unsigned>> bucketsOf();
  void reduce(OpBuilder &builder, ArrayRef<unsigned> bucket);
  OriginAttr originOfResult(unsigned k);
  OriginAttr forwardOf(StringRef path) {
    return OriginAttr::get(function.getContext(), path, Phase::Forward,
                           std::nullopt);
  }

  func::FuncOp function;
  Block &body;
  unsigned ranks;
  const SgReduceOverRanksOptions options;
  const bool isMarked;
  int64_t sequence = 0;                        // of the next collective
  llvm::MapVector<StringAttr, WriteOp> writes; // by variable
  llvm::DenseSet<StringAttr> counters;         // of them
  /// The ops that compute values equal on all ranks from collectives.
  llvm::DenseSet<Operation *> joined;
  /// The ops that depend on written variables, in program order.
  llvm::SetVector<Operation *> updates;
  /// The ones that each rank applies for all ranks.
  llvm::DenseSet<Operation *> repeated;
  /// The values of a rank's batch that updates and writes take, and each of
  /// them on all ranks.
  llvm::MapVector<Value, SmallVector<Value>> locals;
  SmallVector<unsigned> means; // results
};

} // namespace

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

LogicalResult RankReduction::look() {
  if (failed(lookAtWrites()) || failed(lookAtUpdates()) ||
      failed(lookAtResults()) || failed(lookAtStep()))
    return failure();
  return checkOwnStreams(function, ranks);
}

LogicalResult RankReduction::lookAtWrites() {
  SymbolTable symbols(function->getParentOfType<mlir::ModuleOp>());
  for (Operation &op : body.without_terminator()) {
    if (op.getNumRegions() != 0)
      return op.emitOpError() << "does not belong to a flat function of "
                                 "primitives; flatten it first";
    if (auto collective = dyn_cast<CollectiveOpInterface>(op))
      sequence = std::max(sequence, collective.getSequenceNumber() + 1);
    auto write = dyn_cast<WriteOp>(op);
    if (!write)
      continue;
    auto variable = symbols.lookup<VariableOp>(write.getVariable());
    if (variable && (variable.getRole() == Role::Parameter ||
                     variable.getRole() == Role::OptimizerState))
      return write.emitOpError()
             << "updates @" << write.getVariable()
             << "; gradients are reduced before an optimizer takes them";
    if (!writes.try_emplace(write.getVariableAttr().getAttr(), write).second)
      return write.emitOpError() << "is the second write of @"
                                 << write.getVariable() << " in a step";
    if (variable && variable.getRole() == Role::Counter)
      counters.insert(write.getVariableAttr().getAttr());
  }
  return success();
}

/// Returns true if the ranks have different values.
bool RankReduction::isLocal(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && !updates.contains(op) && !isa<ReadOp>(op) &&
         !joined.contains(op) && !op->hasTrait<OpTrait::ConstantLike>();
}

/// Returns true if an op's results are equal on all ranks because those of a
/// collective are.
bool RankReduction::isJoinedBy(Operation &op) const {
  if (isa<AllReduceOp, AllGatherOp>(op))
    return true;
  auto isKnown = [&](Value value) {
    Operation *from = value.getDefiningOp();
    return from && !isLocal(value) && !isa<ReadOp>(from);
  };
  return op.getNumOperands() > 0 && !streamOf(&op) &&
         llvm::all_of(op.getOperands(), isKnown) &&
         llvm::any_of(op.getOperands(), [&](Value value) {
           return joined.contains(value.getDefiningOp());
         });
}

/// Returns true if a value is a written counter as it was before the step.
bool RankReduction::isCounter(Value value) const {
  auto read = value.getDefiningOp<ReadOp>();
  return read && counters.contains(read.getVariableAttr().getAttr());
}

/// Returns true if an op takes a counter as the place of its draw, which the
/// trainer makes that of the rank.
bool RankReduction::isPlacedByCounter(Operation *op) const {
  return streamOf(op) && llvm::all_of(op->getOperands(), [&](Value value) {
           return isCounter(value) || !updates.contains(value.getDefiningOp());
         });
}

/// Collects the ops that depend on a written variable.
LogicalResult RankReduction::lookAtUpdates() {
  for (Operation &op : body.without_terminator()) {
    if (isPlacedByCounter(&op))
      continue;
    if (isJoinedBy(op))
      joined.insert(&op);
    auto read = dyn_cast<ReadOp>(op);
    bool depends = llvm::any_of(op.getOperands(), [&](Value value) {
      Operation *from = value.getDefiningOp();
      auto read = dyn_cast_if_present<ReadOp>(from);
      return from &&
             (updates.contains(from) ||
              (read && writes.contains(read.getVariableAttr().getAttr())));
    });
    if (!read && depends && !isa<WriteOp>(op))
      updates.insert(&op);
  }
  for (Operation *update : updates) {
    if (failed(lookAtUses(update)))
      return failure();
    for (Value operand : update->getOperands())
      if (failed(lookAtOperand(update, operand)))
        return failure();
  }
  for (auto &[name, write] : writes)
    if (failed(lookAtOperand(write, write.getValue())))
      return failure();
  return lookAtCourses();
}

/// Finds the updates that are applied for each rank: those of variables whose
/// next value takes nothing that is joined.
LogicalResult RankReduction::lookAtCourses() {
  for (auto &[name, write] : writes) {
    llvm::SetVector<Operation *> course;
    SmallVector<Value> todo = {write.getValue()};
    bool takesJoined = false, takesLocal = false;
    while (!todo.empty()) {
      Value value = todo.pop_back_val();
      Operation *from = value.getDefiningOp();
      takesJoined |= joined.contains(from);
      takesLocal |= isLocal(value);
      if (from && updates.contains(from) && course.insert(from))
        llvm::append_range(todo, from->getOperands());
    }
    if (takesJoined && takesLocal)
      return write.emitOpError()
             << "sets @" << write.getVariable()
             << " by values of one rank and by values of all ranks";
    if (!takesJoined)
      repeated.insert_range(course);
  }
  return success();
}

LogicalResult RankReduction::lookAtUses(Operation *update) {
  for (Operation *user : update->getUsers())
    if (!updates.contains(user) && !isa<WriteOp>(user))
      return update->emitOpError()
             << "depends on a variable that the step writes, and more than the "
                "next value of such variables depends on it; ranks cannot wait "
                "for each other there";
  if (streamOf(update))
    return update->emitOpError()
           << "draws random numbers for a variable that all ranks write";
  return success();
}

LogicalResult RankReduction::lookAtOperand(Operation *reader, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto role = roleOf(function.getArgAttrDict(argument.getArgNumber()));
    if (role == BindingRole::LearningRate || role == BindingRole::Seed)
      return success();
    return reader->emitOpError()
           << "takes argument " << argument.getArgNumber()
           << " of one rank for a variable that all ranks write";
  }
  if (!isLocal(value))
    return success();
  Type element = getElementTypeOrSelf(value.getType());
  if (!isa<Float32Type, Float64Type>(element))
    return reader->emitOpError()
           << "takes a " << value.getType()
           << " of one rank for a variable that all ranks write; f32 and f64 "
              "can be gathered";
  locals[value];
  return success();
}

/// Returns true if the first dimension of a type is the batch's.
bool RankReduction::areRows(RankedTensorType tensor) const {
  if (!tensor || tensor.getRank() == 0)
    return false;
  return llvm::any_of(body.getArguments(), [&](BlockArgument argument) {
    auto other = dyn_cast<RankedTensorType>(argument.getType());
    return other && other.getRank() > 0 &&
           other.getDimSize(0) == tensor.getDimSize(0);
  });
}

LogicalResult RankReduction::lookAtResults() {
  bool hasGradient = false;
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    BindingRole role = roleOf(function.getResultAttrDict(k));
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[k]);
    hasGradient |= role == BindingRole::Gradient;
    bool mayBeRows = role == BindingRole::Data || role == BindingRole::Logits;
    if (mayBeRows && areRows(type))
      continue;
    if (role != BindingRole::Loss && role != BindingRole::Metric &&
        role != BindingRole::Gradient)
      return function.emitError() << "result " << k
                                  << " is of one rank: neither loss, metric "
                                     "nor gradient, nor rows of a batch";
    if (!type || !isa<Float32Type, Float64Type>(type.getElementType()))
      return function.emitError()
             << "result " << k << " is of type " << function.getResultTypes()[k]
             << "; ranks add f32 and f64";
    if (!type.hasStaticShape() || type.getNumElements() == 0)
      return function.emitError()
             << "result " << k << " is of type " << type
             << "; ranks add tensors of a fixed number of elements, at least 1";
    means.push_back(k);
  }
  if (!hasGradient)
    return function.emitError() << "returns no gradients to reduce";
  return success();
}

/// The high word of a rank's step has its micro-batch's number for the draws.
LogicalResult RankReduction::lookAtStep() {
  for (BlockArgument argument : body.getArguments()) {
    auto role = roleOf(function.getArgAttrDict(argument.getArgNumber()));
    if (role != BindingRole::Step)
      continue;
    for (Operation *user : argument.getUsers())
      if (!isa<RandomOpInterface, BarrierOp>(user))
        return user->emitOpError()
               << "computes with the step, which on a rank is only the place "
                  "of random numbers";
  }
  return success();
}

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
  auto type = cast<RankedTensorType>(all.getType());
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  for (Value value : values) {
    OriginAttr origin = forwardOf(pathOf(value.getDefiningOp()));
    if (values.size() > 1)
      limits[1] = starts[1] + elements(value);
    for (unsigned r = 0; r < ranks; ++r) {
      starts[0] = r;
      limits[0] = r + 1;
      Value row = make<SliceOp>(builder, origin, all, starts, limits, strides);
      locals[value].push_back(
          make<ReshapeOp>(builder, origin, value.getType(), row));
    }
    if (values.size() > 1)
      starts[1] = limits[1];
  }
}

/// Applies the updates of all ranks, in their order.
void RankReduction::repeatUpdates(OpBuilder &builder) {
  llvm::MapVector<StringAttr, Value> now; // of written variables
  for (unsigned r = 0; r < ranks; ++r) {
    IRMapping mapping;
    for (auto &[value, rows] : locals)
      mapping.map(value, rows[r]);
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
    if (bytes >= options.bucketBytes) {
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
  repeatUpdates(builder);
  for (ArrayRef<unsigned> bucket : bucketsOf())
    reduce(builder, bucket);
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
    RankReduction reduction(function, {ranks, bucketBytes});
    if (failed(reduction.look()))
      return signalPassFailure();
    reduction.rewrite();
  }
};
} // namespace
