//===- Calls.h - Library calls of the tests ---------------------*- C++ -*-===//
#ifndef REPRISE_TEST_RUNTIME_CUDA_CALLS_H
#define REPRISE_TEST_RUNTIME_CUDA_CALLS_H

#include "reprise/Runtime/Library.h"

namespace reprise::test {

/// A convolution by its input (N,H,W,C) and filter (O,K,K,C/groups).
struct Convolution {
  int64_t n, h, w, c, o, k;
  int64_t stride = 1;
  int64_t padBefore = 0, padAfter = 0;
  int64_t dilation = 1, groups = 1;

  int64_t extent(int64_t in) const {
    return (in + padBefore + padAfter - ((k - 1) * dilation + 1)) / stride + 1;
  }
};

inline rt::LibraryCallDesc call(LibraryOp op, rp_element_type type,
                                const Convolution &v) {
  rt::TensorDesc x{type, {v.n, v.h, v.w, v.c}, {}},
      w{type, {v.o, v.k, v.k, v.c / v.groups}, {}},
      y{type, {v.n, v.extent(v.h), v.extent(v.w), v.o}, {}};
  rt::LibraryCallDesc desc{op, {x, w}, {y}, {}};
  if (op == LibraryOp::Conv2DInputGrad)
    desc = {op, {y, w}, {x}, {}};
  if (op == LibraryOp::Conv2DFilterGrad)
    desc = {op, {x, y}, {w}, {}};
  desc.ints = {v.stride,   v.stride,   v.padBefore, v.padAfter, v.padBefore,
               v.padAfter, v.dilation, v.dilation,  v.groups};
  return desc;
}

/// A convolution of clips of 16 frames with filters of 3x3x3, or a gradient.
inline rt::LibraryCallDesc callOfVolumes(LibraryOp op, rp_element_type type,
                                         int64_t side, int64_t channels,
                                         int64_t filters, int64_t stride) {
  int64_t out = (side - 1) / stride + 1, frames = (16 - 1) / stride + 1;
  rt::TensorDesc x{type, {2, 16, side, side, channels}, {}},
      w{type, {filters, 3, 3, 3, channels}, {}},
      y{type, {2, frames, out, out, filters}, {}};
  std::vector<int64_t> ints = {stride, stride, stride, 1, 1, 1, 1,
                               1,      1,      1,      1, 1, 1};
  if (op == LibraryOp::Conv3DInputGrad)
    return {op, {y, w}, {x}, ints};
  if (op == LibraryOp::Conv3DFilterGrad)
    return {op, {x, y}, {w}, ints};
  return {op, {x, w}, {y}, ints};
}

inline rt::LibraryCallDesc product(rp_element_type type, int64_t m, int64_t k,
                                   int64_t n, bool transposeA,
                                   bool transposeB) {
  using Shape = std::vector<int64_t>;
  rt::TensorDesc a{type, transposeA ? Shape{k, m} : Shape{m, k}, {}},
      b{type, transposeB ? Shape{n, k} : Shape{k, n}, {}}, c{type, {m, n}, {}};
  return {LibraryOp::MatMul, {a, b}, {c}, {transposeA, transposeB}};
}

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CUDA_CALLS_H
