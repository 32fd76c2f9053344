//===- FlatGraph.cpp - The ops of a flat function, as a graph -------------===//

#include "FlatGraph.h"
#include "reprise/IR/Origin.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace reprise;

OpKind reprise::kindOf(Operation *op) {
  if (auto constant = dyn_cast<sg::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue()) ? OpKind::Repeated
                                                       : OpKind::Fixed;
  if (isa<sg::BroadcastOp, sg::IotaOp>(op))
    return OpKind::Repeated;
  if (isa<sg::ReduceSumOp, sg::ReduceMaxOp>(op))
    return OpKind::Reduction;
  if (isa<PointwiseOpInterface>(op))
    return OpKind::Pointwise;
  if (isa<IndexMapOpInterface, sg::PadOp, sg::ConcatOp, sg::RandomUniformOp>(
          op))
    return OpKind::Generator;
  if (isa<sg::MaxPool2DOp, sg::MaxPool2DGradOp, sg::AvgPool2DOp,
          sg::AvgPool2DGradOp>(op))
    return OpKind::Pool;
  return OpKind::Fixed;
}

static ArrayRef<int64_t> spaceOf(Operation *op, OpKind kind) {
  if (kind == OpKind::Fixed)
    return {};
  Value value =
      kind == OpKind::Reduction ? op->getOperand(0) : op->getResult(0);
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Adds what computes `value`, looking through repeated ops.
static void addProducers(FlatGraph &graph, FlatOp &reader, Value value,
                         bool inPlace) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  unsigned from = graph.position.lookup(op);
  if (graph.ops[from].kind == OpKind::Repeated) {
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
    OpKind kind = kindOf(&op);
    position[&op] = ops.size();
    ops.push_back({&op, kind, sg::phaseOf(&op), spaceOf(&op, kind), {}, {}});
  }
  for (auto [i, reader] : llvm::enumerate(ops)) {
    if (reader.kind == OpKind::Repeated)
      continue;
    bool inPlace =
        reader.kind == OpKind::Pointwise || reader.kind == OpKind::Reduction;
    for (Value operand : reader.op->getOperands())
      addProducers(*this, reader, operand, inPlace);
    for (const Edge &edge : reader.producers)
      ops[edge.from].readers.push_back(i);
  }
}
