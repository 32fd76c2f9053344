//===- CpuTarget.h - The processor as a target ------------------*- C++ -*-===//
//
// oneDNN for library calls, x86-64 code by LLVM for kernels. Private to
// lib/Target.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_TARGET_CPU_CPUTARGET_H
#define REPRISE_LIB_TARGET_CPU_CPUTARGET_H

#include "reprise/Target/Target.h"

namespace reprise {

/// Registers "cpu":
///
///   cpu:native             this machine
///   cpu:x86-64-v3          a level of the architecture, or a processor that
///                          LLVM knows
///   cpu:x86-64-v3,+avx512f,-bmi
///                          the same with features added and removed
///
/// Features that need each other are added and removed together. The first
/// query about a library call limits the library of this process to the target;
/// see rt::limitLibrary.
void registerCpuTarget();

/// Returns the features of the processors that `text`, which follows "cpu:",
/// names, in the form of rt::hostTarget. Fails with a message that lists the
/// known names.
rt::Expected<std::string> resolveFeatures(llvm::StringRef text);

/// Compiles to an ELF shared object for processors with `features`, as returned
/// by resolveFeatures; no instruction needs another feature. It exports
///   void SYMBOL(void *const *args, int64_t begin, int64_t end)
/// `progress` is called as documented at Target::reportProgress.
mlir::FailureOr<std::vector<uint8_t>>
compileForCpu(llvm::ArrayRef<KernelSource> kernels, llvm::StringRef features,
              const KernelShape &shape,
              const std::function<void(double)> &progress);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CPU_CPUTARGET_H
