//===- Groups.h - Ops that are to share a kernel ----------------*- C++ -*-===//
#ifndef REPRISE_PASSES_FUSE_GROUPS_H
#define REPRISE_PASSES_FUSE_GROUPS_H

#include "FlatGraph.h"

namespace reprise {

/// A partition of a flat function's members into kernels.
struct Groups {
  /// Members by position, ascending; empty where groups were merged.
  std::vector<llvm::SmallVector<unsigned>> members;
  /// The group of each op; kNone for fixed and repeated ones.
  std::vector<unsigned> groupOf;

  static constexpr unsigned kNone = ~0u;
};

/// Decides which ops share a kernel.
Groups groupOps(const FlatGraph &graph);

/// None do: each member is a kernel of its own.
Groups separateOps(const FlatGraph &graph);

/// Makes an sg.kernel of each group and orders the block so that every op
/// follows what it reads, close to where it stood.
void buildKernels(mlir::Block &block, const FlatGraph &graph,
                  const Groups &groups);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_GROUPS_H
