//===- Library.h - Calls of the numerical library ---------------*- C++ -*-===//
//
// What the compiler must know of a library call before it can be placed: the
// kernel the library will choose and the scratch memory it needs. The runtime
// makes the same query when it loads an artifact and refuses it when the
// answer differs.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_LIBRARY_H
#define REPRISE_RUNTIME_LIBRARY_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::rt {

enum class LibraryOp : uint8_t {
  Conv2D,
  Conv2DInputGrad,
  Conv2DFilterGrad,
  MatMul
};

struct TensorDesc {
  rp_element_type type = RP_F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; // in elements; empty: dense row-major
};

/// Operands and parameters as documented at `LibraryCall` in
/// runtime/schemas/program.fbs.
struct LibraryCallDesc {
  LibraryOp op;
  std::vector<TensorDesc> inputs;
  std::vector<TensorDesc> outputs;
  std::vector<int64_t> ints;
};

/// Numbers that are equal exactly for equal calls, which run the same code.
std::vector<int64_t> libraryCallKey(const LibraryCallDesc &desc);

struct LibraryCallInfo {
  uint64_t workspaceBytes = 0; // scratchpad and packed operands, 64-aligned
  std::string implementation;  // names of the library's kernels
};

/// Checks operands, shapes, strides and parameters of a call, for any device.
/// Fails with RP_INVALID_ARGUMENT.
Status verifyLibraryCall(const LibraryCallDesc &desc);

/// Asks the CPU library (oneDNN) how it would run `desc` on `threads` threads.
/// Allocates no tensor memory. Fails with RP_INVALID_ARGUMENT on wrong shapes
/// and RP_UNAVAILABLE on types the library cannot do here.
Expected<LibraryCallInfo> queryLibraryCall(const LibraryCallDesc &desc,
                                           unsigned threads);

/// Bytes that the CPU library takes from the heap beside the workspace while it
/// runs `desc`, a checked call, by the kernels `implementation` on `threads`
/// threads: an estimate from above. 0 for kernels that keep to the workspace;
/// oneDNN's gemm has each thread copy blocks of both operands.
uint64_t libraryHeapBytes(const LibraryCallDesc &desc,
                          const std::string &implementation, unsigned threads);

/// Name, version and instruction set of the CPU library, for instance
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

/// Those that this processor and its system have, in the form of
/// `Program.target`, e.g. "avx2,avx512bw,avx512f,fma".
std::string hostTarget();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_LIBRARY_H
