//===- CutSegments.h - Consecutive segments of a model ----------*- C++ -*-===//
#ifndef REPRISE_PASSES_CHECKPOINT_CUTSEGMENTS_H
#define REPRISE_PASSES_CHECKPOINT_CUTSEGMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"
#include "llvm/ADT/BitVector.h"

namespace reprise::sg {

/// A model's ops in one list, its own blocks dissolved.
struct FlatModel {
  llvm::SmallVector<mlir::Operation *> ops; // without the terminator
  /// Bytes of the results of ops[0..k], those that are free and views
  /// excepted.
  llvm::SmallVector<uint64_t> bytesUpTo;
  /// The k behind which no segment may end: ops[k] is a convolution whose norm
  /// spares it, or stands between the two, which are differentiated together.
  llvm::BitVector isWithinNorm;
};

/// Inlines every block of a model; leaves' names stay in the locations.
FlatModel dissolve(mlir::func::FuncOp function);

/// Positions k such that of the values that ops[0..k] make, one alone is used
/// later (reads and constants, which are free, apart): the articulation
/// values. Increasing; one position a value. The loss itself is none.
llvm::SmallVector<unsigned> findArticulations(const FlatModel &model);

/// Wraps ops[first..last] in an annotated block. Reads and constants from
/// before are had again inside.
void wrapSegment(llvm::ArrayRef<mlir::Operation *> ops, llvm::StringRef name);

} // namespace reprise::sg

#endif // REPRISE_PASSES_CHECKPOINT_CUTSEGMENTS_H
