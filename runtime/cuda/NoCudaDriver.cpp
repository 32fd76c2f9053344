//===- NoCudaDriver.cpp - The device in a build without CUDA --------------===//
#include "Driver.h"

namespace reprise::rt::cuda {

Expected<std::unique_ptr<Driver>> openCudaDriver(unsigned) {
  return Status::error(
      RP_UNAVAILABLE,
      "this build has no CUDA; install the headers of the CUDA toolkit, "
      "cuBLAS and cuDNN 9, and configure it again with -DREPRISE_CUDA=ON, or "
      "compile the model for the processor (--target cpu:native without "
      "--device)");
}

} // namespace reprise::rt::cuda
