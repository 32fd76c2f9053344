//===- EmitKernel.h - A kernel as a function ---------------------*- C++
//-*-===//
#ifndef REPRISE_PASSES_KERNELS_EMITKERNEL_H
#define REPRISE_PASSES_KERNELS_EMITKERNEL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace reprise {

/// Appends an llvm.func of loops, arith, math and vector ops to `module`:
///   void SYMBOL(void *const *args, int64_t begin, int64_t end)
mlir::LogicalResult emitKernel(mlir::ModuleOp module, llvm::StringRef symbol,
                               mlir::Block &body);

} // namespace reprise

#endif // REPRISE_PASSES_KERNELS_EMITKERNEL_H
