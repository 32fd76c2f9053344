//===- Library.h - Calls of the numerical library ---------------*- C++ -*-===//
//
// A call as any device's library could run it, and the facts needed before it
// can be placed: the kernel the library will choose and the scratch memory it
// needs. The compiler's target provides them; the device queries them again
// when it loads an artifact and refuses it if they differ.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_LIBRARY_H
#define REPRISE_RUNTIME_LIBRARY_H

#include "reprise/LibraryFunctions.h"
#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise::rt {

using Epilogue = LibraryEpilogue;

/// Bytes of an element; an i1 takes one.
uint64_t elementBytes(rp_element_type type);

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
  std::vector<double> floats = {};
  std::vector<Epilogue> epilogues = {};
};

/// The function of a call that has been verified.
inline const LibraryFunction &functionOf(const LibraryCallDesc &desc) {
  return kLibraryFunctions[size_t(desc.op)];
}

/// The ints that code depends on: all but a stream of random numbers or
/// the number of a collective.
std::vector<int64_t> codeInts(LibraryOp op, std::vector<int64_t> ints);

/// The number of inputs without seed and step of a call that draws random
/// numbers, which are the last ones; and that number plus all outputs.
size_t floatInputs(const LibraryCallDesc &desc);
std::vector<const TensorDesc *> floatTensors(const LibraryCallDesc &desc);

/// The operand or result that a convolution computes from the other two.
enum class ConvolutionKind : uint8_t { Forward, InputGrad, FilterGrad };

/// The kind of convolution that a function is; nothing for others.
constexpr std::optional<ConvolutionKind> convolutionKind(LibraryOp op) {
  switch (op) {
  case LibraryOp::Conv2D:
  case LibraryOp::Conv3D:
    return ConvolutionKind::Forward;
  case LibraryOp::Conv2DInputGrad:
  case LibraryOp::Conv3DInputGrad:
    return ConvolutionKind::InputGrad;
  case LibraryOp::Conv2DFilterGrad:
  case LibraryOp::Conv3DFilterGrad:
    return ConvolutionKind::FilterGrad;
  default:
    return std::nullopt;
  }
}

/// The operands and numbers of a convolution, with a number for each spatial
/// dimension, the outermost first.
struct ConvolutionCall {
  ConvolutionKind kind;
  const TensorDesc &x, &w, &y;
  std::vector<int64_t> strides, padBefore, padAfter, dilations;
  int64_t groups;

  size_t dims() const { return strides.size(); }
};

/// Returns the convolution of a call of one, whose counts of operands and
/// numbers are right. It refers to the call's operands.
ConvolutionCall convolutionOf(const LibraryCallDesc &desc);

/// "f32", "bf16", ... of an element type of the C interface.
const char *elementName(rp_element_type type);

/// Numbers that are equal exactly for equal calls, which run the same code.
std::vector<int64_t> libraryCallKey(const LibraryCallDesc &desc);

struct LibraryCallInfo {
  uint64_t workspaceBytes = 0; // scratchpad and packed operands
  std::string implementation;  // names of the library's kernels
  double seconds = 0;          // of a call, as measured; 0: not measured
  double arithmetic = 1;       // arithmetic of the kernels, relative to the
                               // operation's
  /// True if the result may overwrite the input of `addendOf`.
  bool addsInPlace = false;
};

/// Checks operands, shapes, strides, types and parameters of a call, for any
/// device; the device decides which types it supports. Fails with
/// RP_INVALID_ARGUMENT.
Status verifyLibraryCall(const LibraryCallDesc &desc);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_LIBRARY_H
