//===- Kernels.h - Kernels as loops, for any target -------------*- C++ -*-===//
//
// A kernel is a block of sg primitives (the body of sg.kernel or rt.kernel)
// over one iteration space: pointwise ops, index maps, iota, random numbers,
// and reductions, all over the same dimensions; without reductions it may have
// a space for each shape that it yields. An op that reads a reduction in the
// same kernel is pointwise, in the space that the reductions keep, or, where
// the reduced dimensions are the last ones, repeats it along the current row.
// The parameters of a kernel are the block's arguments, then the values it
// yields, each a dense row-major tensor.
//
// The target's choices are a KernelShape; everything else is a function of the
// block alone.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CODEGEN_KERNELS_H
#define REPRISE_CODEGEN_KERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "reprise/Codegen/KernelShape.h"

namespace reprise {

/// The facts about a kernel that the planner needs, on a target of that shape.
/// Fails with a message at the op that no kernel can run.
mlir::FailureOr<KernelTraits> analyzeKernel(mlir::Block &body,
                                            const KernelShape &shape);

/// Loads the dialects that kernels pass through.
void loadKernelDialects(mlir::MLIRContext &context);

/// Appends an llvm.func of loops, arith, math and vector ops to `module`:
///   void SYMBOL(void *const *args, int64_t begin, int64_t end)
/// where [begin, end) are grains.
mlir::LogicalResult emitKernel(mlir::ModuleOp module, llvm::StringRef symbol,
                               mlir::Block &body, const KernelShape &shape);

/// Adds patterns for arith.truncf from f32 to bf16.
using RoundingPatterns = llvm::function_ref<void(mlir::RewritePatternSet &)>;

/// Turns exp, log, tanh and erf of f32 into polynomials, those of bf16 and f16
/// into the same in f32; and arithmetic on bf16 into arithmetic on f32, each
/// result rounded by integer arithmetic, or by the patterns of `roundings`,
/// which must round to the same bits. The bits are the same on any device.
/// `module` holds functions, of any dialect.
mlir::LogicalResult expandMath(mlir::Operation *module,
                               RoundingPatterns roundings = nullptr);

/// Turns loops, arith, math and vector ops into the LLVM dialect, after
/// expandMath. Functions of f64 become calls of the C library.
mlir::LogicalResult lowerKernels(mlir::ModuleOp module,
                                 RoundingPatterns roundings = nullptr);

} // namespace reprise

#endif // REPRISE_CODEGEN_KERNELS_H
