//===- CudaDriverFunctions.h - The driver's functions -----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUDADRIVERFUNCTIONS_H
#define REPRISE_RUNTIME_CUDA_CUDADRIVERFUNCTIONS_H

#include "SharedLibrary.h"
#include <cuda.h>

namespace reprise::rt::cuda {

// The header renames some of these, such as to cuMemAlloc_v2; so do the macros
// below.
#define REPRISE_CUDA_FUNCTIONS(X)                                              \
  X(cuInit)                                                                    \
  X(cuGetErrorName)                                                            \
  X(cuGetErrorString)                                                          \
  X(cuDriverGetVersion)                                                        \
  X(cuDeviceGetCount)                                                          \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetName)                                                           \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDeviceTotalMem)                                                          \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuDevicePrimaryCtxRelease)                                                 \
  X(cuCtxPushCurrent)                                                          \
  X(cuCtxPopCurrent)                                                           \
  X(cuMemGetInfo)                                                              \
  X(cuMemAlloc)                                                                \
  X(cuMemFree)                                                                 \
  X(cuMemHostAlloc)                                                            \
  X(cuMemFreeHost)                                                             \
  X(cuMemcpyDtoDAsync)                                                         \
  X(cuMemcpyHtoDAsync)                                                         \
  X(cuMemcpyDtoHAsync)                                                         \
  X(cuMemsetD8Async)                                                           \
  X(cuModuleLoadDataEx)                                                        \
  X(cuModuleUnload)                                                            \
  X(cuModuleGetFunction)                                                       \
  X(cuFuncLoad)                                                                \
  X(cuLaunchKernel)                                                            \
  X(cuStreamCreate)                                                            \
  X(cuStreamDestroy)                                                           \
  X(cuStreamSynchronize)                                                       \
  X(cuStreamQuery)                                                             \
  X(cuStreamWaitEvent)                                                         \
  X(cuStreamBeginCapture)                                                      \
  X(cuStreamEndCapture)                                                        \
  X(cuEventCreate)                                                             \
  X(cuEventDestroy)                                                            \
  X(cuEventRecord)                                                             \
  X(cuEventSynchronize)                                                        \
  X(cuEventQuery)                                                              \
  X(cuGraphInstantiate)                                                        \
  X(cuGraphDestroy)                                                            \
  X(cuGraphExecDestroy)                                                        \
  X(cuGraphUpload)                                                             \
  X(cuGraphLaunch)

/// Pointers to the functions of the library, under their own names.
struct CudaFunctions {
#define REPRISE_MEMBER(name) decltype(&::name) name = nullptr;
  REPRISE_CUDA_FUNCTIONS(REPRISE_MEMBER)
#undef REPRISE_MEMBER

  /// Returns "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access ...".
  std::string text(CUresult result) const;
  /// Returns success, or RP_INTERNAL (RP_OUT_OF_MEMORY) with "`what`:
  /// CUDA_ERROR_...".
  Status check(CUresult result, const std::string &what) const;
};

/// Returns true for errors after which every further call of this process
/// fails.
bool isSticky(CUresult result);

/// Opens the library at the first call. Fails with RP_UNAVAILABLE.
Expected<const CudaFunctions *> cudaFunctions();

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDADRIVERFUNCTIONS_H
