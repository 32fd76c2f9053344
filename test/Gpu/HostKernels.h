//===- HostKernels.h - Kernels of a GPU as functions of the CPU -*- C++ -*-===//
#ifndef REPRISE_TEST_GPU_HOSTKERNELS_H
#define REPRISE_TEST_GPU_HOSTKERNELS_H

#include "Kernel.h"
#include "Simulator.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace reprise::gpu_test {

struct HostKernels {
  /// In the LLVM dialect: an EnterFunction a kernel, and shared memory as
  /// global variables.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What is not known before the code is loaded is null.
  std::vector<Kernel> kernels;
};

/// The gpu.funcs below `source`, which stays as it is. Errors are diagnostics.
mlir::FailureOr<HostKernels> makeHostKernels(mlir::Operation *source,
                                             const CompileOptions &options);

/// Lowers functions of arith, math, scf, vector and memref to the LLVM dialect.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module);

/// Lets every load and store of a kernel's function go where the simulator
/// says, and adds them to `kernel.accesses`. `launch`: index of the argument
/// that is the Launch.
mlir::LogicalResult instrumentAccesses(mlir::Operation *function,
                                       unsigned launch, Kernel &kernel);

/// Declares what instrumented code calls.
void declareAccess(mlir::ModuleOp module);

/// A place in the source for messages: "store at k.mlir:3:7".
std::string describePlace(llvm::StringRef what, mlir::Location location);

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_HOSTKERNELS_H
