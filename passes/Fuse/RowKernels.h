//===- RowKernels.h - Kernels that read their own reductions ----*- C++ -*-===//
//
// Tests of a set of members that would pass over each row several times (see
// reprise/IR/KernelPasses.h).
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_FUSE_ROWKERNELS_H
#define REPRISE_PASSES_FUSE_ROWKERNELS_H

#include "FlatGraph.h"

namespace reprise {

/// The iteration space of members; all members are ascending lists of
/// positions.
struct GroupSpace {
  /// The shape of the reduced operand, or of all members if nothing is reduced.
  llvm::ArrayRef<int64_t> shape;
  /// The first reduction, or null.
  mlir::Operation *reduction = nullptr;
  /// The shape of the reductions' results, if there are any.
  std::optional<llvm::ArrayRef<int64_t>> kept;
  /// True if they are over the trailing dimensions: the result has one element
  /// per row, and another pass over a row is possible.
  bool hasRows = false;
};

GroupSpace spaceOf(const FlatGraph &graph, llvm::ArrayRef<unsigned> members);

/// Returns true if `edge`, between two members, stays in place or in the
/// current row.
bool staysInRow(const FlatGraph &graph, const Edge &edge,
                const GroupSpace &space);

/// Returns true if a member reads another member's reduction.
bool readsOwnReduction(const FlatGraph &graph,
                       llvm::ArrayRef<unsigned> members);

/// Returns true if generators (random numbers) among the members are not part
/// of the reduced operand and compute a vector of them from one element of each
/// operand.
bool generateBesideSums(const FlatGraph &graph,
                        llvm::ArrayRef<unsigned> members);

/// Returns true if a reducing kernel has accumulators for all of its sums, and
/// does not compute both a new value of a variable and a large value: such a
/// kernel would run only once.
bool haveSumsThatFit(const FlatGraph &graph, llvm::ArrayRef<unsigned> members);

/// Returns true if further passes over rows are cheap and there are enough rows
/// for several threads; true without rows.
bool haveRowsThatFit(const FlatGraph &graph, llvm::ArrayRef<unsigned> members);

/// States if the members' sums are one kernel already or become one.
enum class Sums { AreOneKernel, BecomeOne };

/// Returns true if operands that only the reductions read would be kept while
/// other ops run, until the last member can.
bool keepOperandsLonger(const FlatGraph &graph,
                        llvm::ArrayRef<unsigned> members, Sums sums);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_ROWKERNELS_H
