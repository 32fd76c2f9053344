//===- FlatGraph.cpp - The ops of a flat function, as a graph -------------===//

#include "FlatGraph.h"
#include "reprise/IR/Origin.h"
#include "reprise/Target/Target.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace reprise;

/// Adds the producers of `value`, looking through repeated ops.
static void addProducers(FlatGraph &graph, FlatOp &reader, Value value,
                         Reading reading) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  unsigned from = graph.position.lookup(op);
  if (graph.ops[from].role == KernelRole::Repeated) {
    Reading through =
        repeatsAlongRows(op) ? Reading::AlongRow : Reading::Elsewhere;
    for (Value operand : op->getOperands())
      addProducers(graph, reader, operand, std::max(reading, through));
    return;
  }
  for (Edge &edge : reader.producers)
    if (edge.from == from) {
      edge.reading = std::max(edge.reading, reading);
      return;
    }
  reader.producers.push_back({from, reading});
}

/// Returns true if backward arithmetic is part of an update: nothing else reads
/// it, so it may run with the update.
static bool belongsToUpdate(const FlatGraph &graph, const FlatOp &op) {
  return op.phase == sg::Phase::Backward && op.role == KernelRole::Pointwise &&
         !op.op->use_empty() &&
         llvm::all_of(op.op->getUsers(), [&](Operation *user) {
           const FlatOp &reader = graph.ops[graph.position.lookup(user)];
           return reader.phase == sg::Phase::Forward &&
                  reader.role == KernelRole::Pointwise &&
                  reader.space == op.space;
         });
}

/// Returns true if an op moves elements and computes nothing.
static bool onlyMoves(Operation *op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  return kernelRoleOf(op) == KernelRole::Generator && cost &&
         cost.getFlops() == 0 && op->getNumResults() == 1 &&
         !op->hasAttr(sg::SgDialect::kKeepAttr);
}

/// Returns true if an op reorders rows for a single reader that places them
/// among others, so that both moves can be one: the same number of bytes waits
/// for the reader, and it reads no more of them. In a chain, only the last op
/// qualifies.
static bool movesForReader(Operation *op) {
  if (!onlyMoves(op) || !isa<IndexMapOpInterface>(op) || !op->hasOneUse())
    return false;
  Value operand = op->getOperand(0);
  Operation *reader = *op->user_begin(), *maker = operand.getDefiningOp();
  auto from = cast<RankedTensorType>(operand.getType()),
       type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isChain = maker && kernelRoleOf(maker) == KernelRole::Generator;
  if (!onlyMoves(reader) || isChain || sg::phaseOf(reader) != sg::phaseOf(op) ||
      from.getNumElements() != type.getNumElements() || type.getRank() == 0 ||
      cast<RankedTensorType>(reader->getResult(0).getType()).getNumElements() <=
          type.getNumElements())
    return false;
  OperandLanes lanes = operandLanesOf(op, 0, type.getRank() - 1);
  return from.getShape().back() == type.getShape().back() && lanes.together &&
         lanes.dim == unsigned(from.getRank() - 1);
}

FlatGraph::FlatGraph(Block &block, bool fuses) {
  for (Operation &op : block) {
    KernelRole role = kernelRoleOf(&op);
    if (fuses && movesForReader(&op))
      role = KernelRole::Repeated;
    ArrayRef<int64_t> space;
    if (role != KernelRole::None)
      space = iterationSpaceOf(&op);
    position[&op] = ops.size();
    ops.push_back({&op, role, sg::phaseOf(&op), space, {}, {}});
  }
  // Readers first.
  for (FlatOp &op : llvm::reverse(ops))
    if (belongsToUpdate(*this, op))
      op.phase = sg::Phase::Forward;
  for (auto [i, reader] : llvm::enumerate(ops)) {
    if (reader.role == KernelRole::Repeated)
      continue;
    Reading reading = reader.role == KernelRole::Pointwise ||
                              reader.role == KernelRole::Reduction
                          ? Reading::InPlace
                          : Reading::Elsewhere;
    for (Value operand : reader.op->getOperands())
      addProducers(*this, reader, operand, reading);
    for (const Edge &edge : reader.producers)
      ops[edge.from].readers.push_back(i);
  }
}
