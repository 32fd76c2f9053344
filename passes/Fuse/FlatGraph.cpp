//===- FlatGraph.cpp - The ops of a flat function, as a graph -------------===//

#include "FlatGraph.h"
#include "reprise/IR/Origin.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace reprise;

/// Adds what computes `value`, looking through repeated ops.
static void addProducers(FlatGraph &graph, FlatOp &reader, Value value,
                         bool inPlace) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  unsigned from = graph.position.lookup(op);
  if (graph.ops[from].role == KernelRole::Repeated) {
    for (Value operand : op->getOperands())
      addProducers(graph, reader, operand, /*inPlace=*/false);
    return;
  }
  for (Edge &edge : reader.producers)
    if (edge.from == from) {
      edge.inPlace &= inPlace;
      return;
    }
  reader.producers.push_back({from, inPlace});
}

FlatGraph::FlatGraph(Block &block) {
  for (Operation &op : block) {
    KernelRole role = kernelRoleOf(&op);
    ArrayRef<int64_t> space;
    if (role != KernelRole::None)
      space = iterationSpaceOf(&op);
    position[&op] = ops.size();
    ops.push_back({&op, role, sg::phaseOf(&op), space, {}, {}});
  }
  for (auto [i, reader] : llvm::enumerate(ops)) {
    if (reader.role == KernelRole::Repeated)
      continue;
    bool inPlace = reader.role == KernelRole::Pointwise ||
                   reader.role == KernelRole::Reduction;
    for (Value operand : reader.op->getOperands())
      addProducers(*this, reader, operand, inPlace);
    for (const Edge &edge : reader.producers)
      ops[edge.from].readers.push_back(i);
  }
}
