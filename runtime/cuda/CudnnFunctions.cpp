//===- CudnnFunctions.cpp - cuDNN's functions -----------------------------===//
#include "CudnnFunctions.h"
#include "Versions.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt::cuda {

Status CudnnFunctions::check(cudnnStatus_t status, const char *what) const {
  if (status == CUDNN_STATUS_SUCCESS)
    return {};
  char detail[1024] = "";
  cudnnGetLastErrorString(detail, sizeof detail);
  std::string message = std::string("cuDNN: ") + what + ": " +
                        cudnnGetErrorString(status) + " (" +
                        std::to_string(int(status)) + ")";
  if (*detail)
    message += std::string(": ") + detail;
  bool isMemory =
      status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  return Status::error(isMemory ? RP_OUT_OF_MEMORY : RP_INTERNAL, message);
}

static Expected<CudnnFunctions> load() {
  REPRISE_EXPECT(file,
                 SharedLibrary::open(
                     "cuDNN", {"libcudnn.so.9"},
                     "install cuDNN 9, or compile the model for the processor "
                     "(--target cpu:native)"));
  CudnnFunctions library;
#define REPRISE_BIND(name) file->bind(#name, library.name);
  REPRISE_CUDNN_FUNCTIONS(REPRISE_BIND)
#undef REPRISE_BIND
  REPRISE_RETURN_IF_ERROR(file->status());
  // cuDNN opens and closes the compiler while it plans, and leaks 70 KB each
  // time, unless it stays open.
  (void)SharedLibrary::open("NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12"}, "");
  return library;
}

Expected<const CudnnFunctions *> cudnnFunctions() {
  return loadedOnce<CudnnFunctions, load>();
}

std::string cudnnVersion() {
  Expected<const CudnnFunctions *> library = cudnnFunctions();
  return library.ok() ? versionText("cuDNN", (*library)->cudnnGetVersion())
                      : "";
}

} // namespace reprise::rt::cuda
