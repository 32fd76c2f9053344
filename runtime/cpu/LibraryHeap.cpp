//===- LibraryHeap.cpp - oneDNN's heap memory -----------------------------===//
//
// Input:   a checked call and the names of its kernels.
// Output:  an upper bound on its heap bytes while it runs.
// Method:  oneDNN's gemm cuts a product into blocks, and each thread copies one
//          of either operand at a time. The split of rows and columns among
//          threads is ignored: a block is assumed to be as large as the
//          operands and the limits of oneDNN 2.6 allow.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Cpu/Cpu.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace reprise::rt {

namespace {
struct Product {
  int64_t rows, columns, inner;
};
} // namespace

/// Returns gemm's product for a call; batches and groups run one by one.
static Product productOf(const LibraryCallDesc &desc) {
  if (desc.op == LibraryOp::MatMul) {
    const std::vector<int64_t> &a = desc.inputs[0].shape,
                               &c = desc.outputs[0].shape;
    size_t rank = a.size();
    int64_t inner = a[desc.ints[0] ? rank - 2 : rank - 1];
    return {c[rank - 2], c[rank - 1], inner};
  }
  if (desc.op == LibraryOp::Attention || desc.op == LibraryOp::AttentionGrad) {
    int64_t tokens = desc.inputs[0].shape[1], width = desc.inputs[0].shape[4];
    return {tokens, std::max(tokens, width), std::max(tokens, width)};
  }
  ConvolutionCall c = convolutionOf(desc);
  const std::vector<int64_t> &y = c.y.shape, &w = c.w.shape;
  auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t(1), std::multiplies<>());
  };
  int64_t pixels = product(y.begin(), y.end() - 1), filters = w[0] / c.groups,
          window = product(w.begin() + 1, w.end());
  if (c.kind == ConvolutionKind::Forward)
    return {pixels, filters, window};
  if (c.kind == ConvolutionKind::FilterGrad)
    return {window, filters, pixels};
  return {pixels, window, filters};
}

uint64_t libraryHeapBytes(const LibraryCallDesc &desc,
                          const std::string &implementation, unsigned threads) {
  if (implementation.find("gemm:jit") == std::string::npos)
    return 0;
  // Blocks of f32 without AVX-512, and of bf16 without AVX512-BF16.
  constexpr int64_t kLonger = 10000, kShorter = 384, kLeastDepth = 128;
  constexpr uint64_t kPages = 6 * 4096;
  bool isHalf = desc.inputs[0].type == RP_BF16;
  auto [rows, columns, inner] = productOf(desc);
  uint64_t depth = std::clamp<int64_t>(inner, kLeastDepth, isHalf ? 768 : 256);
  // Padded to the kernel's registers, at most 48 elements.
  uint64_t sides = std::min(std::max(rows, columns) + 47, kLonger) +
                   std::min(std::min(rows, columns) + 47, kShorter);
  return threads * ((isHalf ? 2 : 4) * depth * sides + kPages);
}

} // namespace reprise::rt
