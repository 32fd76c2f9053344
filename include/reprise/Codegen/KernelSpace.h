//===- KernelSpace.h - The iteration space of a kernel ----------*- C++ -*-===//
//
// Determines the loops that a kernel needs and their division into grains from
// the block, before any code is emitted. A kernel that reduces nothing may
// store values of several shapes, each in its own loops. Everything here is a
// function of the block and of the target's kernel shape, never of the present
// device, so that grains and the order of sums are the same on all devices of a
// target.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CODEGEN_KERNELSPACE_H
#define REPRISE_CODEGEN_KERNELSPACE_H

#include "mlir/IR/Block.h"
#include "reprise/Codegen/Kernels.h"
#include "reprise/IR/KernelPasses.h"
#include <vector>

namespace reprise {

struct KernelSpace {
  KernelShape target;
  /// The shape of the reductions' operands and, element by element, of other
  /// values.
  llvm::SmallVector<int64_t> shape;
  /// The loops: extents of `shape`, with neighbours merged where every access
  /// allows it. Never empty.
  llvm::SmallVector<int64_t> extents;
  /// The loop of each dimension of `shape`.
  llvm::SmallVector<unsigned> loopOf;
  /// True if indices are in terms of loops rather than dimensions.
  bool merged = false;
  /// True for the loops that the reductions run over.
  llvm::SmallVector<bool> reduced;
  /// The work of each item, pass by pass; reductions that are read along rows
  /// are over the trailing dimensions.
  KernelPasses work;
  /// The ops that `work` is computed from, in the block's order.
  llvm::SmallVector<mlir::Operation *> ops;
  /// True if the last loop advances by the target's lanes.
  bool vectorized = false;

  /// The reductions of the first pass; there are others only if these are read.
  llvm::ArrayRef<mlir::Operation *> reductions() const {
    return work.passes.front().reductions;
  }
  bool hasReductions() const { return !reductions().empty(); }
  bool reducesLast() const { return hasReductions() && reduced.back(); }
  /// Returns true if reductions are over the trailing dimensions: their results
  /// have an element for each row, which may be swept again.
  bool hasRows() const;
  int64_t lanes() const { return vectorized ? target.lanes : 1; }

  /// The columns that one item of a reduction over leading loops handles.
  int64_t tileColumns() const;
  /// The number of items to be cut into grains: elements of a one-loop
  /// pointwise kernel, otherwise rows; kept points of a reduction, or tiles of
  /// them.
  int64_t items() const;
  int64_t itemsPerGrain() const;
  int64_t grains() const;
};

/// Reads the spaces, whose grains follow one another: one, or one for each
/// stored shape. Fails with a message at an op that no kernel can run.
mlir::FailureOr<std::vector<KernelSpace>>
readKernelSpaces(mlir::Block &body, const KernelShape &target);

} // namespace reprise

#endif // REPRISE_CODEGEN_KERNELSPACE_H
