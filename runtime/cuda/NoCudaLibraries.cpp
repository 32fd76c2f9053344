//===- NoCudaLibraries.cpp - Planning in a build without CUDA -------------===//
#include "reprise/Runtime/Cuda/Cuda.h"

namespace reprise::rt::cuda {

std::vector<rp_element_type> callElements(LibraryOp) { return {}; }

Expected<LibraryCallInfo> planCall(const DeviceDescription &,
                                   const LibraryCallDesc &desc,
                                   const CallOptions &) {
  REPRISE_RETURN_IF_ERROR(verifyLibraryCall(desc));
  return Status::error(
      RP_UNAVAILABLE,
      "this build has no CUDA; install the headers of the CUDA toolkit, "
      "cuBLAS and cuDNN 9, and configure it again with -DREPRISE_CUDA=ON");
}

std::string libraryVersion() { return ""; }

} // namespace reprise::rt::cuda
