//===- FlatGraph.h - The ops of a flat function, as a graph -----*- C++ -*-===//
//
// The properties of an op that forming kernels needs: its role, the values it
// really reads (looking through ops that every reader repeats), its iteration
// space.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_FUSE_FLATGRAPH_H
#define REPRISE_PASSES_FUSE_FLATGRAPH_H

#include "reprise/IR/KernelPasses.h"
#include "llvm/ADT/DenseSet.h"

namespace reprise {

class Target;

/// The indices at which an op reads a value, from near to far.
enum class Reading {
  InPlace,  // at the index where the reader runs
  AlongRow, // at the leading coordinates of that index
  Elsewhere
};

/// A producer that an op depends on.
struct Edge {
  unsigned from;
  Reading reading;
};

struct FlatOp {
  mlir::Operation *op;
  KernelRole role;
  sg::Phase phase;
  llvm::ArrayRef<int64_t> space;
  /// Producers and readers, by position in the block, without Repeated ops.
  llvm::SmallVector<Edge, 4> producers;
  llvm::SmallVector<unsigned, 4> readers;

  bool isMember() const {
    return role != KernelRole::None && role != KernelRole::Repeated;
  }
};

struct FlatGraph {
  /// `fuses`: true if an op may move elements that another op moves.
  FlatGraph(mlir::Block &block, bool fuses);

  std::vector<FlatOp> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
};

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_FLATGRAPH_H
