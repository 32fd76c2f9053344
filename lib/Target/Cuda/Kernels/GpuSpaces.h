//===- GpuSpaces.h - Division of a kernel among threads ---------*- C++ -*-===//
#ifndef REPRISE_LIB_TARGET_CUDA_KERNELS_GPUSPACES_H
#define REPRISE_LIB_TARGET_CUDA_KERNELS_GPUSPACES_H

#include "GpuCounters.h"
#include "reprise/Codegen/KernelSpace.h"
#include "llvm/ADT/SetVector.h"

namespace reprise {

/// An argument that a space reads along a loop other than the one it stores
/// along, so that neighbouring threads would load with gaps: a block first
/// copies a tile of it to shared memory.
struct StagedArgument {
  unsigned number;
  /// Maps an index of the stored values to the argument's.
  mlir::AffineMap map;
};

struct GpuSpace : KernelSpace {
  explicit GpuSpace(KernelSpace space) : KernelSpace(std::move(space)) {}
  llvm::SmallVector<StagedArgument> staged;
  /// The loop that the last dimension of these arguments follows.
  unsigned along = 0;
  /// In a pointwise space whose lanes cannot be computed together: the elements
  /// of a row that a thread computes one by one and stores together.
  int64_t neighbours = 1;
};

/// Returns the spaces of a kernel as divided among blocks of threads, each with
/// the lanes that a thread handles. Stores without shared operands, such as the
/// updates of several variables of one shape, are in separate spaces. Fails as
/// readKernelSpaces does.
mlir::FailureOr<std::vector<GpuSpace>> readGpuSpaces(mlir::Block &body);

/// Returns the values that `value` is computed from, including itself.
llvm::SmallSetVector<mlir::Value, 16> valuesOf(mlir::Value value);

/// The number of blocks of a launch and of threads in each.
struct GpuGrid {
  int64_t blocks = 0, threads = 0;
};

/// The threads of a block that adds columns, or the elements of one that
/// transposes, where rows follow the loop of staged arguments.
struct GpuTile {
  int64_t columns = 1, rows = 1;
};

/// The division of a space's loops among threads.
struct GpuShape {
  explicit GpuShape(const GpuSpace &space);

  GpuGrid grid() const;
  /// Returns the bytes of the workspace: each block's sums of each reduction,
  /// as rows of whole vectors. 0 if no blocks share columns.
  int64_t workspaceBytes(llvm::ArrayRef<mlir::Operation *> reductions) const {
    return offsetOfParts(reductions, reductions.size());
  }
  /// Returns the offset of the parts of reduction number `which`.
  int64_t offsetOfParts(llvm::ArrayRef<mlir::Operation *> reductions,
                        size_t which) const;

  bool isPointwise = false, isStaged = false, reducesLast = false;
  /// Reduced and kept loops, without the last loop and the loop of staged
  /// arguments, and their numbers of iterations.
  llvm::SmallVector<unsigned> reducedLoops, keptLoops;
  int64_t swept = 1, kept = 1;
  /// The last loop: the elements that a thread handles at once, and the number
  /// of such vectors. Where lanes cannot be computed together, `scalars` is the
  /// number of elements handled one by one: the width for rows, one for
  /// columns, and the space's neighbours for pointwise spaces.
  int64_t width = 1, vectors = 1, scalars = 1;
  /// Rows: true if a block, rather than a warp, handles one.
  bool isWide = false;
  /// For columns and staged arguments.
  GpuTile tile;
  /// Columns: the blocks that share the rows, and the extent of the last loop.
  int64_t parts = 1, columns = 0;
  /// Columns: the number of groups of these blocks; their sums are added in
  /// turn.
  int64_t groups = 1;
  /// Tiles along the loop of staged arguments and along the last one.
  int64_t tileRows = 1, tileColumns = 1;
};

/// Returns the grid of a kernel: the blocks of its spaces follow one another.
GpuGrid gridOf(llvm::ArrayRef<GpuSpace> spaces);

/// Returns the workspace of a kernel; a kernel that reduces has one space.
int64_t workspaceBytesOf(llvm::ArrayRef<GpuSpace> spaces);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_KERNELS_GPUSPACES_H
