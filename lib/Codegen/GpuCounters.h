//===- GpuCounters.h - Blocks that share a sum ------------------*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_GPUCOUNTERS_H
#define REPRISE_LIB_CODEGEN_GPUCOUNTERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace reprise {

/// The most sums whose parts are counted.
inline constexpr int64_t kMostCounters = 4096;

/// Emits that a block counts itself, behind what its threads have written, on
/// the module's counter number `counter`, below kMostCounters. Whether all
/// other of `parts` blocks have come, an i1, the same for all threads: what
/// they wrote is seen then. To be emitted where all threads of the block are.
mlir::Value arriveLast(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp function,
                       mlir::Value thread, mlir::Value counter, int64_t parts);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_GPUCOUNTERS_H
