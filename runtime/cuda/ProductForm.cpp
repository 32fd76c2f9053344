//===- ProductForm.cpp - Products in the form of cuBLASLt -----------------===//
//
// cuBLASLt takes one batch with one stride for each operand. Leading dimensions
// without gaps between them are joined; the longest of the resulting ones is
// the batch, the others become separate products with other start offsets.
//
//===----------------------------------------------------------------------===//
#include "CallForm.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>

namespace reprise::rt::cuda {

namespace {
/// A leading dimension and the strides of a, b and c along it.
struct LeadingDim {
  int64_t extent;
  std::array<int64_t, 3> strides;
};
} // namespace

static Status refuse(const std::string &why,
                     const char *file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
  return Status::error(RP_UNAVAILABLE,
                       "this product is not there on GPUs: " + why, file, line);
}

static std::vector<int64_t> stridesOf(const TensorDesc &t) {
  if (!t.strides.empty())
    return t.strides;
  std::vector<int64_t> strides(t.shape.size(), 1);
  for (size_t i = t.shape.size() - 1; i-- > 0;)
    strides[i] = strides[i + 1] * t.shape[i + 1];
  return strides;
}

/// Checks that the last element's offset in bytes fits in 64 bits.
static Status checkReach(const TensorDesc &t,
                         const std::vector<int64_t> &strides) {
  constexpr int64_t kMaxReach = int64_t(1) << 48;
  int64_t reach = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    int64_t step = 0;
    if (__builtin_mul_overflow(t.shape[i] - 1, strides[i], &step) ||
        step > kMaxReach - reach)
      return refuse("strides that reach beyond any memory");
    reach += step;
  }
  return {};
}

static Expected<Matrix> matrix(const TensorDesc &t,
                               const std::vector<int64_t> &strides,
                               bool isTransposed) {
  size_t row = strides.size() - 2, column = row + 1;
  Matrix m{t.type, t.shape[row], t.shape[column], strides[row], isTransposed};
  if (strides[column] != 1 && m.columns != 1) {
    if (strides[row] != 1 && m.rows != 1)
      return refuse("an operand whose last two dimensions have strides of " +
                    std::to_string(strides[row]) + " and " +
                    std::to_string(strides[column]) + " elements");
    // It is stored by columns.
    std::swap(m.rows, m.columns);
    m.pitch = strides[column];
    m.isTransposed = !isTransposed;
  }
  if (m.rows == 1)
    m.pitch = m.columns;
  if (m.pitch < m.columns)
    return refuse("an operand with overlapping rows of " +
                  std::to_string(m.columns) + " elements every " +
                  std::to_string(m.pitch));
  return m;
}

/// Returns leading dimensions of more than one element, joined where all
/// operands allow it.
static std::vector<LeadingDim>
joinedDims(const std::vector<int64_t> &shape,
           const std::array<std::vector<int64_t>, 3> &strides) {
  std::vector<LeadingDim> dims;
  for (size_t i = 0; i + 2 < shape.size(); ++i) {
    if (shape[i] == 1)
      continue;
    LeadingDim dim{shape[i], {strides[0][i], strides[1][i], strides[2][i]}};
    bool isJoined = !dims.empty();
    for (size_t k = 0; k < 3 && isJoined; ++k)
      isJoined = dims.back().strides[k] == dim.strides[k] * dim.extent;
    if (isJoined)
      dims.back() = {dims.back().extent * dim.extent, dim.strides};
    else
      dims.push_back(dim);
  }
  return dims;
}

/// Takes the longest dimension as the batch, the others as starts.
static Status spread(std::vector<LeadingDim> dims, ProductForm &form) {
  constexpr size_t kMaxProducts = 1024; // kernels of one call
  form.starts = {{0, 0, 0}};
  if (dims.empty())
    return {};
  auto longest = std::max_element(dims.begin(), dims.end(),
                                  [](const LeadingDim &l, const LeadingDim &r) {
                                    return l.extent < r.extent;
                                  });
  form.batch = longest->extent;
  form.a.batchStride = longest->strides[0];
  form.b.batchStride = longest->strides[1];
  form.c.batchStride = longest->strides[2];
  dims.erase(longest);
  for (const LeadingDim &dim : dims) {
    if (uint64_t(dim.extent) > kMaxProducts / form.starts.size())
      return refuse("its leading dimensions are more than " +
                    std::to_string(kMaxProducts) + " batches");
    std::vector<std::array<int64_t, 3>> next;
    for (const std::array<int64_t, 3> &start : form.starts)
      for (int64_t i = 0; i < dim.extent; ++i)
        next.push_back({start[0] + i * dim.strides[0],
                        start[1] + i * dim.strides[1],
                        start[2] + i * dim.strides[2]});
    form.starts = std::move(next);
  }
  return {};
}

/// A bias of the result's type is added in f32 before the single rounding.
/// cuBLASLt does not specify that its ReLU keeps NaN and -0, as `LibraryCall`
/// requires, and it adds nothing after a bias.
static Status checkEpilogues(const LibraryCallDesc &desc) {
  for (Epilogue epilogue : desc.epilogues)
    if (epilogue != Epilogue::Bias)
      return refuse(std::string("the epilogue ") +
                    kLibraryEpilogues[size_t(epilogue)].name +
                    " is not cuBLASLt's as the call defines it");
  if (desc.epilogues.size() > 1)
    return refuse("it has more than one epilogue bias");
  if (!desc.epilogues.empty() && desc.inputs[2].type != desc.outputs[0].type)
    return refuse(std::string("cuBLASLt adds a bias of the result's type, ") +
                  elementName(desc.outputs[0].type) +
                  ", and this epilogue is " + elementName(desc.inputs[2].type));
  return {};
}

Expected<ProductForm> productForm(const LibraryCallDesc &desc) {
  REPRISE_RETURN_IF_ERROR(checkOperands(desc));
  REPRISE_RETURN_IF_ERROR(checkEpilogues(desc));
  const std::array<const TensorDesc *, 3> tensors = {
      &desc.inputs[0], &desc.inputs[1], &desc.outputs[0]};
  ProductForm form;
  form.hasBias = !desc.epilogues.empty();
  std::array<std::vector<int64_t>, 3> strides;
  const std::array<Matrix *, 3> matrices = {&form.a, &form.b, &form.c};
  for (size_t i = 0; i < 3; ++i) {
    strides[i] = stridesOf(*tensors[i]);
    REPRISE_RETURN_IF_ERROR(checkReach(*tensors[i], strides[i]));
    REPRISE_EXPECT(m,
                   matrix(*tensors[i], strides[i], i < 2 && desc.ints[i] != 0));
    *matrices[i] = *m;
  }
  const std::vector<int64_t> &shape = desc.outputs[0].shape;
  form.m = shape[shape.size() - 2];
  form.n = shape.back();
  form.k = form.a.isTransposed ? form.a.rows : form.a.columns;
  REPRISE_RETURN_IF_ERROR(spread(joinedDims(shape, strides), form));
  return form;
}

} // namespace reprise::rt::cuda
