//===- GpuCounters.h - Blocks that share a sum ------------------*- C++ -*-===//
#ifndef REPRISE_LIB_TARGET_CUDA_KERNELS_GPUCOUNTERS_H
#define REPRISE_LIB_TARGET_CUDA_KERNELS_GPUCOUNTERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace reprise {

/// The largest number of sums whose parts are counted.
inline constexpr int64_t kMostCounters = 4096;

/// Emits the arrival of a block, after its threads' writes, at the module's
/// counter number `counter`, below kMostCounters. Returns an i1, the same for
/// all threads: true if all other of `parts` blocks have arrived, whose writes
/// are then visible. All threads of the block must execute this code.
mlir::Value arriveLast(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp function,
                       mlir::Value thread, mlir::Value counter, int64_t parts);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_KERNELS_GPUCOUNTERS_H
