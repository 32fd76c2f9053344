//===- CublasProduct.h - Run products by cuBLASLt ---------------*- C++ -*-===//
//
// cuBLASLt stores by columns: c = a b by rows is c' = b' a' by columns. So b is
// its first matrix, and a bias along c's rows is one along its columns.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CUBLASPRODUCT_H
#define REPRISE_RUNTIME_CUDA_CUBLASPRODUCT_H

#include "CallForm.h"
#include "CublasFunctions.h"
#include <memory>

namespace reprise::rt::cuda {

/// cuBLASLt's context of the device whose context is current.
class CublasContext {
public:
  static Expected<std::unique_ptr<CublasContext>> open();
  ~CublasContext();
  CublasContext(const CublasContext &) = delete;
  CublasContext &operator=(const CublasContext &) = delete;

  const CublasFunctions &library() const { return *functions; }
  cublasLtHandle_t get() const { return handle; }

private:
  CublasContext(const CublasFunctions &library, cublasLtHandle_t handle)
      : functions(&library), handle(handle) {}
  const CublasFunctions *functions;
  cublasLtHandle_t handle;
};

/// A product with its algorithm chosen.
class CublasProduct {
public:
  /// Takes the first algorithm of the heuristics that is deterministic and fits
  /// `workspaceBytes`. Fails with RP_INCOMPATIBLE if there is none. The context
  /// must outlive it.
  static Expected<std::unique_ptr<CublasProduct>>
  make(const CublasContext &context, const ProductForm &form, bool allowTf32,
       uint64_t workspaceBytes);
  ~CublasProduct();
  CublasProduct(const CublasProduct &) = delete;
  CublasProduct &operator=(const CublasProduct &) = delete;

  /// `operands`: the call's addresses. Asynchronous.
  Status run(CUstream_st *stream, const std::vector<uint64_t> &operands,
             uint64_t workspace);

private:
  CublasProduct(const CublasContext &context, const ProductForm &form,
                uint64_t workspaceBytes)
      : context(context), library(context.library()), form(form),
        workspaceBytes(workspaceBytes) {}
  Status describe(bool allowTf32);
  Status describe(cublasLtMatrixLayout_t &layout, const Matrix &matrix);
  template <typename Value>
  Status set(cublasLtMatmulDescAttributes_t name, Value value);
  Status setPreferences(cublasLtMatmulPreference_t preference) const;
  Status choose(cublasLtMatmulPreference_t preference, bool allowTf32);
  bool suits(const cublasLtMatmulHeuristicResult_t &result,
             bool allowTf32) const;

  const CublasContext &context;
  const CublasFunctions &library;
  ProductForm form;
  uint64_t workspaceBytes;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUBLASPRODUCT_H
