//===- ConvolutionForm.cpp - Calls in the form of cuDNN -------------------===//
#include "CallForm.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>

namespace reprise::rt::cuda {

std::vector<rp_element_type> productElements() {
  return {RP_F32, RP_BF16, RP_F16};
}

Status checkOperands(const LibraryCallDesc &desc) {
  constexpr int64_t kMaxElements = int64_t(1) << 48; // bytes fit into 64 bits
  std::vector<rp_element_type> types = productElements();
  for (const TensorDesc *tensor : floatTensors(desc)) {
    if (std::find(types.begin(), types.end(), tensor->type) == types.end())
      return Status::error(RP_UNAVAILABLE, std::string(functionOf(desc).name) +
                                               " of " +
                                               elementName(tensor->type) +
                                               " is not there on GPUs");
    int64_t elements = 1;
    for (int64_t extent : tensor->shape)
      if (__builtin_mul_overflow(elements, extent, &elements) ||
          elements > kMaxElements)
        return Status::error(RP_UNAVAILABLE, std::string("an operand of ") +
                                                 functionOf(desc).name +
                                                 " is too large");
  }
  return {};
}

static ConvolutionTensor tensor(const TensorDesc &t, unsigned operand) {
  ConvolutionTensor result = {t.type, t.shape, operand};
  // The channels follow the first dimension.
  std::rotate(result.dims.begin() + 1, result.dims.end() - 1,
              result.dims.end());
  return result;
}

Expected<ConvolutionForm> convolutionForm(const LibraryCallDesc &desc) {
  REPRISE_RETURN_IF_ERROR(checkOperands(desc));
  if (!desc.epilogues.empty())
    return Status::error(
        RP_UNAVAILABLE,
        std::string(functionOf(desc).name) + " with the epilogue " +
            kLibraryEpilogues[size_t(desc.epilogues[0])].name +
            " is not there on GPUs: cuDNN has none that it can plan");
  ConvolutionCall c = convolutionOf(desc);
  // Operands in the order of the call: two inputs, one output.
  unsigned x = 0, w = 1, y = 2;
  if (c.kind == ConvolutionKind::InputGrad)
    std::swap(x, y);
  if (c.kind == ConvolutionKind::FilterGrad)
    std::swap(w, y);
  return ConvolutionForm{c.kind,         tensor(c.x, x), tensor(c.w, w),
                         tensor(c.y, y), c.strides,      c.dilations,
                         c.padBefore,    c.padAfter};
}

/// Describes the matrix as rows of channels.
static ConvolutionTensor rowsOf(const Matrix &m, unsigned operand) {
  return {m.type, {m.rows, m.columns, 1, 1}, operand};
}

//   a (M,K) b stored (N,K):   y[m,n] = sum x[m,k] w[n,k]     forward
//   a (M,K) b (K,N):          dx[m,n] = sum dy[m,k] w[k,n]   input gradient
//   a stored (K,M) b (K,N):   dw[m,n] = sum dy[k,m] x[k,n]   filter gradient
std::optional<ConvolutionForm> asConvolution(const ProductForm &p) {
  bool isDense = p.a.pitch == p.a.columns && p.b.pitch == p.b.columns &&
                 p.c.pitch == p.c.columns;
  if (!isDense || p.batch != 1 || p.starts.size() != 1 || p.hasBias)
    return std::nullopt;
  ConvolutionTensor a = rowsOf(p.a, 0), b = rowsOf(p.b, 1), c = rowsOf(p.c, 2);
  if (!p.a.isTransposed && p.b.isTransposed)
    return ConvolutionForm{ConvolutionKind::Forward, a, b, c};
  if (!p.a.isTransposed)
    return ConvolutionForm{ConvolutionKind::InputGrad, c, b, a};
  if (!p.b.isTransposed)
    return ConvolutionForm{ConvolutionKind::FilterGrad, b, c, a};
  return std::nullopt;
}

static Matrix matrixOf(const ConvolutionTensor &t, bool isTransposed) {
  int64_t pixels = t.dims[0];
  for (size_t d = 2; d < t.dims.size(); ++d)
    pixels *= t.dims[d];
  return {t.type, pixels, t.dims[1], /*pitch=*/t.dims[1], isTransposed};
}

//   y (P,O) = x (P,C) w (O,C)^T     dx = dy w     dw = dy^T x
std::optional<ProductForm> asProduct(const ConvolutionForm &c) {
  auto areAll = [](auto begin, auto end, int64_t value) {
    return std::all_of(begin, end, [=](int64_t v) { return v == value; });
  };
  bool isProduct = areAll(c.w.dims.begin() + 2, c.w.dims.end(), 1) &&
                   c.w.dims[1] == c.x.dims[1] &&
                   areAll(c.strides.begin(), c.strides.end(), 1) &&
                   areAll(c.padBefore.begin(), c.padBefore.end(), 0) &&
                   areAll(c.padAfter.begin(), c.padAfter.end(), 0);
  if (!isProduct)
    return std::nullopt;
  ProductForm form;
  bool isForward = c.kind == ConvolutionKind::Forward;
  const ConvolutionTensor *a = &c.y, *b = &c.w, *result = &c.x;
  if (isForward)
    std::swap(a, result);
  if (c.kind == ConvolutionKind::FilterGrad)
    std::swap(b, result);
  form.a = matrixOf(*a, c.kind == ConvolutionKind::FilterGrad);
  form.b = matrixOf(*b, isForward);
  form.c = matrixOf(*result, false);
  form.inputs = {a->operand, b->operand};
  form.m = form.c.rows;
  form.n = form.c.columns;
  form.k = form.a.isTransposed ? form.a.rows : form.a.columns;
  form.starts = {{0, 0, 0}};
  return form;
}

Expected<CallForms> formsOf(const LibraryCallDesc &desc) {
  CallForms forms;
  if (!functionOf(desc).takesEpilogues)
    return Status::error(RP_UNAVAILABLE, std::string(functionOf(desc).name) +
                                             " is not there on GPUs");
  if (desc.op == LibraryOp::MatMul) {
    REPRISE_EXPECT(form, productForm(desc));
    forms.product = std::move(*form);
    forms.convolution = asConvolution(*forms.product);
    return forms;
  }
  REPRISE_EXPECT(form, convolutionForm(desc));
  forms.convolution = *form;
  forms.product = asProduct(*form);
  return forms;
}

} // namespace reprise::rt::cuda
