//===- Ptx.h - Functions of a GPU as NVIDIA's code --------------*- C++ -*-===//
//
// Private to lib/Target/Cuda and its tests. Neither a GPU nor a driver is
// needed, and PTX does not require a CUDA toolkit.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_TARGET_CUDA_PTX_H
#define REPRISE_LIB_TARGET_CUDA_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/Runtime/Library.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// Loads the dialects of emitPtx's intermediate steps, in addition to
/// loadGpuDialects.
void loadPtxDialects(mlir::MLIRContext &context);

/// Adds patterns by which expandMath may round f32 to bf16, and widen it: the
/// same bits.
void populateRoundByInstruction(mlir::RewritePatternSet &patterns);

/// Adds the subset that needs no instruction of a GPU: bf16 to f32, two numbers
/// from a register of 32 bits.
void populateWidenPairs(mlir::RewritePatternSet &patterns);

/// Returns the functions of `module`, after expandMath, as PTX for
/// `architecture` ("sm_90"). Every product and sum is rounded separately,
/// divisions and square roots are exact, subnormal numbers are kept. Changes
/// the module. Fails with a message at an op without code, or for an
/// architecture that LLVM does not know.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp module,
                                     llvm::StringRef architecture);

/// The assembler's report about one function.
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

/// Assembles PTX by the toolkit's ptxas, found through CUDA_PATH, PATH or in
/// /usr/local/cuda. Returns none with a warning at `loc` if it is missing or
/// cannot run; fails with its message at `loc` if it rejects the code.
mlir::FailureOr<std::optional<Cubin>> assemble(mlir::Location loc,
                                               const std::string &ptx,
                                               llvm::StringRef architecture);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_PTX_H
