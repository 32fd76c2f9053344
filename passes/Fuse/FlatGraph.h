//===- FlatGraph.h - The ops of a flat function, as a graph -----*- C++ -*-===//
//
// What forming kernels asks of an op: what kind it is, what it really reads
// (looking through the ops that every reader repeats), where it runs.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_FUSE_FLATGRAPH_H
#define REPRISE_PASSES_FUSE_FLATGRAPH_H

#include "reprise/IR/Sg.h"
#include "llvm/ADT/DenseMap.h"

namespace reprise {

enum class OpKind {
  Fixed,     // stays as it is: library ops, reads, writes, views
  Repeated,  // broadcasts, splats, iota: in every kernel that reads them
  Pointwise, // element by element, in the iteration space of its result
  Generator, // its own iteration space, reads elsewhere: transposes, pads
  Pool,      // a kernel of its own
  Reduction  // in the iteration space of its operand
};

OpKind kindOf(mlir::Operation *op);

/// A producer that an op waits for.
struct Edge {
  unsigned from;
  /// Whether the value is read at the index where the reader runs.
  bool inPlace;
};

struct FlatOp {
  mlir::Operation *op;
  OpKind kind;
  sg::Phase phase;
  llvm::ArrayRef<int64_t> space;
  /// Producers and readers, by position in the block, but for Repeated ops.
  llvm::SmallVector<Edge, 4> producers;
  llvm::SmallVector<unsigned, 4> readers;

  bool isMember() const {
    return kind != OpKind::Fixed && kind != OpKind::Repeated;
  }
};

struct FlatGraph {
  explicit FlatGraph(mlir::Block &block);

  std::vector<FlatOp> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
};

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_FLATGRAPH_H
