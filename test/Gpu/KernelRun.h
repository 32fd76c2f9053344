//===- KernelRun.h - One kernel on the simulated GPU ------------*- C++ -*-===//
#ifndef REPRISE_TEST_GPU_KERNELRUN_H
#define REPRISE_TEST_GPU_KERNELRUN_H

#include "../Reference/Support.h"
#include "Simulator.h"

namespace reprise::gpu_test {

/// The kernel of a function, which has one, as a function "k" of a GPU.
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::func::FuncOp function);

/// Expects of the kernel of a program, which returns what it yields, in several
/// orders of threads: no access races, leaves a tensor or reads what nobody
/// wrote; the same bits; and results within `share` of the largest number
/// expected, or NaN where that is. What the loads and stores of one run cost.
SimulationReport expectKernel(reference::testing::Program &program,
                              llvm::ArrayRef<reference::Tensor> arguments,
                              llvm::ArrayRef<reference::Tensor> expected,
                              double share);

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_KERNELRUN_H
