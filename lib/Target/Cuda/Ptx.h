//===- Ptx.h - Functions of a GPU to NVIDIA's code --------------*- C++ -*-===//
//
// Private to lib/Target/Cuda and its tests. No GPU and no driver are needed,
// and for PTX no CUDA toolkit.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_TARGET_CUDA_PTX_H
#define REPRISE_LIB_TARGET_CUDA_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/Runtime/Library.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise {

/// Loads what emitPtx passes through, beside loadGpuDialects.
void loadPtxDialects(mlir::MLIRContext &context);

/// Adds what expandMath may round f32 to bf16 by, and widen by: the same bits.
void populateRoundByInstruction(mlir::RewritePatternSet &patterns);

/// Adds the part of it that needs no instruction of a GPU: bf16 to f32, two
/// numbers from a register of 32 bits.
void populateWidenPairs(mlir::RewritePatternSet &patterns);

/// The functions of `module`, behind expandMath, as PTX for `architecture`
/// ("sm_90"). Every product and sum is rounded for itself, divisions and square
/// roots are exact, numbers below the normal ones are kept. Changes the module.
/// Fails with a message at what has no code, or for an architecture that LLVM
/// does not know.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp module,
                                     llvm::StringRef architecture);

/// What the assembler says of one function.
struct PtxUse {
  std::string function;
  unsigned registers = 0;    // of a thread
  uint64_t sharedBytes = 0;  // of a block
  uint64_t spilledBytes = 0; // of a thread, stored and loaded
};

struct Cubin {
  std::vector<uint8_t> code;
  std::vector<PtxUse> uses; // by function
};

/// Assembles PTX by the toolkit's ptxas: found in the environment's PATH, else
/// where CUDA_PATH or /usr/local/cuda has it. Fails with RP_UNAVAILABLE where
/// there is none, and with what it says where it fails.
rt::Expected<Cubin> assemble(const std::string &ptx,
                             llvm::StringRef architecture);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_PTX_H
