//===- TensorsInMemory.h - Tensors that memory may hold ---------*- C++ -*-===//
//
// bufferization.to_tensor and similar ops leave a tensor in the memory that it
// was created from. A reader of the tensor reads the memory at that moment.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_BRIDGE_TENSORSINMEMORY_H
#define REPRISE_LIB_BRIDGE_TENSORSINMEMORY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace reprise {

class TensorsInMemory {
public:
  /// Returns true if `value` is memory, or a tensor that may be in some.
  bool contains(mlir::Value value) const;

  /// Records the tensors that `op` may create from memory without a copy:
  /// results tied to a destination in memory, and all those of other ops that
  /// pass on memory and do not allocate the result.
  void note(mlir::Operation *op);

  /// Returns true if bufferization may have `op`, or an op in its regions,
  /// write a result into memory.
  bool isUpdatedBy(mlir::Operation *op) const;

private:
  bool isHandedOnBy(mlir::Operation *op) const;

  llvm::DenseSet<mlir::Value> tensors;
};

/// Returns true if `op` or an op in its regions writes or frees memory, or has
/// unknown effects.
bool mayWriteMemory(mlir::Operation *op);

} // namespace reprise

#endif // REPRISE_LIB_BRIDGE_TENSORSINMEMORY_H
