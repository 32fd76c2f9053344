//===- GpuKernels.h - Kernels as functions of a GPU -------------*- C++ -*-===//
//
// Emits kernels in the gpu dialect; Kernels.h emits them as loops for one
// thread. The elements are the same, computed by threads of blocks. Pointwise
// results have the same bits on every device; sums are added in an order that
// depends on the kernel alone and differs from a processor's.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CODEGEN_GPUKERNELS_H
#define REPRISE_CODEGEN_GPUKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/Codegen/Kernels.h"

namespace reprise {

/// Threads that run in lockstep and exchange values without memory.
inline constexpr int64_t kWarpThreads = 32;
/// The most threads per block in generated kernels.
inline constexpr int64_t kBlockThreads = 256;

/// Loads the dialects that GPU kernels pass through.
void loadGpuDialects(mlir::MLIRContext &context);

/// Returns true if this op runs on a GPU as a kernel of its own rather than as
/// a library call; the answer depends on the op alone. sg.attention and its
/// gradient, of f32, bf16 and f16, with heads of at most 128 numbers, run by
/// tiles of scores that are never stored. Such a kernel yields all results of
/// the op.
bool runsAsGpuKernel(mlir::Operation *op);

/// The facts about a GPU kernel that the planner needs: grains are its blocks;
/// if the stores of a kernel are spread over several blocks, no output overlaps
/// an input that other blocks read; blocks that add long columns leave their
/// partial sums in a workspace. Fails as analyzeKernel does.
mlir::FailureOr<KernelTraits> analyzeGpuKernel(mlir::Block &body);

/// Appends a gpu.func to `module`, with a pointer into global memory for each
/// argument of the kernel, then for each value that it yields, then one to the
/// workspace if analyzeGpuKernel reports one. It must be launched with its
/// known block and grid sizes. Accesses take up to 16 bytes, aligned to that
/// where rows allow it, so that tensors must begin at multiples of 16. Fails
/// with a message at the op that no kernel can run.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitGpuKernel(mlir::gpu::GPUModuleOp module, llvm::StringRef symbol,
              mlir::Block &body);

} // namespace reprise

#endif // REPRISE_CODEGEN_GPUKERNELS_H
