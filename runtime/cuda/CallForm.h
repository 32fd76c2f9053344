//===- CallForm.h - Calls in the form of cuDNN and cuBLASLt -----*- C++ -*-===//
//
// A convolution has its tensors in the order N,C,H,W (the filter O,I,KH,KW), or
// N,C,D,H,W; a matrix is stored by rows, with a pitch. Calls that neither
// library runs as specified are refused here, before a library is opened.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CALLFORM_H
#define REPRISE_RUNTIME_CUDA_CALLFORM_H

#include "reprise/Runtime/Library.h"
#include <array>
#include <optional>

namespace reprise::rt::cuda {

/// The alignment of operands' addresses, for which plans are made.
constexpr uint64_t kOperandAlignment = 16;

/// A dense tensor with its channels innermost.
struct ConvolutionTensor {
  rp_element_type type;
  std::vector<int64_t> dims; // N,C,(D,)H,W
  unsigned operand;          // of the call: inputs, then outputs
};

struct ConvolutionForm {
  ConvolutionKind kind;
  ConvolutionTensor x, w, y;
  // Values for (depth,) height, then width.
  std::vector<int64_t> strides = {1, 1}, dilations = {1, 1};
  std::vector<int64_t> padBefore = {0, 0}, padAfter = {0, 0};
};

struct Matrix {
  rp_element_type type;
  int64_t rows = 0, columns = 0; // as stored
  int64_t pitch = 0;             // elements from row to row
  bool isTransposed = false;     // the product exchanges rows and columns
  int64_t batchStride = 0;       // elements between matrices of a batch
};

/// `batch` products c = a b for each of `starts`.
struct ProductForm {
  Matrix a, b, c;
  std::array<unsigned, 2> inputs = {0, 1}; // of the call, for a and b
  int64_t m, n, k;
  int64_t batch = 1;
  /// Offsets in elements from the operands' addresses to a, b and c.
  std::vector<std::array<int64_t, 3>> starts;
  bool hasBias = false; // of the result's type, added in f32 to each row
};

/// Returns the element types of products and convolutions.
std::vector<rp_element_type> productElements();

/// Checks types and sizes of a product's or convolution's operands:
/// RP_UNAVAILABLE if the libraries do not support them.
Status checkOperands(const LibraryCallDesc &desc);
/// Returns the form of a verified call. Fails with RP_UNAVAILABLE if cuDNN does
/// not support it.
Expected<ConvolutionForm> convolutionForm(const LibraryCallDesc &desc);
/// Returns the form of a verified call. Fails with RP_UNAVAILABLE if cuBLASLt
/// does not support it.
Expected<ProductForm> productForm(const LibraryCallDesc &desc);
/// A product or a convolution, in both forms if it is both.
struct CallForms {
  std::optional<ConvolutionForm> convolution;
  std::optional<ProductForm> product;
};
/// Returns the forms of a verified call. Fails with RP_UNAVAILABLE if neither
/// library supports it.
Expected<CallForms> formsOf(const LibraryCallDesc &desc);

/// Returns the product as a 1x1 convolution; nothing if it is not one.
std::optional<ConvolutionForm> asConvolution(const ProductForm &product);
/// Returns the 1x1 convolution without strides, padding and groups as a product
/// of pixels and channels; nothing if it is not one.
std::optional<ProductForm> asProduct(const ConvolutionForm &convolution);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CALLFORM_H
