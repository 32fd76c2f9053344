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

/// What a member is made of by a short chain of cheap ops of its kernel, that
/// all who read it could compute again; none where there is no such chain.
std::optional<llvm::SetVector<mlir::Value>>
leavesOfChain(const FlatGraph &graph, llvm::ArrayRef<unsigned> members,
              unsigned member);

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_REPEATS_H
