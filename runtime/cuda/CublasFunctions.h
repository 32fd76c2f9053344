//===- CublasFunctions.h - cuBLASLt's functions -----------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUBLASFUNCTIONS_H
#define REPRISE_RUNTIME_CUDA_CUBLASFUNCTIONS_H

#include "SharedLibrary.h"
#include <cublasLt.h>

namespace reprise::rt::cuda {

#define REPRISE_CUBLASLT_FUNCTIONS(X)                                          \
  X(cublasLtGetVersion)                                                        \
  X(cublasLtGetStatusName)                                                     \
  X(cublasLtGetStatusString)                                                   \
  X(cublasLtCreate)                                                            \
  X(cublasLtDestroy)                                                           \
  X(cublasLtMatmul)                                                            \
  X(cublasLtMatmulDescCreate)                                                  \
  X(cublasLtMatmulDescDestroy)                                                 \
  X(cublasLtMatmulDescSetAttribute)                                            \
  X(cublasLtMatrixLayoutCreate)                                                \
  X(cublasLtMatrixLayoutDestroy)                                               \
  X(cublasLtMatrixLayoutSetAttribute)                                          \
  X(cublasLtMatmulPreferenceCreate)                                            \
  X(cublasLtMatmulPreferenceDestroy)                                           \
  X(cublasLtMatmulPreferenceSetAttribute)                                      \
  X(cublasLtMatmulAlgoGetHeuristic)                                            \
  X(cublasLtMatmulAlgoCapGetAttribute)                                         \
  X(cublasLtMatmulAlgoConfigGetAttribute)

/// Pointers to the functions of the library, under their own names.
struct CublasFunctions {
#define REPRISE_MEMBER(name) decltype(&::name) name = nullptr;
  REPRISE_CUBLASLT_FUNCTIONS(REPRISE_MEMBER)
#undef REPRISE_MEMBER

  /// Returns success, or RP_INTERNAL (RP_OUT_OF_MEMORY) with "cuBLASLt: `what`:
  /// ...".
  Status check(cublasStatus_t status, const char *what) const;
};

/// Opens the library at the first call. Fails with RP_UNAVAILABLE.
Expected<const CublasFunctions *> cublasFunctions();

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUBLASFUNCTIONS_H
