//===- LowerKernels.h - Kernels to the LLVM dialect -------------*- C++ -*-===//
#ifndef REPRISE_PASSES_KERNELS_LOWERKERNELS_H
#define REPRISE_PASSES_KERNELS_LOWERKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace reprise {

/// Loads the dialects that kernels pass through.
void loadKernelDialects(mlir::MLIRContext &context);

/// Turns loops, arith, math and vector ops into the LLVM dialect. exp, log,
/// tanh and erf of f32 become polynomials, of bf16 and f16 the same in f32; of
/// f64 calls of the C library.
mlir::LogicalResult lowerKernels(mlir::ModuleOp module);

} // namespace reprise

#endif // REPRISE_PASSES_KERNELS_LOWERKERNELS_H
