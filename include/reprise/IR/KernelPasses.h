//===- KernelPasses.h - How often a kernel goes over a row ------*- C++ -*-===//
//
// A kernel whose reductions are over the trailing dimensions may read their
// results again: it handles one row after another, a row being what the
// reductions make one element of, and goes over each row several times. In each
// pass elements are computed again from the kernel's inputs.
//
//     softmax     pass 0   max(x)
//                 pass 1   sum(exp(x - max))
//                 pass 2   y = exp(x - max) / sum
//
// Of other reductions a kernel has what they make, and what is made of that at
// the same index: one pass, whose "row" is what makes one element.
//
// Code generation runs these passes, costs count them, fusion forms them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_KERNELPASSES_H
#define REPRISE_IR_KERNELPASSES_H

#include "reprise/IR/Kernel.h"

namespace reprise {

struct KernelPass {
  /// What the pass reduces; empty in a pass that only stores.
  llvm::SmallVector<mlir::Operation *> reductions;
  /// Numbers of the yielded values that it stores element by element.
  llvm::SmallVector<unsigned> stored;
  /// Pointwise ops of one element a row, or one for each index that reductions
  /// keep, computed once behind the pass, in the block's order.
  llvm::SmallVector<mlir::Operation *> rowOps;
};

/// The passes of a kernel, never none. All but the last only reduce: what is
/// stored may lie over what they read. Never fails; whether code can be made of
/// them is for code generation to say.
struct KernelPasses {
  llvm::SmallVector<KernelPass> passes;
  /// How many passes must be over before the result of an op that the kernel
  /// needs can be computed.
  llvm::DenseMap<mlir::Operation *, unsigned> before;

  /// The same of a value; an argument needs none.
  unsigned passesBefore(mlir::Value value) const {
    return before.lookup(value.getDefiningOp());
  }
};

KernelPasses passesOf(mlir::Block &body);

/// Whether the dimensions are the last ones of `rank`, and at least one.
bool areTrailing(llvm::ArrayRef<int64_t> dims, int64_t rank);

/// Whether every element of the result is the operand's at the leading
/// coordinates of its index: a broadcast along trailing dimensions.
bool repeatsAlongRows(mlir::Operation *op);

} // namespace reprise

#endif // REPRISE_IR_KERNELPASSES_H
