//===- KernelParts.h - Code common to all kernels ---------------*- C++ -*-===//
//
// Stores of elements, contributions to reductions, and values computed from
// their totals: the same for every loop nest over the elements.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CODEGEN_KERNELPARTS_H
#define REPRISE_CODEGEN_KERNELPARTS_H

#include "reprise/Codegen/ElementEmitter.h"

namespace reprise {

/// Returns the accumulator type of a reduction: f32 for bf16 and f16.
mlir::Type accumulatorType(mlir::Operation *reduction);

class KernelParts {
public:
  KernelParts(ElementEmitter &e, mlir::Block &body)
      : e(e), b(e.builder), space(e.space), body(body),
        pass(&space.work.passes.front()), at(space.extents.size()) {}

protected:
  using LoopBody = llvm::function_ref<void(mlir::Value)>;
  using FoldBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;

  void loop(mlir::Value begin, mlir::Value end, int64_t step, LoopBody run);
  llvm::SmallVector<mlir::Value> fold(mlir::Value begin, mlir::Value end,
                                      int64_t step, mlir::ValueRange init,
                                      FoldBody run);

  Index indexAt(llvm::ArrayRef<mlir::Value> position);
  /// Returns the index of a result of the reductions.
  Index keptIndex();

  /// Stores the results of the pass at an index.
  void storePointwise(const Index &index);
  /// Evaluates the values to be stored there, with all loads.
  void evaluatePointwise(const Index &index);

  // Reductions.
  mlir::Value identity(mlir::Operation *op, bool lanes);
  mlir::Value combine(mlir::Operation *op, mlir::Value x, mlir::Value y);
  /// Returns the value that `op` adds at an index.
  mlir::Value accumulated(mlir::Operation *op, const Index &index);
  /// Halves until one is left: the tree is the same on every device.
  mlir::Value acrossLanes(mlir::Operation *op, mlir::Value lanes);
  /// Rounds a total of `op` to its own element type.
  mlir::Value rounded(mlir::Operation *op, mlir::Value total,
                      const Index &index);

  /// Computes the values that depend on elements of the reductions, at their
  /// index.
  void setRowOps(const Index &row);
  /// Runs after all passes: a result may be placed over their operands.
  void storeRowResults(const Index &row);

  ElementEmitter &e;
  mlir::OpBuilder &b;
  const KernelSpace &space;
  mlir::Block &body;
  /// The current pass.
  const KernelPass *pass;
  /// The position of the sweep, loop by loop.
  llvm::SmallVector<mlir::Value> at;
};

} // namespace reprise

#endif // REPRISE_CODEGEN_KERNELPARTS_H
