//===- Cpu.h - This machine's processor and its library ---------*- C++ -*-===//
//
// What the compiler's target "cpu" asks of the device "cpu": how oneDNN would
// run a call, what the processor has, how fast it is. The device makes the same
// queries when it loads an artifact.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_CPU_H
#define REPRISE_RUNTIME_CPU_CPU_H

#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/Status.h"

namespace reprise::rt {

/// Asks oneDNN how it would run `desc` on `threads` threads.
/// Allocates no tensor memory. Fails with RP_INVALID_ARGUMENT on wrong shapes
/// and RP_UNAVAILABLE on types the library cannot do here.
Expected<LibraryCallInfo> queryLibraryCall(const LibraryCallDesc &desc,
                                           unsigned threads);

/// Bytes that oneDNN takes from the heap beside the workspace while it
/// runs `desc`, a checked call, by the kernels `implementation` on `threads`
/// threads: an estimate from above. 0 for kernels that keep to the workspace;
/// oneDNN's gemm has each thread copy blocks of both operands.
uint64_t libraryHeapBytes(const LibraryCallDesc &desc,
                          const std::string &implementation, unsigned threads);

/// Name, version and instruction set of the library, for instance
/// "oneDNN 2.6.3 gomp avx2". From the first call on, of this or of a query, the
/// instruction set stays as it is for the rest of the process.
std::string libraryVersion();

/// Holds the library of this process to what processors of a target have, so
/// that queries answer as they would there; `target` is as hostTarget writes
/// it. Fails with RP_UNAVAILABLE when the library is in use with another
/// instruction set already, and when this processor lacks the target's.
Status limitLibrary(const std::string &target);

/// The processor features that code can be compiled for, sorted, as LLVM names
/// them. An x86-64 has SSE2 and what is older beside them.
std::vector<std::string> knownFeatures();

/// `features` but for `hidden` and what needs these, all in the form of
/// hostTarget. Fails with RP_INVALID_ARGUMENT on an unknown name in `hidden`.
Expected<std::string> hideFeatures(const std::string &features,
                                   const std::string &hidden);

/// Those that this processor and its system have, but for what the environment
/// variable REPRISE_HIDE_FEATURES hides, in the form of `Program.target`, e.g.
/// "avx2,avx512bw,avx512f,fma".
std::string hostTarget();

/// RP_INVALID_ARGUMENT where REPRISE_HIDE_FEATURES names an unknown feature.
Status checkHost();

/// Times a matrix product and a triad of arrays too large for caches, on
/// `threads` threads, for about 0.3 s. Fails with RP_OUT_OF_MEMORY, or
/// RP_UNAVAILABLE when the library refuses the product.
Expected<Roofline> measureRoofline(unsigned threads);

/// What the system calls this processor; its features where it does not say.
std::string processorName();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_CPU_H
