//===- CublasProduct.cpp - Run products by cuBLASLt -----------------------===//
#include "CublasProduct.h"
#include "CublasForm.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>

namespace reprise::rt::cuda {

Expected<std::unique_ptr<CublasContext>> CublasContext::open() {
  REPRISE_EXPECT(library, cublasFunctions());
  cublasLtHandle_t handle = nullptr;
  REPRISE_RETURN_IF_ERROR(
      (*library)->check((*library)->cublasLtCreate(&handle), "cublasLtCreate"));
  return std::unique_ptr<CublasContext>(new CublasContext(**library, handle));
}

CublasContext::~CublasContext() { functions->cublasLtDestroy(handle); }

CublasProduct::~CublasProduct() {
  for (cublasLtMatrixLayout_t layout : {a, b, c})
    if (layout)
      library.cublasLtMatrixLayoutDestroy(layout);
  if (operation)
    library.cublasLtMatmulDescDestroy(operation);
}

static cudaDataType dataType(rp_element_type type) {
  return type == RP_BF16  ? CUDA_R_16BF
         : type == RP_F16 ? CUDA_R_16F
                          : CUDA_R_32F;
}

template <typename Value>
Status CublasProduct::set(cublasLtMatmulDescAttributes_t name, Value value) {
  return library.check(library.cublasLtMatmulDescSetAttribute(
                           operation, name, &value, sizeof value),
                       "cublasLtMatmulDescSetAttribute");
}

/// Our rows are cuBLASLt's columns.
Status CublasProduct::describe(cublasLtMatrixLayout_t &layout,
                               const Matrix &matrix) {
  REPRISE_RETURN_IF_ERROR(library.check(
      library.cublasLtMatrixLayoutCreate(&layout, dataType(matrix.type),
                                         uint64_t(matrix.columns),
                                         uint64_t(matrix.rows), matrix.pitch),
      "cublasLtMatrixLayoutCreate"));
  if (form.batch == 1)
    return {};
  int32_t count = int32_t(form.batch);
  REPRISE_RETURN_IF_ERROR(library.check(
      library.cublasLtMatrixLayoutSetAttribute(
          layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
      "cublasLtMatrixLayoutSetAttribute"));
  return library.check(library.cublasLtMatrixLayoutSetAttribute(
                           layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                           &matrix.batchStride, sizeof matrix.batchStride),
                       "cublasLtMatrixLayoutSetAttribute");
}

Status CublasProduct::describe(bool allowTf32) {
  REPRISE_RETURN_IF_ERROR(library.check(
      library.cublasLtMatmulDescCreate(&operation,
                                       allowTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                 : CUBLAS_COMPUTE_32F,
                                       CUDA_R_32F),
      "cublasLtMatmulDescCreate"));
  auto transposition = [](const Matrix &m) {
    return int32_t(m.isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  };
  REPRISE_RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_DESC_TRANSA, transposition(form.b)));
  REPRISE_RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_DESC_TRANSB, transposition(form.a)));
  REPRISE_RETURN_IF_ERROR(describe(a, form.a));
  REPRISE_RETURN_IF_ERROR(describe(b, form.b));
  REPRISE_RETURN_IF_ERROR(describe(c, form.c));
  if (!form.hasBias)
    return {};
  REPRISE_RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS)));
  // No address yet; the heuristics examine its alignment.
  return set(CUBLASLT_MATMUL_DESC_BIAS_POINTER,
             reinterpret_cast<const void *>(uintptr_t(kOperandAlignment)));
}

/// Returns the alignment of the addresses of operand number `operand`.
static uint32_t alignmentOf(const ProductForm &form, size_t operand,
                            rp_element_type type) {
  uint64_t alignment = kOperandAlignment;
  for (const std::array<int64_t, 3> &start : form.starts)
    while (uint64_t(start[operand]) * elementBytes(type) % alignment)
      alignment /= 2;
  return uint32_t(alignment);
}

Status
CublasProduct::setPreferences(cublasLtMatmulPreference_t preference) const {
  auto set = [&](cublasLtMatmulPreferenceAttributes_t name, auto value) {
    return library.check(library.cublasLtMatmulPreferenceSetAttribute(
                             preference, name, &value, sizeof value),
                         "cublasLtMatmulPreferenceSetAttribute");
  };
  REPRISE_RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes));
  // Partial sums in f32 one after another, or none: never accumulated in place
  // or rounded to the result's type.
  REPRISE_RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
          uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)));
  REPRISE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                              alignmentOf(form, 1, form.b.type)));
  REPRISE_RETURN_IF_ERROR(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                              alignmentOf(form, 0, form.a.type)));
  uint32_t result = alignmentOf(form, 2, form.c.type);
  REPRISE_RETURN_IF_ERROR(
      set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, result));
  return set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, result);
}

/// Returns true if the algorithm sums in f32, does not round the operands, and
/// adds partial sums in a fixed order.
bool CublasProduct::suits(const cublasLtMatmulHeuristicResult_t &result,
                          bool allowTf32) const {
  if (result.state != CUBLAS_STATUS_SUCCESS ||
      result.workspaceSize > workspaceBytes)
    return false;
  uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_MASK;
  uint64_t numbers = 0;
  size_t written = 0;
  if (library.cublasLtMatmulAlgoConfigGetAttribute(
          &result.algo, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, &reduction,
          sizeof reduction, &written) != CUBLAS_STATUS_SUCCESS ||
      library.cublasLtMatmulAlgoCapGetAttribute(
          &result.algo, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &numbers,
          sizeof numbers, &written) != CUBLAS_STATUS_SUCCESS)
    return false;
  uint64_t unwanted = CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F;
  if (form.a.type == RP_F32)
    unwanted |= CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F |
                CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF;
  if (!allowTf32)
    unwanted |= CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32;
  bool isOrdered = reduction == CUBLASLT_REDUCTION_SCHEME_NONE ||
                   reduction == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  return isOrdered && !(numbers & unwanted);
}

Status CublasProduct::choose(cublasLtMatmulPreference_t preference,
                             bool allowTf32) {
  REPRISE_RETURN_IF_ERROR(setPreferences(preference));
  constexpr int kAsked = 32;
  std::vector<cublasLtMatmulHeuristicResult_t> results(kAsked);
  int count = 0;
  cublasStatus_t status = library.cublasLtMatmulAlgoGetHeuristic(
      context.get(), operation, b, a, c, c, preference, kAsked, results.data(),
      &count);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED)
    REPRISE_RETURN_IF_ERROR(
        library.check(status, "cublasLtMatmulAlgoGetHeuristic"));
  for (int i = 0; i < count; ++i)
    if (suits(results[i], allowTf32)) {
      algorithm = results[i].algo;
      return {};
    }
  return Status::error(
      RP_INCOMPATIBLE,
      "cuBLASLt has no deterministic algorithm here for a product of " +
          std::to_string(form.m) + "x" + std::to_string(form.k) + " and " +
          std::to_string(form.k) + "x" + std::to_string(form.n) + " of " +
          elementName(form.a.type) + " within a workspace of " +
          std::to_string(workspaceBytes) + " bytes");
}

Expected<std::unique_ptr<CublasProduct>>
CublasProduct::make(const CublasContext &context, const ProductForm &form,
                    bool allowTf32, uint64_t workspaceBytes) {
  if (form.batch > INT32_MAX)
    return Status::error(RP_INCOMPATIBLE,
                         "cuBLASLt takes a batch of 2147483647 products, not " +
                             std::to_string(form.batch));
  std::unique_ptr<CublasProduct> product(
      new CublasProduct(context, form, workspaceBytes));
  REPRISE_RETURN_IF_ERROR(product->describe(allowTf32));
  const CublasFunctions &library = context.library();
  cublasLtMatmulPreference_t preference = nullptr;
  REPRISE_RETURN_IF_ERROR(
      library.check(library.cublasLtMatmulPreferenceCreate(&preference),
                    "cublasLtMatmulPreferenceCreate"));
  Status status = product->choose(preference, allowTf32);
  library.cublasLtMatmulPreferenceDestroy(preference);
  if (!status.ok())
    return status;
  return product;
}

static void *pointer(uint64_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

Status CublasProduct::run(CUstream_st *stream,
                          const std::vector<uint64_t> &operands,
                          uint64_t workspace) {
  uint64_t aligned = (workspace + kCublasWorkspaceAlignment - 1) /
                     kCublasWorkspaceAlignment * kCublasWorkspaceAlignment;
  // Inputs a and b, then a bias; the output is the last.
  if (form.hasBias)
    REPRISE_RETURN_IF_ERROR(set<const void *>(CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                              pointer(operands[2])));
  const float one = 1, zero = 0;
  for (const std::array<int64_t, 3> &start : form.starts) {
    auto at = [&](uint64_t address, size_t i, const Matrix &m) {
      return pointer(address + uint64_t(start[i]) * elementBytes(m.type));
    };
    void *result = at(operands.back(), 2, form.c);
    REPRISE_RETURN_IF_ERROR(library.check(
        library.cublasLtMatmul(context.get(), operation, &one,
                               at(operands[form.inputs[1]], 1, form.b), b,
                               at(operands[form.inputs[0]], 0, form.a), a,
                               &zero, result, c, result, c, &algorithm,
                               pointer(aligned), workspaceBytes, stream),
        "cublasLtMatmul"));
  }
  return {};
}

} // namespace reprise::rt::cuda
