//===- Repeats.h - What readers compute again -------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_FUSE_REPEATS_H
#define REPRISE_PASSES_FUSE_REPEATS_H

#include "FlatGraph.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

namespace reprise {

/// What a kernel does with a member that others read: hands it out; or lets
/// them compute it again, from the narrow value that it widens, or by a short
/// chain of cheap ops.
enum class Repeat { No, Widening, Chain };

/// `members` are those of its kernel, ascending.
Repeat repeatOf(const FlatGraph &graph, llvm::ArrayRef<unsigned> members,
                unsigned member);

/// What a member is made of by cheap ops of its kernel, how many, and whether
/// rows are moved on the way.
struct CheapChain {
  llvm::SetVector<mlir::Value> leaves;
  unsigned length = 0;
  bool moves = false;
};

/// None where one of those who read a member could not compute it again so, or
/// the chain is too long, or the member too small.
std::optional<CheapChain> chainOf(const FlatGraph &graph,
                                  llvm::ArrayRef<unsigned> members,
                                  unsigned member);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_REPEATS_H
