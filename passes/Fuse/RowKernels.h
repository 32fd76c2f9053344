//===- RowKernels.h - Kernels that read their own reductions ----*- C++ -*-===//
//
// What forming kernels asks of a set of members that is to go over each row
// several times (see reprise/IR/KernelPasses.h).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_FUSE_ROWKERNELS_H
#define REPRISE_PASSES_FUSE_ROWKERNELS_H

#include "FlatGraph.h"

namespace reprise {

/// Over what members run; all are lists of positions, ascending.
struct GroupSpace {
  /// The shape of what is reduced, or else of all members.
  llvm::ArrayRef<int64_t> shape;
  /// The first reduction, or null.
  mlir::Operation *reduction = nullptr;
  /// The shape of what the reductions make, where there are any.
  std::optional<llvm::ArrayRef<int64_t>> kept;
  /// Whether they are over the trailing dimensions, so that what is kept is an
  /// element for each row, and a row can be gone over again.
  bool hasRows = false;
};

GroupSpace spaceOf(const FlatGraph &graph, llvm::ArrayRef<unsigned> members);

/// Whether `edge`, between two members, stays in place or in the row at hand.
bool staysInRow(const FlatGraph &graph, const Edge &edge,
                const GroupSpace &space);

/// Whether a member reads a reduction of another.
bool readsOwnReduction(const FlatGraph &graph,
                       llvm::ArrayRef<unsigned> members);

/// Whether members that generate elements keep out of what is reduced, and make
/// a vector of them from one element of each operand: random numbers.
bool generateBesideSums(const FlatGraph &graph,
                        llvm::ArrayRef<unsigned> members);

/// Whether a kernel that reduces has no more sums than accumulators for them,
/// and not both a new value of a variable and a large one: it would run once.
bool haveSumsThatFit(const FlatGraph &graph, llvm::ArrayRef<unsigned> members);

/// Whether going over rows again is cheap, and leaves enough rows for several
/// threads; true where there are no rows.
bool haveRowsThatFit(const FlatGraph &graph, llvm::ArrayRef<unsigned> members);

/// Whether the sums of members are one kernel as it is, or become one.
enum class Sums { AreOneKernel, BecomeOne };

/// Whether what only the reductions read would be kept while other ops run,
/// until the last member can.
bool keepOperandsLonger(const FlatGraph &graph,
                        llvm::ArrayRef<unsigned> members, Sums sums);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_ROWKERNELS_H
