//===- VariableUpdates.cpp - The places of written values -----------------===//
//
// Input:   a problem with all ops of the function, and its writes.
// Output:  each write is resolved: its value is in the variable's storage, or a
//          copy puts it there.
// Method:  a value is computed in place of its variable if the op that computes
//          it can run after every other reader of the variable, and reads the
//          variable itself, if at all, only where it writes. The readers
//          become Op::after; a search tells whether that closes a cycle.
//          The loss becomes one of an update where it does not depend on it.
//
//   direct   readers of w -> update kernel (w' in w's bytes)
//   copy     readers of w -> copy(w' to w); w' is a temporary
//   snapshot a variable's old value that outlives its update (it is returned,
//            or is the new value of another variable) is copied first
//
// Cost:    writes times uses.
// Fails:   never: a copy is a sink, so that it closes no cycle.
//
//===----------------------------------------------------------------------===//
#include "ProblemBuilder.h"

#include <algorithm>

using namespace mlir;
using namespace reprise;
using plan::kNone;
using plan::OpId;
using plan::StorageClass;
using plan::ValueId;

bool ProblemBuilder::isVariableRead(ValueId value) const {
  ValueId root = problem.rootOf(value);
  uint32_t range = problem.fixedRange[root];
  return range != kNone && problem.graph.values[root].producer == kNone &&
         fixed.ranges[range].kind != BufferKind::Constant;
}

bool ProblemBuilder::isUpdated(uint32_t range) const {
  return llvm::any_of(
      updates, [&](const Update &update) { return update.range == range; });
}

/// `value`, or a copy of it if it is the old value of a variable that changes.
ValueId ProblemBuilder::snapshot(Operation *cause, ValueId value) {
  if (!isVariableRead(value) ||
      !isUpdated(problem.fixedRange[problem.rootOf(value)]))
    return value;
  return addCopy(cause, value);
}

/// Ops that read the value the variable had at the beginning of the step.
SmallVector<OpId> ProblemBuilder::readersOf(uint32_t range) const {
  SmallVector<OpId> readers;
  for (OpId id = 0; id < problem.graph.ops.size(); ++id)
    if (llvm::any_of(problem.graph.ops[id].inputs, [&](ValueId input) {
          ValueId root = problem.rootOf(input);
          return problem.fixedRange[root] == range &&
                 problem.graph.values[root].producer == kNone;
        }))
      readers.push_back(id);
  return readers;
}

/// Returns true if the op that computes `root` may write it over the variable:
/// each operand that is the variable is read only where `root` is written.
bool ProblemBuilder::readsOnlyInPlace(ValueId root, uint32_t range) const {
  const plan::Op &op = problem.graph.ops[problem.graph.values[root].producer];
  uint32_t output = std::find(op.outputs.begin(), op.outputs.end(), root) -
                    op.outputs.begin();
  for (uint32_t index = 0; index < op.inputs.size(); ++index) {
    if (problem.fixedRange[problem.rootOf(op.inputs[index])] != range)
      continue;
    auto pair = std::make_pair(output, index);
    if (std::find(op.inPlace.begin(), op.inPlace.end(), pair) ==
        op.inPlace.end())
      return false;
  }
  return true;
}

/// Marks `ops` and every op that must run before one of them.
std::vector<bool> ProblemBuilder::ancestorsOf(ArrayRef<OpId> ops) const {
  // Every dependence is in Op::after (see readyAfter).
  std::vector<bool> seen(problem.graph.ops.size(), false);
  SmallVector<OpId> stack(ops);
  while (!stack.empty()) {
    OpId at = stack.pop_back_val();
    if (seen[at])
      continue;
    seen[at] = true;
    const std::vector<OpId> &before = problem.graph.ops[at].after;
    stack.append(before.begin(), before.end());
  }
  return seen;
}

/// `id` changes the bytes of the variable: every execution that reads its old
/// value comes before.
void ProblemBuilder::setOverwrites(OpId id, uint32_t range) {
  plan::Op &op = problem.graph.ops[id];
  for (OpId reader : readersOf(range)) {
    if (reader != id)
      op.after.push_back(reader);
  }
  for (ValueId value = 0; value < problem.graph.values.size(); ++value)
    if (problem.fixedRange[value] == range &&
        problem.graph.values[value].producer == kNone)
      op.overwrites.push_back(value);
  op.runsOnce = true;
}

bool ProblemBuilder::placeDirectly(const Update &update) {
  ValueId root = problem.rootOf(update.value);
  plan::Value &value = problem.graph.values[root];
  OpId producer = value.producer;
  if (value.storage != StorageClass::Temporary || producer == kNone ||
      !readsOnlyInPlace(root, update.range))
    return false;
  SmallVector<OpId> readers = readersOf(update.range);
  llvm::erase(readers, producer);
  if (ancestorsOf(readers)[producer])
    return false;
  setOverwrites(producer, update.range);
  value.storage = StorageClass::Fixed;
  problem.fixedRange[root] = update.range;
  return true;
}

void ProblemBuilder::placeByCopy(const Update &update) {
  ValueId target = addCopy(update.write, update.value);
  problem.written[update.write] = target;
  setOverwrites(problem.graph.ops.size() - 1, update.range);
  problem.graph.values[target].storage = StorageClass::Fixed;
  problem.fixedRange[target] = update.range;
}

/// Orders the loss before the updates that it does not depend on, so that a run
/// can end at a loss that is not finite with its parameters unchanged. Running
/// statistics are exempt: their updates belong to the forward pass. A scheduled
/// function keeps its order, in which a clone may compute the loss again.
void ProblemBuilder::putLossBeforeUpdates() {
  func::FuncOp function = problem.function;
  if (function->hasAttr(sg::SgDialect::kScheduledAttr))
    return;
  for (auto [index, result] : llvm::enumerate(problem.results)) {
    OpId loss = problem.graph.values[problem.rootOf(result)].producer;
    if (loss == kNone ||
        sg::roleOf(function.getResultAttrDict(index)) != sg::BindingRole::Loss)
      continue;
    std::vector<bool> isBefore = ancestorsOf(loss);
    SymbolTable symbols(function->getParentOfType<ModuleOp>());
    for (Update &update : updates) {
      ValueId value = problem.rootOf(problem.written[update.write]);
      OpId writer = problem.graph.values[value].producer;
      auto variable = symbols.lookup<sg::VariableOp>(
          update.write.getVariableAttr().getAttr());
      if (!isBefore[writer] &&
          variable.getRole() != sg::Role::RunningStatistics)
        problem.graph.ops[writer].after.push_back(loss);
    }
  }
}

void ProblemBuilder::placeUpdates() {
  // A write of a variable's own old value changes nothing.
  llvm::erase_if(updates, [&](const Update &update) {
    ValueId root = problem.rootOf(update.value);
    return isVariableRead(root) && problem.fixedRange[root] == update.range;
  });
  Operation *terminator = problem.function.getBody().front().getTerminator();
  for (ValueId &result : problem.results)
    result = snapshot(terminator, result);
  for (Update &update : updates) {
    update.value = snapshot(update.write, update.value);
    problem.written[update.write] = update.value;
  }
  SmallVector<Update> copies;
  for (const Update &update : updates)
    if (!placeDirectly(update))
      copies.push_back(update);
  for (const Update &update : copies)
    placeByCopy(update);
  putLossBeforeUpdates();
}
