//===- CloneSegment.h - The part of a block that is needed ------*- C++ -*-===//
#ifndef REPRISE_PASSES_CHECKPOINT_CLONESEGMENT_H
#define REPRISE_PASSES_CHECKPOINT_CLONESEGMENT_H

#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace reprise::sg {

/// What computing some values of a body again takes.
struct Slice {
  llvm::DenseSet<mlir::Value> needed; // values to compute, nested ones too
  /// Statistics that stay kept and are read by the clone; their ops are not
  /// run again but take the shorter way of StatisticsOpInterface.
  llvm::SetVector<mlir::Value> statistics;
  /// Results of sg.keep, in annotated blocks within too. They stay kept, and
  /// reach the clone through the barrier.
  llvm::SetVector<mlir::Value> kept;
  /// Reads whose users read nothing but variables and constants. They reach
  /// the clone through the barrier; else it would not wait for anything and
  /// common-subexpression elimination would merge it with its original.
  llvm::SetVector<mlir::Value> roots;
  /// Ops of other dialects that must not run again: they say that they touch
  /// memory, or nothing of it.
  llvm::SetVector<mlir::Operation *> once;
};

/// Looks only: which values of `body` and of blocks within it `wanted` needs.
Slice sliceBody(mlir::Block &body, mlir::ValueRange wanted);

/// From the statistics of a cloned op to those of the op of the forward pass.
using Originals = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Emits the slice's ops at the builder. `mapping` maps the arguments of
/// `body`, the slice's statistics and roots, and receives every value that is
/// emitted. Plain blocks within are inlined, annotated ones stay blocks, of
/// phase recompute. Writes are never emitted. `originals` receives the
/// statistics of ops that are cloned whole.
void cloneSlice(mlir::OpBuilder &builder, mlir::Block &body, const Slice &slice,
                mlir::IRMapping &mapping, Originals &originals);

} // namespace reprise::sg

#endif // REPRISE_PASSES_CHECKPOINT_CLONESEGMENT_H
