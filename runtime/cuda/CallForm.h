//===- CallForm.h - Calls as cuDNN and cuBLASLt see them --------*- C++ -*-===//
//
// A convolution has its tensors in the order N,C,H,W (the filter O,I,KH,KW);
// a matrix lies by rows, with a pitch. What neither library does as the call
// says is refused here, before one is opened.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CALLFORM_H
#define REPRISE_RUNTIME_CUDA_CALLFORM_H

#include "reprise/Runtime/Library.h"
#include <array>
#include <optional>

namespace reprise::rt::cuda {

/// What the addresses of operands are multiples of, and plans are made for.
constexpr uint64_t kOperandAlignment = 16;

enum class ConvolutionKind : uint8_t { Forward, InputGrad, FilterGrad };

/// A dense tensor with its channels innermost.
struct ConvolutionTensor {
  rp_element_type type;
  std::array<int64_t, 4> dims; // N,C,H,W
  unsigned operand;            // of the call: inputs, then outputs
};

struct ConvolutionForm {
  ConvolutionKind kind;
  ConvolutionTensor x, w, y;
  // Of height and width.
  std::array<int64_t, 2> strides = {1, 1}, dilations = {1, 1};
  std::array<int64_t, 2> padBefore = {0, 0}, padAfter = {0, 0};
};

struct Matrix {
  rp_element_type type;
  int64_t rows = 0, columns = 0; // as they lie
  int64_t pitch = 0;             // elements from row to row
  bool isTransposed = false;     // the product takes columns for rows
  int64_t batchStride = 0;       // elements from one of the batch to the next
};

/// `batch` products c = a b at every start.
struct ProductForm {
  Matrix a, b, c;
  std::array<unsigned, 2> inputs = {0, 1}; // of the call, for a and b
  int64_t m, n, k;
  int64_t batch = 1;
  /// Elements from the operands' addresses to those of a, b and c.
  std::vector<std::array<int64_t, 3>> starts;
  bool hasBias = false; // of the result's type, added in f32 to each row
};

/// Element types of products and convolutions.
std::vector<rp_element_type> productElements();

/// Types and sizes of a product's or convolution's operands: RP_UNAVAILABLE
/// where they are none of the libraries'.
Status checkOperands(const LibraryCallDesc &desc);
/// Of a verified call. Fails with RP_UNAVAILABLE on what cuDNN does not do.
Expected<ConvolutionForm> convolutionForm(const LibraryCallDesc &desc);
/// Of a verified call. Fails with RP_UNAVAILABLE on what cuBLASLt does not do.
Expected<ProductForm> productForm(const LibraryCallDesc &desc);
/// A product or a convolution, and as the other one where it is both.
struct CallForms {
  std::optional<ConvolutionForm> convolution;
  std::optional<ProductForm> product;
};
/// Of a verified call. Fails with RP_UNAVAILABLE on what neither library does.
Expected<CallForms> formsOf(const LibraryCallDesc &desc);

/// The product as a convolution of 1x1; none where it is not one.
std::optional<ConvolutionForm> asConvolution(const ProductForm &product);
/// The convolution, of 1x1 without strides, padding and groups, as a product of
/// pixels by channels; none where it is not one.
std::optional<ProductForm> asProduct(const ConvolutionForm &convolution);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CALLFORM_H
