//===- Kernels.h - Compiled kernels -----------------------------*- C++ -*-===//
//
// A kernel is a block of sg primitives (the body of sg.kernel or rt.kernel)
// over one iteration space: pointwise ops, index maps, iota, random numbers,
// and at most a final reduction over each path. Its arguments are the block's
// arguments, then what it yields, each a dense row-major tensor.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_KERNELS_H
#define REPRISE_PASSES_KERNELS_H

#include "mlir/IR/Block.h"
#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reprise {

/// What the planner must know of a kernel.
struct KernelInfo {
  /// Independent parts; any split of [0, grains) gives the same bits.
  uint64_t grains = 1;
  /// (output, input): the output may be written over the input, because every
  /// element of the input is read only where that element is written.
  llvm::SmallVector<std::pair<unsigned, unsigned>> inPlace;
};

/// Fails with a message at the op that no kernel can run.
mlir::FailureOr<KernelInfo> analyzeKernel(mlir::Block &body);

struct KernelSource {
  std::string symbol;
  mlir::Block *body;
};

/// Machine code of several kernels: an ELF shared object that exports
///   void SYMBOL(void *const *args, int64_t begin, int64_t end)
struct CodeImage {
  std::vector<uint8_t> elf;
};

/// Compiles for processors with the features of `target`, as resolveTarget
/// gives them; no instruction needs another one. Equal input gives equal bytes,
/// on whatever machine.
mlir::FailureOr<CodeImage> compileKernels(llvm::ArrayRef<KernelSource> sources,
                                          llvm::StringRef target);

} // namespace reprise

#endif // REPRISE_PASSES_KERNELS_H
