//===- KernelSpace.h - The iteration space of a kernel ----------*- C++ -*-===//
//
// What loops a kernel needs and how they are cut into grains: read from the
// block, before any code is emitted. Everything here is a function of the
// block alone, never of the processor, so that grains and the order of sums
// are the same everywhere.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_KERNELS_KERNELSPACE_H
#define REPRISE_PASSES_KERNELS_KERNELSPACE_H

#include "mlir/IR/Block.h"
#include "reprise/IR/Sg.h"

namespace reprise {

/// Elements that one vector operation handles, on every processor: partial
/// sums along the last dimension are kept for each lane, so the order of a sum
/// depends on it.
constexpr int64_t kLanes = 16;

/// Elements of the iteration space that one grain handles: 32 KiB in f32.
constexpr int64_t kGrainElements = 8192;

/// Elements in a row that one accumulator adds before it starts again; their
/// sums are added in turn, which keeps the rounding of long sums small.
constexpr int64_t kSumBlock = 64;

struct KernelSpace {
  /// The shape of the pointwise values and of what is reduced.
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
  /// Yielded reductions, each once.
  llvm::SmallVector<mlir::Operation *> reductions;
  /// Whether the last loop advances by kLanes.
  bool vectorized = false;

  bool hasReductions() const { return !reductions.empty(); }
  bool reducesLast() const { return hasReductions() && reduced.back(); }
  int64_t lanes() const { return vectorized ? kLanes : 1; }

  /// Columns that one item of a reduction over leading loops handles.
  int64_t tileColumns() const;
  /// What is cut into grains: elements of a one-loop pointwise kernel, else
  /// rows; kept points of a reduction, or tiles of them.
  int64_t items() const;
  int64_t itemsPerGrain() const;
  int64_t grains() const;
};

/// The dimensions a reduction runs over.
llvm::ArrayRef<int64_t> reducedDims(mlir::Operation *op);

/// Reads the space; fails with a message at the op that no kernel can run.
mlir::FailureOr<KernelSpace> readKernelSpace(mlir::Block &body);

} // namespace reprise

#endif // REPRISE_PASSES_KERNELS_KERNELSPACE_H
