//===- KernelParts.h - What every kernel's code is made of ------*- C++ -*-===//
//
// Elements that are stored, what reductions add, and what is made of their
// totals: the same whoever's loops go over the elements.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_CODEGEN_KERNELPARTS_H
#define REPRISE_LIB_CODEGEN_KERNELPARTS_H

#include "ElementEmitter.h"

namespace reprise {

/// What a reduction adds in: f32 for bf16 and f16.
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
  /// Where a result of the reductions stands.
  Index keptIndex();

  /// Stores what the pass stores at an index.
  void storePointwise(const Index &index);
  /// What it will store there, with all loads.
  void evaluatePointwise(const Index &index);

  // Reductions.
  mlir::Value identity(mlir::Operation *op, bool lanes);
  mlir::Value combine(mlir::Operation *op, mlir::Value x, mlir::Value y);
  /// What `op` adds at an index.
  mlir::Value accumulated(mlir::Operation *op, const Index &index);
  /// Halves until one is left: the tree is the same whatever the device.
  mlir::Value acrossLanes(mlir::Operation *op, mlir::Value lanes);
  /// What `op` makes of a total, in its own element type.
  mlir::Value rounded(mlir::Operation *op, mlir::Value total,
                      const Index &index);

  /// What is made of the elements of the reductions, at their index.
  void setRowOps(const Index &row);
  /// Behind all passes: a result may lie over what they read.
  void storeRowResults(const Index &row);

  ElementEmitter &e;
  mlir::OpBuilder &b;
  const KernelSpace &space;
  mlir::Block &body;
  /// The pass at hand.
  const KernelPass *pass;
  /// Where the sweep stands, loop by loop.
  llvm::SmallVector<mlir::Value> at;
};

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_KERNELPARTS_H
