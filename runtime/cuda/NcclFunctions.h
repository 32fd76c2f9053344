//===- NcclFunctions.h - NCCL's functions -----------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_NCCLFUNCTIONS_H
#define REPRISE_RUNTIME_CUDA_NCCLFUNCTIONS_H

#include "SharedLibrary.h"
#include <nccl.h>

namespace reprise::rt::cuda {

#define REPRISE_NCCL_FUNCTIONS(X)                                              \
  X(ncclGetErrorString)                                                        \
  X(ncclGetLastError)                                                          \
  X(ncclGetUniqueId)                                                           \
  X(ncclCommInitRank)                                                          \
  X(ncclCommGetAsyncError)                                                     \
  X(ncclCommDestroy)                                                           \
  X(ncclCommAbort)                                                             \
  X(ncclGroupStart)                                                            \
  X(ncclGroupEnd)                                                              \
  X(ncclSend)                                                                  \
  X(ncclRecv)                                                                  \
  X(ncclBroadcast)                                                             \
  X(ncclAllReduce)

/// Pointers to the functions of the library, under their own names.
struct NcclFunctions {
#define REPRISE_MEMBER(name) decltype(&::name) name = nullptr;
  REPRISE_NCCL_FUNCTIONS(REPRISE_MEMBER)
#undef REPRISE_MEMBER

  /// Returns success, or RP_INTERNAL (RP_UNAVAILABLE for errors of another
  /// rank) with "NCCL: `what`: ...".
  Status check(ncclResult_t result, const char *what) const;
};

/// Opens the library at the first call. Fails with RP_UNAVAILABLE.
Expected<const NcclFunctions *> ncclFunctions();

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_NCCLFUNCTIONS_H
