//===- Repeats.h - Values that readers recompute ----------------*- C++ -*-===//
#ifndef REPRISE_PASSES_FUSE_REPEATS_H
#define REPRISE_PASSES_FUSE_REPEATS_H

#include "FlatGraph.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

namespace reprise {

/// The treatment of a member that other kernels read: it is returned, or
/// recomputed from the narrow value that it widens, or by a short chain of
/// cheap ops.
enum class Repeat { No, Widening, Chain };

/// `members`: the ascending members of its kernel.
Repeat repeatOf(const FlatGraph &graph, llvm::ArrayRef<unsigned> members,
                unsigned member);

/// The values from which cheap ops of its kernel compute a member, the number
/// of these ops, and whether they move rows.
struct CheapChain {
  llvm::SetVector<mlir::Value> leaves;
  unsigned length = 0;
  bool moves = false;
};

/// Returns nothing if a reader of the member could not recompute it so, the
/// chain is too long, or the member is too small.
std::optional<CheapChain> chainOf(const FlatGraph &graph,
                                  llvm::ArrayRef<unsigned> members,
                                  unsigned member);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_REPEATS_H
