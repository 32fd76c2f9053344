//===- CudnnFunctions.h - cuDNN's functions ---------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUDNNFUNCTIONS_H
#define REPRISE_RUNTIME_CUDA_CUDNNFUNCTIONS_H

#include "SharedLibrary.h"
#include <cudnn_graph.h>

namespace reprise::rt::cuda {

#define REPRISE_CUDNN_FUNCTIONS(X)                                             \
  X(cudnnGetVersion)                                                           \
  X(cudnnGetErrorString)                                                       \
  X(cudnnGetLastErrorString)                                                   \
  X(cudnnCreate)                                                               \
  X(cudnnDestroy)                                                              \
  X(cudnnSetStream)                                                            \
  X(cudnnBackendCreateDescriptor)                                              \
  X(cudnnBackendDestroyDescriptor)                                             \
  X(cudnnBackendFinalize)                                                      \
  X(cudnnBackendSetAttribute)                                                  \
  X(cudnnBackendGetAttribute)                                                  \
  X(cudnnBackendExecute)

/// Pointers to the functions of the library, under their own names.
struct CudnnFunctions {
#define REPRISE_MEMBER(name) decltype(&::name) name = nullptr;
  REPRISE_CUDNN_FUNCTIONS(REPRISE_MEMBER)
#undef REPRISE_MEMBER

  /// Returns success, or RP_INTERNAL (RP_OUT_OF_MEMORY) with "cuDNN: `what`:
  /// ...".
  Status check(cudnnStatus_t status, const char *what) const;
};

/// Opens the library at the first call. Fails with RP_UNAVAILABLE.
Expected<const CudnnFunctions *> cudnnFunctions();

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDNNFUNCTIONS_H
