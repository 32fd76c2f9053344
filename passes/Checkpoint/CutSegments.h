//===- CutSegments.h - Consecutive segments of a model ----------*- C++ -*-===//
#ifndef REPRISE_PASSES_CHECKPOINT_CUTSEGMENTS_H
#define REPRISE_PASSES_CHECKPOINT_CUTSEGMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/BitVector.h"

namespace reprise::sg {

/// A model's ops in one list, with its blocks dissolved.
struct FlatModel {
  llvm::SmallVector<mlir::Operation *> ops; // without the terminator
  /// Total bytes of the results of ops[0..k], without free values and views.
  llvm::SmallVector<uint64_t> bytesUpTo;
  /// The positions k after which no segment may end: ops[k] is a convolution
  /// whose norm spares its operand, or an op between the two, which are
  /// differentiated together.
  llvm::BitVector isWithinNorm;
};

/// Inlines every block of a model; the names of leaves stay in the locations.
FlatModel dissolve(mlir::func::FuncOp function);

/// Returns the articulations: positions k such that only one of the values
/// computed by ops[0..k] is used later (reads and constants, which are free,
/// not counted). Increasing; one position per value. The loss itself is not
/// one.
llvm::SmallVector<unsigned> findArticulations(const FlatModel &model);

} // namespace reprise::sg

#endif // REPRISE_PASSES_CHECKPOINT_CUTSEGMENTS_H
