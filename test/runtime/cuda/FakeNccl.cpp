//===- FakeNccl.cpp - A libnccl.so.2 without other GPUs -------------------===//
//
// Writes down what NcclRanks calls, as one line each, for CudaRanksTest, and
// moves nothing.
//
//===----------------------------------------------------------------------===//
#include <chrono>
#include <cstring>
#include <mutex>
#include <nccl.h>
#include <string>
#include <thread>

namespace {
std::mutex mutex;
std::string written;
ncclResult_t initResult = ncclSuccess, asyncResult = ncclSuccess;
char theCommunicator;

ncclResult_t note(const std::string &line) {
  std::lock_guard<std::mutex> lock(mutex);
  written += line + "\n";
  return ncclSuccess;
}

std::string text(const void *address) {
  return std::to_string(reinterpret_cast<uintptr_t>(address));
}
} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Returns the lines since the last call.
EXPORT std::string *fakeNcclTake() {
  std::lock_guard<std::mutex> lock(mutex);
  static std::string taken;
  taken = written;
  written.clear();
  return &taken;
}
/// Sets what connecting returns; ncclInProgress: it never ends.
EXPORT void fakeNcclInit(ncclResult_t result) { initResult = result; }
EXPORT void fakeNcclAsync(ncclResult_t result) { asyncResult = result; }

extern "C" {

const char *ncclGetErrorString(ncclResult_t) { return "the fake's error"; }
const char *ncclGetLastError(ncclComm_t) { return "the fake's detail"; }
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  std::strcpy(id->internal, "the meeting");
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t *made, int size, ncclUniqueId id,
                              int rank) {
  note("init " + std::to_string(rank) + " of " + std::to_string(size) +
       " at '" + id.internal + "'");
  while (initResult == ncclInProgress)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  *made = reinterpret_cast<ncclComm_t>(&theCommunicator);
  return initResult;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t *result) {
  *result = asyncResult;
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t) { return note("destroy"); }
ncclResult_t ncclCommAbort(ncclComm_t) { return note("abort"); }
ncclResult_t ncclGroupStart() { return note("["); }
ncclResult_t ncclGroupEnd() { return note("]"); }
ncclResult_t ncclSend(const void *data, size_t count, ncclDataType_t, int peer,
                      ncclComm_t, cudaStream_t) {
  return note("send " + std::to_string(count) + " at " + text(data) + " to " +
              std::to_string(peer));
}
ncclResult_t ncclRecv(void *data, size_t count, ncclDataType_t, int peer,
                      ncclComm_t, cudaStream_t) {
  return note("receive " + std::to_string(count) + " at " + text(data) +
              " from " + std::to_string(peer));
}
ncclResult_t ncclBroadcast(const void *from, void *to, size_t count,
                           ncclDataType_t, int root, ncclComm_t, cudaStream_t) {
  return note("broadcast " + std::to_string(count) + " at " + text(to) +
              (from == to ? "" : " from elsewhere") + " of " +
              std::to_string(root));
}
ncclResult_t ncclAllReduce(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t,
                           cudaStream_t) {
  return note("all-reduce " + std::to_string(count) +
              (type == ncclFloat64 ? " f64" : " f32") + " at " + text(to) +
              (from == to && op == ncclSum ? "" : " in another way"));
}

} // extern "C"
