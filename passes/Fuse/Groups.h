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
  /// Groups that are updates of several variables.
  llvm::DenseSet<unsigned> batches;

  static constexpr unsigned kNone = ~0u;
};

/// Whether small kernels share launches though what they read or make waits.
enum class Launches { Own, Shared };

/// Decides which ops share a kernel.
Groups groupOps(const FlatGraph &graph, Launches launches);

/// Members of a group at most. Those of networks have a tenth of it.
constexpr size_t kMostMembers = 256;

/// Unites updates of small variables, whatever their shapes, and casts of
/// variables where launches are shared.
void batchVariables(const FlatGraph &graph, Groups &groups, Launches launches);

/// None do: each member is a kernel of its own.
Groups separateOps(const FlatGraph &graph);

/// What kernels compute again of what others made: what they have at hand, or
/// also what takes a value of as many bytes instead, where storing is time. The
/// other value then lives longer.
enum class Instead { Nothing, OtherValue };

/// Makes an sg.kernel of each group and orders the block so that every op
/// follows what it reads, close to where it stood.
void buildKernels(mlir::Block &block, const FlatGraph &graph,
                  const Groups &groups, Instead instead);

/// Makes one kernel of a product that the target runs as one and what stands
/// around it, where the target runs them together; of the forward pass only
/// with `forward`. The block is one of kernels.
void joinProducts(mlir::Block &block, const Target &target, bool forward);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_GROUPS_H
