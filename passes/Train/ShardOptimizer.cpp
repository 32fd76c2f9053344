//===- ShardOptimizer.cpp - Optimizer state divided among ranks -----------===//
//
// Input:   flat steps for one of several ranks with an optimizer's updates.
// Output:  the same steps, in which each rank holds a shard of the optimizer's
//          variables and updates its shard of the parameters.
// Method:  the values from which the next value of such a variable, or of a
//          parameter that depends on one, is computed element by element have
//          shards in place of whole tensors:
//
//   all_reduce(g) ──► / n ──► update(w, m) ──► write w      m, w: whole
//
//   reduce_scatter(g) ──► / n ──► update ──► gather_shards ──► write w
//              take_shard(w) ──────┘  └──► write m             m: a shard
//
//          Everything else that reads such a value, as the norm of all
//          gradients does, reads it gathered, and keeps its bits.
// Cost:    linear in the ops.
// Fails:   where no variable is large enough; where an update takes a value
//          that may differ between ranks.
//
// This is the first stage of ZeRO (Rajbhandari et al. 2020, arXiv 1910.02054),
// a variable at a time instead of over one buffer of all of them.
//
//===----------------------------------------------------------------------===//

#include "FlattenOrigins.h"
#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Origin.h"
#include "reprise/Limits.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace reprise {
#define GEN_PASS_DEF_SGSHARDOPTIMIZER
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

class Sharding {
public:
  Sharding(func::FuncOp function, SymbolTable &symbols, uint64_t ranks,
           uint64_t leastBytes)
      : function(function), body(function.getBody().front()), symbols(symbols),
        ranks(ranks), leastBytes(leastBytes), isMarked(saysOrigins(function)) {}

  /// Finds the variables to shard and the ops of their updates. Changes no IR.
  LogicalResult look();
  void rewrite();
  bool isNeeded() const { return !written.empty(); }

private:
  VariableOp variableOf(Value value) const;
  bool isLarge(VariableOp variable) const;
  bool isConverted(Operation *op) const;
  llvm::SetVector<Operation *> updateOf(Value next) const;
  LogicalResult lookAtOperands(Operation *op) const;

  Value shardOf(OpBuilder &builder, Operation *reader, Value value);
  Value convert(OpBuilder &builder, Operation *op);
  void gatherForOthers(OpBuilder &builder, Operation *op, Value shard);
  template <typename OpTy, typename... Args>
  Value make(OpBuilder &builder, Operation *source, Args &&...args);

  func::FuncOp function;
  Block &body;
  SymbolTable &symbols;
  const uint64_t ranks, leastBytes;
  const bool isMarked;
  int64_t sequence = 0; // of the next collective
  llvm::SetVector<VariableOp> sharded;
  llvm::SmallVector<WriteOp> written;         // of sharded variables
  llvm::SmallPtrSet<Operation *, 32> updates; // of which shards take the place
  IRMapping shards;
};

} // namespace

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

/// Returns the variable that a value is read from, or null.
VariableOp Sharding::variableOf(Value value) const {
  auto read = value.getDefiningOp<ReadOp>();
  return read ? symbols.lookup<VariableOp>(read.getVariable()) : VariableOp();
}

bool Sharding::isLarge(VariableOp variable) const {
  RankedTensorType type = variable.getTensorType();
  return variable.getRole() == Role::OptimizerState && type.getRank() > 0 &&
         !variable.getWholeShape() && byteSize(type) >= leastBytes;
}

/// Returns true if an op computes whole tensors element by element, or begins
/// to: a shard of its result follows from shards of its operands.
bool Sharding::isConverted(Operation *op) const {
  if (isa<PointwiseOpInterface>(op) && op->getNumResults() == 1)
    return llvm::all_of(op->getOperandTypes(), [&](Type type) {
      return cast<RankedTensorType>(type).getShape() ==
             tensorOf(op->getResult(0)).getShape();
    });
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return tensorOf(broadcast.getOperand()).getRank() == 0;
  if (auto read = dyn_cast<ReadOp>(op))
    return sharded.contains(variableOf(read.getResult()));
  auto sum = dyn_cast<AllReduceOp>(op);
  return sum && sum.getX().size() == 1;
}

/// Returns the converted ops that a variable's next value is computed by.
llvm::SetVector<Operation *> Sharding::updateOf(Value next) const {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> todo = {next};
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val().getDefiningOp();
    if (!op || !isConverted(op) || !ops.insert(op) ||
        isa<AllReduceOp, BroadcastOp>(op))
      continue;
    llvm::append_range(todo, op->getOperands());
  }
  return ops;
}

/// Returns true for a constant whose elements are equal.
static bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return elements && elements.isSplat();
}

/// Fails if a shard of an operand cannot be taken.
LogicalResult Sharding::lookAtOperands(Operation *op) const {
  if (auto sum = dyn_cast<AllReduceOp>(op))
    return sum.getRanks() == ranks
               ? success()
               : sum.emitOpError() << "adds those of " << sum.getRanks()
                                   << " ranks, but shards are of " << ranks;
  if (isa<BroadcastOp>(op))
    return success();
  for (Value value : op->getOperands()) {
    Operation *from = value.getDefiningOp();
    bool isTaken = variableOf(value) && isa<Float32Type, Float64Type>(
                                            tensorOf(value).getElementType());
    if (!isTaken && !isSplat(value) && !updates.contains(from))
      return op->emitOpError() << "takes a " << value.getType()
                               << " for optimizer state that ranks share, and "
                                  "ranks may have other elements of it";
  }
  return success();
}

LogicalResult Sharding::look() {
  for (auto write : body.getOps<WriteOp>())
    if (auto variable = symbols.lookup<VariableOp>(write.getVariable());
        isLarge(variable)) {
      sharded.insert(variable);
      written.push_back(write);
    }
  for (Operation &op : body) {
    if (auto collective = dyn_cast<CollectiveOpInterface>(op))
      sequence = std::max(sequence, collective.getSequenceNumber() + 1);
    auto write = dyn_cast<WriteOp>(op);
    auto variable =
        write ? symbols.lookup<VariableOp>(write.getVariable()) : VariableOp();
    if (!write ||
        (variable.getRole() != Role::Parameter && !sharded.contains(variable)))
      continue;
    llvm::SetVector<Operation *> ops = updateOf(write.getValue());
    bool isOfState = llvm::any_of(ops, llvm::IsaPred<ReadOp>);
    if (isOfState || sharded.contains(variable))
      updates.insert_range(ops);
  }
  // Also where no update reads the variable.
  for (auto read : body.getOps<ReadOp>())
    if (sharded.contains(symbols.lookup<VariableOp>(read.getVariable())))
      updates.insert(read);
  for (WriteOp write : written)
    if (!updates.contains(write.getValue().getDefiningOp()))
      return write.emitOpError()
             << "sets optimizer state that ranks share to a value that is not "
                "computed element by element";
  for (Operation &op : body)
    if (updates.contains(&op) && failed(lookAtOperands(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Makes an op in the place of `source` or for it, with its origin.
template <typename OpTy, typename... Args>
Value Sharding::make(OpBuilder &builder, Operation *source, Args &&...args) {
  auto op =
      OpTy::create(builder, source->getLoc(), std::forward<Args>(args)...);
  OriginAttr origin = originOf(source);
  if (isMarked && hasOrigin(op))
    setOrigin(op, origin ? origin
                         : OriginAttr::get(function.getContext(), "",
                                           Phase::Forward, std::nullopt));
  return op.getResult();
}

/// Returns the shard of an operand of `reader`.
Value Sharding::shardOf(OpBuilder &builder, Operation *reader, Value value) {
  if (Value known = shards.lookupOrNull(value))
    return known;
  Value shard;
  if (isSplat(value)) {
    auto constant = value.getDefiningOp<ConstantOp>();
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    auto type = sg::shardOf(tensorOf(value), ranks);
    shard = ConstantOp::create(builder, constant.getLoc(), type,
                               elements.resizeSplat(type));
  } else {
    shard = make<TakeShardOp>(builder, reader, value, ranks, sequence++);
  }
  shards.map(value, shard);
  return shard;
}

/// Makes the op that computes the shard of an op's result.
Value Sharding::convert(OpBuilder &builder, Operation *op) {
  RankedTensorType type = sg::shardOf(tensorOf(op->getResult(0)), ranks);
  if (auto read = dyn_cast<ReadOp>(op))
    return ReadOp::create(builder, op->getLoc(), type, read.getVariableAttr());
  if (auto sum = dyn_cast<AllReduceOp>(op))
    return make<ReduceScatterOp>(builder, op, sum.getX().front(), ranks,
                                 sum.getSequence());
  if (!isa<BroadcastOp>(op))
    for (Value value : op->getOperands())
      shardOf(builder, op, value);
  IRMapping none;
  Operation *copy = builder.clone(*op, isa<BroadcastOp>(op) ? none : shards);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

/// Gathers a value for the ops that need the whole tensor.
void Sharding::gatherForOthers(OpBuilder &builder, Operation *op, Value shard) {
  auto isOther = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return isa<AllReduceOp>(user) ||
           (!updates.contains(user) && !llvm::is_contained(written, user));
  };
  Value whole = op->getResult(0);
  if (llvm::none_of(whole.getUses(), isOther))
    return;
  Value gathered = make<GatherShardsOp>(builder, op, whole.getType(), shard,
                                        ranks, sequence++);
  whole.replaceUsesWithIf(gathered, isOther);
}

void Sharding::rewrite() {
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    if (updates.contains(&op))
      ops.push_back(&op);
  for (Operation *op : ops) {
    OpBuilder builder(op);
    Value shard = convert(builder, op);
    shards.map(op->getResult(0), shard);
    gatherForOthers(builder, op, shard);
  }
  for (WriteOp write : written)
    write.getValueMutable().assign(shards.lookup(write.getValue()));
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  for (VariableOp variable : sharded) {
    RankedTensorType whole = variable.getTensorType();
    variable.setWholeShape(whole.getShape());
    variable.setType(sg::shardOf(whole, ranks));
  }
}

namespace {
class ShardOptimizer
    : public reprise::impl::SgShardOptimizerBase<ShardOptimizer> {
public:
  using SgShardOptimizerBase::SgShardOptimizerBase;

private:
  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    SymbolTable symbols(module);
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    if (ranks < 2 || ranks > kMaxRanks || functions.size() != 1) {
      module.emitError() << "optimizer state is shared by 2 to " << kMaxRanks
                         << " ranks in one step, not by " << unsigned(ranks)
                         << " in " << functions.size();
      return signalPassFailure();
    }
    func::FuncOp function = functions.front();
    if (function.isExternal() || !function.getBody().hasOneBlock()) {
      function.emitError() << "a step is a function of one block";
      return signalPassFailure();
    }
    Sharding sharding(function, symbols, ranks, leastBytes);
    if (failed(sharding.look()))
      return signalPassFailure();
    if (!sharding.isNeeded()) {
      function.emitError() << "the step has no optimizer state of "
                           << uint64_t(leastBytes)
                           << " bytes or more in a variable, so that there is "
                              "nothing to shard";
      return signalPassFailure();
    }
    sharding.rewrite();
  }
};
} // namespace
