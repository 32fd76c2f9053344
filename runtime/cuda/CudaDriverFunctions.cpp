//===- CudaDriverFunctions.cpp - The driver's functions -------------------===//
#include "CudaDriverFunctions.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt::cuda {

std::string CudaFunctions::text(CUresult result) const {
  const char *name = nullptr, *meaning = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &meaning);
  return std::string(name ? name : "unknown error") + " (" +
         std::to_string(int(result)) + ")" +
         (meaning ? std::string(": ") + meaning : "");
}

Status CudaFunctions::check(CUresult result, const std::string &what) const {
  if (result == CUDA_SUCCESS)
    return {};
  return Status::error(result == CUDA_ERROR_OUT_OF_MEMORY ? RP_OUT_OF_MEMORY
                                                          : RP_INTERNAL,
                       what + ": " + text(result));
}

bool isSticky(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_EXTERNAL_DEVICE:
    return true;
  default:
    return false;
  }
}

// The name in the library, after expansion of the header's macros.
#define REPRISE_NAME(name) #name

static Expected<CudaFunctions> load() {
  REPRISE_EXPECT(
      file, SharedLibrary::open(
                "NVIDIA driver", {"libcuda.so.1"},
                "install the driver, or compile the model for the processor "
                "(--target cpu:native without --device)"));
  CudaFunctions library;
#define REPRISE_BIND(name) file->bind(REPRISE_NAME(name), library.name);
  REPRISE_CUDA_FUNCTIONS(REPRISE_BIND)
#undef REPRISE_BIND
  REPRISE_RETURN_IF_ERROR(file->status());
  return library;
}

Expected<const CudaFunctions *> cudaFunctions() {
  return loadedOnce<CudaFunctions, load>();
}

} // namespace reprise::rt::cuda
