//===- FunctionGraph.h - A function of any dialect, for planning -*- C++
//-*-===//
//
// A straight-line function as a plan::Graph, by what its ops answer to
// remat::describeOp. Unlike a PlanProblem it has no addresses, no variables and
// no calls of a library: its bytes are those of values that live.
//
//   arguments, constants   fixed: they take no bytes of the step
//   views, barriers        no ops: they are made where they are read
//   what is returned       lives to the end of the function
//
// Live bytes at an op are those of the storages that live there and the op's
// workspace, each rounded up to plan::kAlignment. A storage lives from the op
// that makes it to the last one that reads it, both included, or to the end if
// it is returned; who reads a view reads all that it is made of. A result that
// takes over an operand's storage prolongs it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BRIDGE_FUNCTIONGRAPH_H
#define REPRISE_BRIDGE_FUNCTIONGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/Bridge/CostModel.h"
#include "reprise/IR/Remat.h"
#include "reprise/Plan/Recompute.h"

namespace reprise {

struct FunctionGraph {
  mlir::func::FuncOp function;
  plan::Graph graph;
  std::vector<mlir::Operation *> ops; // by OpId
  /// Views by what they view, operands of the op that makes them.
  llvm::DenseMap<mlir::Value, mlir::Value> viewed;
  uint64_t argumentBytes = 0; // of tensors and memrefs of static shape

  /// Empty tensors that each op which writes one has for itself.
  llvm::DenseSet<mlir::Operation *> destinations;
  /// Returns true if `op` is made anew wherever it is read: a constant, a view
  /// or a destination.
  bool isFree(mlir::Operation *op) const;
  bool isDestination(mlir::Operation *op) const;
  /// Most bytes live at once when the ops run as the function has them.
  uint64_t liveBytes() const;
};

/// Operands of `op` and what its regions read from outside, each once.
llvm::SmallVector<mlir::Value> valuesReadBy(mlir::Operation *op);

/// Fails with an error at the function or one of its ops: several blocks,
/// results of unknown bytes, more than the planner counts.
mlir::FailureOr<FunctionGraph> buildFunctionGraph(mlir::func::FuncOp function,
                                                  const rt::Roofline &roofline);

} // namespace reprise

#endif // REPRISE_BRIDGE_FUNCTIONGRAPH_H
