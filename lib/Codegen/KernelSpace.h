//===- KernelSpace.h - The iteration space of a kernel ----------*- C++ -*-===//
//
// What loops a kernel needs and how they are cut into grains: read from the
// block, before any code is emitted. A kernel that reduces nothing may store
// values of several shapes, each in loops of its own. Everything here is a
// function of the block and of the target's shape of kernels, never of the
// device at hand, so that grains and the order of sums are the same on all
// devices of a target.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_CODEGEN_KERNELSPACE_H
#define REPRISE_LIB_CODEGEN_KERNELSPACE_H

#include "mlir/IR/Block.h"
#include "reprise/Codegen/Kernels.h"
#include "reprise/IR/KernelPasses.h"
#include <vector>

namespace reprise {

struct KernelSpace {
  KernelShape target;
  /// The shape of what is reduced and, element by element, of other values.
  llvm::SmallVector<int64_t> shape;
  /// The loops: extents of `shape`, neighbours merged where every access
  /// allows it. Never empty.
  llvm::SmallVector<int64_t> extents;
  /// The loop of each dimension of `shape`.
  llvm::SmallVector<unsigned> loopOf;
  /// Whether indices are in terms of loops, not of dimensions.
  bool merged = false;
  /// Which loops the reductions run over.
  llvm::SmallVector<bool> reduced;
  /// What runs, pass by pass over each item; reductions that others read along
  /// rows are over the trailing dimensions.
  KernelPasses work;
  /// What that is computed from, in the block's order.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Whether the last loop advances by the target's lanes.
  bool vectorized = false;

  /// The reductions of the first pass; the only ones, unless they are read.
  llvm::ArrayRef<mlir::Operation *> reductions() const {
    return work.passes.front().reductions;
  }
  bool hasReductions() const { return !reductions().empty(); }
  bool reducesLast() const { return hasReductions() && reduced.back(); }
  /// Whether reductions are over the trailing dimensions: what they make is an
  /// element for each row, which may be gone over again.
  bool hasRows() const;
  int64_t lanes() const { return vectorized ? target.lanes : 1; }

  /// Columns that one item of a reduction over leading loops handles.
  int64_t tileColumns() const;
  /// What is cut into grains: elements of a one-loop pointwise kernel, else
  /// rows; kept points of a reduction, or tiles of them.
  int64_t items() const;
  int64_t itemsPerGrain() const;
  int64_t grains() const;
};

/// Reads the spaces, whose grains follow one another: one, or one for each
/// shape that is stored. Fails with a message at the op that no kernel can run.
mlir::FailureOr<std::vector<KernelSpace>>
readKernelSpaces(mlir::Block &body, const KernelShape &target);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_KERNELSPACE_H
