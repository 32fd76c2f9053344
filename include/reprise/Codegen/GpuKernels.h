//===- GpuKernels.h - Kernels as functions of a GPU -------------*- C++ -*-===//
//
// The gpu dialect's form of what Kernels.h has as loops for one thread: the
// same elements, computed by threads of blocks. Pointwise results have the same
// bits whatever the device; sums are added in an order that follows from the
// kernel alone, another one than a processor's.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CODEGEN_GPUKERNELS_H
#define REPRISE_CODEGEN_GPUKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/Codegen/Kernels.h"

namespace reprise {

/// Threads that run in step and exchange values without memory.
inline constexpr int64_t kWarpThreads = 32;
/// The most threads of a block that kernels are made for.
inline constexpr int64_t kBlockThreads = 256;

/// Loads the dialects that kernels of a GPU pass through.
void loadGpuDialects(mlir::MLIRContext &context);

/// Whether a kernel of nothing but this op runs on a GPU and no library is to,
/// which follows from the op alone. By tiles of scores that are never stored:
/// sg.attention and its gradient, of f32, bf16 and f16, with heads of at most
/// 128 numbers. By tensor cores: products of bf16 and f16 that memory takes
/// longer for, as convolutions that look at single points are and their
/// gradients for inputs. Such a kernel yields all that the op makes.
bool runsAsGpuKernel(mlir::Operation *op);
/// Whether it is such a product.
bool isGpuProduct(mlir::Operation *op);

/// Whether a kernel with such a product among its ops runs on a GPU: with what
/// makes its left operand element by element, and what reads its result at its
/// index and sums columns.
bool runsGpuProduct(mlir::Block &body);

/// What the planner must know of a kernel on a GPU: grains are its blocks; of a
/// kernel whose stores are dealt to several blocks, an output lies over nothing
/// that the others read; long columns are added by blocks that leave their
/// parts in a workspace. Fails as analyzeKernel does.
mlir::FailureOr<KernelTraits> analyzeGpuKernel(mlir::Block &body);

/// Appends a gpu.func to `module`, with a pointer into global memory for each
/// argument of the kernel, then for each value that it yields, then one to the
/// workspace where analyzeGpuKernel says that there is one. Its known block
/// and grid sizes are what it must be launched with. Accesses take up to 16
/// bytes, aligned to that where rows allow it, so that tensors must begin at
/// multiples of 16. Fails with a message at the op that no kernel can run.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitGpuKernel(mlir::gpu::GPUModuleOp module, llvm::StringRef symbol,
              mlir::Block &body);

} // namespace reprise

#endif // REPRISE_CODEGEN_GPUKERNELS_H
