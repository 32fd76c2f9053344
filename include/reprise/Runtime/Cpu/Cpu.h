//===- Cpu.h - This machine's processor and its library ---------*- C++ -*-===//
//
// The queries of the compiler's target "cpu" to the device "cpu": how oneDNN
// would run a call, the processor's features, its speed. The device makes the
// same queries when it loads an artifact.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_CPU_H
#define REPRISE_RUNTIME_CPU_CPU_H

#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/Status.h"

namespace reprise::rt {

/// Queries how oneDNN would run `desc` on `threads` threads. Allocates no
/// tensor memory. Fails with RP_INVALID_ARGUMENT on wrong shapes and
/// RP_UNAVAILABLE on types the library does not support here.
Expected<LibraryCallInfo> queryLibraryCall(const LibraryCallDesc &desc,
                                           unsigned threads);

/// Bytes that oneDNN allocates on the heap in addition to the workspace while
/// it runs `desc`, a checked call, with the kernels `implementation` on
/// `threads` threads: an upper estimate. 0 for kernels that use only the
/// workspace; oneDNN's gemm has each thread copy blocks of both operands.
uint64_t libraryHeapBytes(const LibraryCallDesc &desc,
                          const std::string &implementation, unsigned threads);

/// Name, version and instruction set of the library, for instance "oneDNN 2.6.3
/// gomp avx2". The first call of this function or of a query fixes the
/// instruction set for the rest of the process.
std::string libraryVersion();

/// Limits the library of this process to the features of a target's processors,
/// so that queries return the results they would return there; `target` has the
/// form of hostTarget. Fails with RP_UNAVAILABLE if the library is already in
/// use with another instruction set, and if this processor lacks the target's.
Status limitLibrary(const std::string &target);

/// The processor features that code can be compiled for, sorted, as LLVM names
/// them. SSE2 and older features of x86-64 are implied.
std::vector<std::string> knownFeatures();

/// `features` without `hidden` and the features that need these, all in the
/// form of hostTarget. Fails with RP_INVALID_ARGUMENT on an unknown name in
/// `hidden`.
Expected<std::string> hideFeatures(const std::string &features,
                                   const std::string &hidden);

/// The features that this processor and its system have, except those that the
/// environment variable REPRISE_HIDE_FEATURES hides, in the form of
/// `Program.target`, e.g. "avx2,avx512bw,avx512f,fma".
std::string hostTarget();

/// Returns RP_INVALID_ARGUMENT if REPRISE_HIDE_FEATURES names an unknown
/// feature.
Status checkHost();

/// Times a matrix product and a triad of arrays too large for caches, on
/// `threads` threads, for about 0.3 s. Fails with RP_OUT_OF_MEMORY, or
/// RP_UNAVAILABLE if the library refuses the product.
Expected<Roofline> measureRoofline(unsigned threads);

/// The system's name for this processor; its features if there is none.
std::string processorName();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_CPU_H
