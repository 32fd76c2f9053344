//===- CublasFunctions.cpp - cuBLASLt's functions -------------------------===//
#include "CublasFunctions.h"
#include "Versions.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt::cuda {

Status CublasFunctions::check(cublasStatus_t status, const char *what) const {
  if (status == CUBLAS_STATUS_SUCCESS)
    return {};
  return Status::error(
      status == CUBLAS_STATUS_ALLOC_FAILED ? RP_OUT_OF_MEMORY : RP_INTERNAL,
      std::string("cuBLASLt: ") + what + ": " + cublasLtGetStatusName(status) +
          " (" + std::to_string(int(status)) +
          "): " + cublasLtGetStatusString(status));
}

static Expected<CublasFunctions> load() {
  REPRISE_EXPECT(
      file,
      SharedLibrary::open(
          "cuBLASLt", {"libcublasLt.so.13", "libcublasLt.so.12"},
          "install the CUDA toolkit's cuBLAS, or compile the model for the "
          "processor (--target cpu:native)"));
  CublasFunctions library;
#define REPRISE_BIND(name) file->bind(#name, library.name);
  REPRISE_CUBLASLT_FUNCTIONS(REPRISE_BIND)
#undef REPRISE_BIND
  REPRISE_RETURN_IF_ERROR(file->status());
  return library;
}

Expected<const CublasFunctions *> cublasFunctions() {
  return loadedOnce<CublasFunctions, load>();
}

std::string cublasLtVersion() {
  Expected<const CublasFunctions *> library = cublasFunctions();
  return library.ok()
             ? versionText("cuBLASLt", (*library)->cublasLtGetVersion())
             : "";
}

} // namespace reprise::rt::cuda
