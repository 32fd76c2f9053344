//===- Groups.h - Ops that are to share a kernel ----------------*- C++ -*-===//
#ifndef REPRISE_PASSES_FUSE_GROUPS_H
#define REPRISE_PASSES_FUSE_GROUPS_H

#include "FlatGraph.h"
#include "llvm/ADT/DenseSet.h"

namespace reprise {

/// A partition of a flat function's members into kernels.
struct Groups {
  /// Members by position, ascending; empty where groups were merged.
  std::vector<llvm::SmallVector<unsigned>> members;
  /// The group of each op; kNone for fixed and repeated ones.
  std::vector<unsigned> groupOf;
  /// Groups that update several variables.
  llvm::DenseSet<unsigned> batches;

  static constexpr unsigned kNone = ~0u;
};

/// States if small kernels share launches although their operands or results
/// then wait.
enum class Launches { Own, Shared };

/// Decides which ops share a kernel.
Groups groupOps(const FlatGraph &graph, Launches launches);

/// The largest number of members of a group. Groups of real networks have a
/// tenth of it.
constexpr size_t kMostMembers = 256;

/// Unites updates of small variables of any shapes, and casts of variables
/// where launches are shared.
void batchVariables(const FlatGraph &graph, Groups &groups, Launches launches);

/// Makes each member a group of its own.
Groups separateOps(const FlatGraph &graph);

/// Values of other kernels that a kernel recomputes: those whose inputs it
/// reads anyway, or also those for which it then reads another value of the
/// same size, where storing takes time. The other value then lives longer.
enum class Instead { Nothing, OtherValue };

/// Makes an sg.kernel of each group and orders the block so that every op
/// follows what it reads, close to its old place.
void buildKernels(mlir::Block &block, const FlatGraph &graph,
                  const Groups &groups, Instead instead);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_GROUPS_H
