//===- KernelPasses.h - The passes of a kernel over a row -------*- C++ -*-===//
//
// A kernel whose reductions are over the trailing dimensions may read their
// results again: it handles one row after another, a row being the elements
// that the reductions combine into one, and goes over each row several times.
// In each pass elements are recomputed from the kernel's inputs.
//
//     softmax     pass 0   max(x)
//                 pass 1   sum(exp(x - max))
//                 pass 2   y = exp(x - max) / sum
//
// A kernel with other reductions holds their results, and values computed from
// those at the same index: one pass, whose "row" is the elements that are
// combined into one.
//
// Code generation runs these passes, the cost model counts them, fusion forms
// them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_KERNELPASSES_H
#define REPRISE_IR_KERNELPASSES_H

#include "reprise/IR/Kernel.h"

namespace reprise {

struct KernelPass {
  /// The reduction ops of the pass; empty in a pass that only stores.
  llvm::SmallVector<mlir::Operation *> reductions;
  /// Numbers of the yielded values that it stores element by element.
  llvm::SmallVector<unsigned> stored;
  /// Pointwise ops on one element per row, or per index that the reductions
  /// keep, computed once after the pass, in the block's order.
  llvm::SmallVector<mlir::Operation *> rowOps;
};

/// The passes of a kernel, at least one. All but the last only reduce: a stored
/// value may overlap the inputs of these. Never fails; code generation decides
/// whether it supports the passes.
struct KernelPasses {
  llvm::SmallVector<KernelPass> passes;
  /// The number of passes that must be complete before the result of an op that
  /// the kernel needs can be computed.
  llvm::DenseMap<mlir::Operation *, unsigned> before;

  /// The same for a value; an argument needs none.
  unsigned passesBefore(mlir::Value value) const {
    return before.lookup(value.getDefiningOp());
  }
};

KernelPasses passesOf(mlir::Block &body);

/// Returns true if the dimensions are the last ones of `rank`, and at least
/// one.
bool areTrailing(llvm::ArrayRef<int64_t> dims, int64_t rank);

/// Returns true if every element of the result is the operand's at the leading
/// coordinates of its index: a broadcast along trailing dimensions.
bool repeatsAlongRows(mlir::Operation *op);

} // namespace reprise

#endif // REPRISE_IR_KERNELPASSES_H
