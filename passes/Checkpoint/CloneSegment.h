//===- CloneSegment.h - Clone the needed part of a block --------*- C++ -*-===//
#ifndef REPRISE_PASSES_CHECKPOINT_CLONESEGMENT_H
#define REPRISE_PASSES_CHECKPOINT_CLONESEGMENT_H

#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace reprise::sg {

/// The ops and values needed to recompute some values of a body.
struct Slice {
  llvm::DenseSet<mlir::Value> needed; // values to compute, nested ones too
  /// Statistics that stay kept and are read by the clone. Their ops are not
  /// repeated; they are cloned by the shorter form of StatisticsOpInterface.
  llvm::SetVector<mlir::Value> statistics;
  /// Results of sg.keep, including those in nested annotated blocks. They stay
  /// kept and reach the clone through the barrier.
  llvm::SetVector<mlir::Value> kept;
  /// Reads whose users read nothing but variables and constants. They reach the
  /// clone through the barrier; otherwise the clone would wait for nothing, and
  /// common-subexpression elimination would merge it with its original.
  llvm::SetVector<mlir::Value> roots;
  /// Ops of other dialects that must not repeat: they have memory effects or do
  /// not declare their effects.
  llvm::SetVector<mlir::Operation *> once;
};

/// Returns the part of `body` and of nested blocks that `wanted` needs. Changes
/// no IR.
Slice sliceBody(mlir::Block &body, mlir::ValueRange wanted);

/// Maps the statistics of a cloned op to those of the forward op.
using Originals = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Emits the slice's ops at the builder. `mapping` maps the arguments of
/// `body`, the slice's statistics and roots, and receives every emitted value.
/// Nested plain blocks are inlined; nested annotated ones stay blocks, of phase
/// recompute. Writes are never emitted. `originals` receives the statistics of
/// ops that are cloned whole.
void cloneSlice(mlir::OpBuilder &builder, mlir::Block &body, const Slice &slice,
                mlir::IRMapping &mapping, Originals &originals);

} // namespace reprise::sg

#endif // REPRISE_PASSES_CHECKPOINT_CLONESEGMENT_H
