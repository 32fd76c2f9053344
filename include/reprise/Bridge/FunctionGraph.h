//===- FunctionGraph.h - Graphs of foreign functions ------------*- C++ -*-===//
//
// A straight-line function as a plan::Graph, built from the facts that
// remat::describeOp returns. Unlike a PlanProblem it has no addresses, no
// variables and no library calls: its bytes are those of live values.
//
//   arguments, constants   fixed: they take no bytes of the step
//   views, barriers        no ops: they are computed where they are read
//   returned values        live to the end of the function, or have the
//                          storage of a donated argument
//
// Live bytes at an op are those of the storages live there and the op's
// workspace, each rounded up to plan::kAlignment. A storage lives from the op
// that creates it to its last reader, both included, or to the end if it is
// returned; an op that reads a view reads all storage under it. A result that
// takes over an operand's storage extends its live range.
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
  /// Maps each view to the operand that it views.
  llvm::DenseMap<mlir::Value, mlir::Value> viewed;
  uint64_t argumentBytes = 0; // of tensors and memrefs of static shape

  /// Numbers of results in the storage of arguments that the caller gives up,
  /// see remat::donatedArguments. The op that makes one overwrites the argument
  /// and runs once.
  llvm::DenseSet<unsigned> inDonated;

  /// The empty tensors that belong to the single op that writes them.
  llvm::DenseSet<mlir::Operation *> destinations;
  /// Returns true if `op` is repeated wherever it is read: a constant, a view
  /// or a destination.
  bool isFree(mlir::Operation *op) const;
  bool isDestination(mlir::Operation *op) const;
  /// The most live bytes when the ops run in the function's order.
  uint64_t liveBytes() const;
};

/// Operands of `op` and outside values that its regions read, each once.
llvm::SmallVector<mlir::Value> valuesReadBy(mlir::Operation *op);

/// Fails with an error at the function or one of its ops: several blocks,
/// results of unknown bytes, more than the planner counts.
mlir::FailureOr<FunctionGraph> buildFunctionGraph(mlir::func::FuncOp function,
                                                  const rt::Roofline &roofline);

} // namespace reprise

#endif // REPRISE_BRIDGE_FUNCTIONGRAPH_H
