//===- GpuSpaces.h - What threads of a GPU share of a kernel ----*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_GPUSPACES_H
#define REPRISE_LIB_CODEGEN_GPUSPACES_H

#include "GpuCounters.h"
#include "KernelSpace.h"
#include "llvm/ADT/SetVector.h"

namespace reprise {

/// An argument that a space reads along another loop than it stores, so that
/// neighbouring threads would load with gaps: a block brings a tile of it to
/// shared memory first.
struct StagedArgument {
  unsigned number;
  /// From an index of what is stored to the argument's.
  mlir::AffineMap map;
};

struct GpuSpace : KernelSpace {
  explicit GpuSpace(KernelSpace space) : KernelSpace(std::move(space)) {}
  llvm::SmallVector<StagedArgument> staged;
  /// The loop that the last dimension of these arguments follows.
  unsigned along = 0;
  /// Of a pointwise space whose lanes cannot be computed together: elements of
  /// a row that a thread computes one by one, and stores together.
  int64_t neighbours = 1;
};

/// The spaces of a kernel as blocks of threads take them, each with the lanes
/// that a thread handles. Stores that have nothing in common, as the updates of
/// several variables of one shape, are in spaces of their own. Fails as
/// readKernelSpaces does.
mlir::FailureOr<std::vector<GpuSpace>> readGpuSpaces(mlir::Block &body);

/// The values that one is computed from, itself among them.
llvm::SmallSetVector<mlir::Value, 16> valuesOf(mlir::Value value);

/// How many blocks are launched, of how many threads.
struct GpuGrid {
  int64_t blocks = 0, threads = 0;
};

/// Threads of a block that adds columns, or elements of one that transposes:
/// rows are along the loop of staged arguments.
struct GpuTile {
  int64_t columns = 1, rows = 1;
};

/// How threads share the loops of a space.
struct GpuShape {
  explicit GpuShape(const GpuSpace &space);

  GpuGrid grid() const;
  /// Bytes of the workspace: what each block has of each reduction, as rows of
  /// whole vectors. 0 where columns are a block's own.
  int64_t workspaceBytes(llvm::ArrayRef<mlir::Operation *> reductions) const {
    return offsetOfParts(reductions, reductions.size());
  }
  /// Where those of reduction number `which` begin.
  int64_t offsetOfParts(llvm::ArrayRef<mlir::Operation *> reductions,
                        size_t which) const;

  bool isPointwise = false, isStaged = false, reducesLast = false;
  /// Reduced loops and kept ones, the last loop not among them, nor that of
  /// staged arguments, and how often they go around.
  llvm::SmallVector<unsigned> reducedLoops, keptLoops;
  int64_t swept = 1, kept = 1;
  /// Of the last loop: what a thread handles at once, and how many of these.
  /// Where lanes cannot be computed together, rows take them one by one, as
  /// `scalars`, of columns a thread has one, and pointwise it has the space's
  /// neighbours.
  int64_t width = 1, vectors = 1, scalars = 1;
  /// Of rows: whether a block goes over one, and not a warp.
  bool isWide = false;
  /// Of columns and of staged arguments.
  GpuTile tile;
  /// Of columns: blocks that share the rows, and the extent of the last loop.
  int64_t parts = 1, columns = 0;
  /// Of those blocks: groups of as many, whose sums are added in their turn.
  int64_t groups = 1;
  /// Tiles along the loop of staged arguments and along the last one.
  int64_t tileRows = 1, tileColumns = 1;
};

/// Of a kernel: the blocks of its spaces follow one another.
GpuGrid gridOf(llvm::ArrayRef<GpuSpace> spaces);

/// Of a kernel: a kernel that reduces has one space.
int64_t workspaceBytesOf(llvm::ArrayRef<GpuSpace> spaces);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_GPUSPACES_H
