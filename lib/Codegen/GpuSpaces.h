//===- GpuSpaces.h - What threads of a GPU share of a kernel ----*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_GPUSPACES_H
#define REPRISE_LIB_CODEGEN_GPUSPACES_H

#include "KernelSpace.h"

namespace reprise {

/// The spaces of a kernel as blocks of threads take them, each with the lanes
/// that a thread handles. Stores that have nothing in common, as the updates of
/// several variables of one shape, are in spaces of their own. Fails as
/// readKernelSpaces does.
mlir::FailureOr<std::vector<KernelSpace>> readGpuSpaces(mlir::Block &body);

/// How many blocks are launched, of how many threads.
struct GpuGrid {
  int64_t blocks = 0, threads = 0;
};

/// Threads of a block that adds columns.
struct GpuTile {
  int64_t columns = 1, rows = 1;
};

/// How threads share the loops of a space.
struct GpuShape {
  explicit GpuShape(const KernelSpace &space);

  GpuGrid grid() const;

  bool isPointwise = false, reducesLast = false;
  /// Reduced loops and kept ones, the last loop not among them, and how often
  /// they go around.
  llvm::SmallVector<unsigned> reducedLoops, keptLoops;
  int64_t swept = 1, kept = 1;
  /// Of the last loop: what a thread handles at once, and how many of these.
  /// Where lanes cannot be computed together, rows take them one by one, as
  /// `scalars`, and of columns a thread has one.
  int64_t width = 1, vectors = 1, scalars = 1;
  /// Of rows: whether a block goes over one, and not a warp.
  bool isWide = false;
  /// Of columns.
  GpuTile tile;
};

/// Of a kernel: the blocks of its spaces follow one another.
GpuGrid gridOf(llvm::ArrayRef<KernelSpace> spaces);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_GPUSPACES_H
