//===- NcclFunctions.cpp - NCCL's functions -------------------------------===//
#include "NcclFunctions.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt::cuda {

Status NcclFunctions::check(ncclResult_t result, const char *what) const {
  if (result == ncclSuccess || result == ncclInProgress)
    return {};
  const char *detail = ncclGetLastError(nullptr);
  std::string text = std::string("NCCL: ") + what + ": " +
                     ncclGetErrorString(result) + " (" +
                     std::to_string(int(result)) + ")";
  if (detail && *detail)
    text += std::string(": ") + detail;
  return Status::error(result == ncclRemoteError ? RP_UNAVAILABLE : RP_INTERNAL,
                       text);
}

static Expected<NcclFunctions> load() {
  REPRISE_EXPECT(
      file, SharedLibrary::open(
                "NCCL", {"libnccl.so.2"},
                "install NVIDIA's libnccl2, which connects the GPUs of "
                "several ranks, or train on processors (--target cpu:native)"));
  NcclFunctions library;
#define REPRISE_BIND(name) file->bind(#name, library.name);
  REPRISE_NCCL_FUNCTIONS(REPRISE_BIND)
#undef REPRISE_BIND
  REPRISE_RETURN_IF_ERROR(file->status());
  return library;
}

Expected<const NcclFunctions *> ncclFunctions() {
  return loadedOnce<NcclFunctions, load>();
}

} // namespace reprise::rt::cuda
