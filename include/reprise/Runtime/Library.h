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

/// Name and version of the CPU library, e.g. "oneDNN 2.6.3 gomp".
std::string libraryVersion();

/// Processor features that machine code for this machine may use, in the form
/// of `Program.target`, e.g. "avx2,avx512bw,avx512f,fma".
std::string hostTarget();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_LIBRARY_H
