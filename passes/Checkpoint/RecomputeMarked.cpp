//===- RecomputeMarked.cpp - Recompute marked tensors ---------------------===//
//
// Input:   a flat function with marks sg.recompute.
// Output:  the same values without these marks; the backward pass reads no
//          marked tensor of the forward pass; it reads the results of clones of
//          its layer.
// Method:  a layer is the op that computes the tensor and its producers of the
//          same origin: to a user a linear layer is one op, not a product and
//          an addition. From the last tensor to the first, the layer is cloned
//          before its first reader in the backward pass. A tensor computed from
//          another marked one thus has its clone already, which is one of the
//          other's readers.
//
//   forward   x ──► h ──► y ──► z           h and y are marked: x is held
//             └──────────────────────┐
//   backward            dz ──► barrier(x) ──► h' ──► y' ──► dw, dy, ...
//
// Cost:    linear in the ops cloned and in the readers of marked tensors.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Checkpoint.h"
#include "llvm/ADT/SetVector.h"

namespace reprise {
#define GEN_PASS_DEF_SGRECOMPUTEMARKED
#include "reprise/Passes/CheckpointPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Ops of one block, in order.
using Ops = SmallVector<Operation *>;

static Ops inOrder(llvm::SetVector<Operation *> set) {
  Ops ops(set.takeVector());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

/// The forward phase also has the optimizer's ops, which read only gradients.
static bool isLater(Operation *op) { return phaseOf(op) != Phase::Forward; }

namespace {
class Recomputer {
public:
  explicit Recomputer(func::FuncOp function) : function(function) {}

  void run() {
    findMarked();
    Ops makers = inOrder(marked);
    for (Operation *maker : llvm::reverse(makers))
      recompute(layerOf(maker));
  }

private:
  void findMarked();
  Ops layerOf(Operation *maker) const;
  SmallVector<OpOperand *> readingLater(const Ops &layer) const;
  Ops neededFor(ArrayRef<OpOperand *> uses, const Ops &layer) const;
  SmallVector<Value> cotangentsOf(Operation *reader) const;
  IRMapping guardInputs(OpBuilder &builder, const Ops &layer, ValueRange after);
  void cloneLayer(OpBuilder &builder, const Ops &layer, IRMapping &mapping);
  void recompute(const Ops &layer);

  func::FuncOp function;
  llvm::SetVector<Operation *> marked; // ops that compute marked tensors
  llvm::DenseSet<Operation *> held;    // those that sg.keep marks
  /// The values that a clone waits for.
  llvm::DenseMap<Operation *, SmallVector<Value>> waits;
};
} // namespace

/// Finds and erases the marks, including those of clones, which run in the
/// backward pass.
void Recomputer::findMarked() {
  SmallVector<RecomputeOp> marks;
  for (RecomputeOp mark : function.getOps<RecomputeOp>())
    marks.push_back(mark);
  for (KeepOp mark : function.getOps<KeepOp>())
    if (Operation *op = mark.getOperand().getDefiningOp())
      held.insert(op);
  for (RecomputeOp mark : marks) {
    Value value = mark.getOperand();
    bool isMeant = !isLater(mark);
    mark.getResult().replaceAllUsesWith(value);
    mark.erase();
    // A mark on a view also marks the viewed tensor.
    for (Operation *op = value.getDefiningOp(); isMeant && op && hasOrigin(op);
         op = op->getOperand(0).getDefiningOp()) {
      marked.insert(op);
      if (!isa<ReshapeOp>(op))
        break;
    }
  }
}

Ops Recomputer::layerOf(Operation *maker) const {
  llvm::SetVector<Operation *> ops;
  ops.insert(maker);
  OriginAttr origin = originOf(maker);
  bool isLeaf = origin && !origin.getPath().empty();
  for (size_t i = 0; isLeaf && i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (from && hasOrigin(from) && originOf(from) == origin &&
          !isa<KeepOp>(from) && !held.contains(from) && isPure(from))
        ops.insert(from);
    }
  return inOrder(std::move(ops));
}

/// Returns the uses of the layer's results, except statistics, in the backward
/// pass.
SmallVector<OpOperand *> Recomputer::readingLater(const Ops &layer) const {
  SmallVector<OpOperand *> uses;
  for (Operation *op : layer)
    for (Value result : op->getResults())
      for (OpOperand &use : result.getUses())
        if (use.getOwner()->getBlock() == op->getBlock() &&
            isLater(use.getOwner()) && !isStatistics(result))
          uses.push_back(&use);
  return uses;
}

/// Returns the part of the layer that computes the values of `uses`.
Ops Recomputer::neededFor(ArrayRef<OpOperand *> uses, const Ops &layer) const {
  llvm::SetVector<Operation *> ops;
  for (OpOperand *use : uses)
    ops.insert(use->get().getDefiningOp());
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (llvm::is_contained(layer, operand.getDefiningOp()))
        ops.insert(operand.getDefiningOp());
  return inOrder(std::move(ops));
}

/// Returns the values of the backward pass that exist when `reader` runs.
SmallVector<Value> Recomputer::cotangentsOf(Operation *reader) const {
  if (auto found = waits.find(reader); found != waits.end())
    return found->second;
  if (auto barrier = dyn_cast<BarrierOp>(reader))
    return SmallVector<Value>(barrier.getAfter());
  SmallVector<Value> values;
  for (Value operand : reader->getOperands())
    if (Operation *op = operand.getDefiningOp();
        op && hasOrigin(op) && phaseOf(op) == Phase::Backward)
      values.push_back(operand);
  return values;
}

/// Passes the layer's inputs through a barrier, so that the clones neither run
/// early nor merge with their originals. Marked inputs are recomputed at that
/// place anyway.
IRMapping Recomputer::guardInputs(OpBuilder &builder, const Ops &layer,
                                  ValueRange after) {
  llvm::SetVector<Value> inputs, reads;
  for (Operation *op : layer)
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (llvm::is_contained(layer, from) || (from && marked.contains(from)))
        continue;
      if (!isFree(operand))
        inputs.insert(operand);
      else if (isa<ReadOp>(from))
        reads.insert(operand);
    }
  if (inputs.empty())
    inputs = std::move(reads);
  IRMapping mapping;
  if (inputs.empty())
    return mapping;
  auto barrier = BarrierOp::create(builder, layer.back()->getLoc(),
                                   ValueRange(inputs.getArrayRef()).getTypes(),
                                   inputs.getArrayRef(), after);
  mapping.map(inputs.getArrayRef(), barrier.getResults());
  return mapping;
}

/// Statistics are kept, like those of checkpointed blocks.
void Recomputer::cloneLayer(OpBuilder &builder, const Ops &layer,
                            IRMapping &mapping) {
  for (Operation *op : layer) {
    auto statistics = dyn_cast<StatisticsOpInterface>(op);
    if (!statistics) {
      builder.clone(*op, mapping);
      continue;
    }
    SmallVector<Value> operands, kept;
    for (Value operand : op->getOperands())
      operands.push_back(mapping.lookupOrDefault(operand));
    SmallVector<unsigned> indices = statistics.getStatistics();
    for (unsigned k : indices)
      kept.push_back(op->getResult(k));
    SmallVector<Value> values = statistics.recompute(builder, operands, kept);
    unsigned next = 0;
    for (OpResult result : op->getResults())
      if (!llvm::is_contained(indices, result.getResultNumber()))
        mapping.map(result, values[next++]);
  }
}

void Recomputer::recompute(const Ops &layer) {
  SmallVector<OpOperand *> uses = readingLater(layer);
  if (uses.empty())
    return;
  Ops needed = neededFor(uses, layer);
  Operation *first = uses.front()->getOwner();
  for (OpOperand *use : uses)
    if (use->getOwner()->isBeforeInBlock(first))
      first = use->getOwner();
  SmallVector<Value> after = cotangentsOf(first);
  Operation *before = first->getPrevNode();
  OpBuilder builder(first);
  IRMapping mapping = guardInputs(builder, needed, after);
  cloneLayer(builder, needed, mapping);
  OriginAttr from = originOf(layer.back());
  OriginAttr origin =
      from ? OriginAttr::get(from.getContext(), from.getPath(),
                             Phase::Recompute, from.getInstance())
           : OriginAttr();
  Block *block = first->getBlock();
  for (Operation *op = before ? before->getNextNode() : &block->front();
       op != first; op = op->getNextNode()) {
    waits[op] = after;
    if (origin && hasOrigin(op))
      setOrigin(op, origin);
  }
  for (OpOperand *use : uses)
    use->set(mapping.lookup(use->get()));
}

namespace {
class RecomputeMarked
    : public reprise::impl::SgRecomputeMarkedBase<RecomputeMarked> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isExternal() && function.getBody().hasOneBlock())
      Recomputer(function).run();
  }
};
} // namespace
