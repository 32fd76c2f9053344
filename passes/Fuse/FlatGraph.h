//===- FlatGraph.h - The ops of a flat function, as a graph -----*- C++ -*-===//
//
// What forming kernels asks of an op: its role, what it really reads
// (looking through the ops that every reader repeats), where it runs.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_FUSE_FLATGRAPH_H
#define REPRISE_PASSES_FUSE_FLATGRAPH_H

#include "reprise/IR/KernelPasses.h"
#include "llvm/ADT/DenseSet.h"

namespace reprise {

class Target;

/// Where an op reads a value, from near to far.
enum class Reading {
  InPlace,  // at the index where the reader runs
  AlongRow, // at the leading coordinates of that index
  Elsewhere
};

/// A producer that an op waits for.
struct Edge {
  unsigned from;
  Reading reading;
};

struct FlatOp {
  mlir::Operation *op;
  KernelRole role;
  sg::Phase phase;
  llvm::ArrayRef<int64_t> space;
  /// Producers and readers, by position in the block, but for Repeated ops.
  llvm::SmallVector<Edge, 4> producers;
  llvm::SmallVector<unsigned, 4> readers;

  bool isMember() const {
    return role != KernelRole::None && role != KernelRole::Repeated;
  }
};

struct FlatGraph {
  /// `fuses`: whether an op may move what another moves. `target` may be null.
  FlatGraph(mlir::Block &block, bool fuses, const Target *target);

  std::vector<FlatOp> ops;
  /// Of products that kernels of the target compute with what stands around
  /// them; see JoinProducts.cpp.
  llvm::DenseSet<mlir::Value> products;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
};

} // namespace reprise

#endif // REPRISE_PASSES_FUSE_FLATGRAPH_H
