//===- RankReduction.cpp - The facts of a step that ranks share -----------===//
//
// Which variables the step writes, which ops lead to them, and what these take
// from a rank's own batch.
//
//===----------------------------------------------------------------------===//

#include "RankReduction.h"
#include "OwnStreams.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

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
